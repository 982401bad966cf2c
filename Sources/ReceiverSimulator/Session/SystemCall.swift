import CLinux
import Glibc

/// A system call that failed.
public struct SystemFailure: Error, Equatable, CustomStringConvertible {
    /// What was being done, such as `open /tmp/a.gpx`.
    public var action: String
    /// The error number.
    public var code: Int32

    /// A failure while doing something.
    public init(action: String, code: Int32) {
        (self.action, self.code) = (action, code)
    }

    /// A sentence for a person.
    public var description: String { "\(action): \(String(cString: strerror(code)))" }
}

/// Calls the system; again when a signal came between.
///
/// - Returns: What the call returned, never -1.
@discardableResult
func system<Result: FixedWidthInteger & SignedInteger>(
    _ action: @autoclosure () -> String, _ call: () -> Result
) throws(SystemFailure) -> Result {
    while true {
        let result = call()
        if result != -1 { return result }
        let code = errno
        if code != EINTR { throw SystemFailure(action: action(), code: code) }
    }
}
