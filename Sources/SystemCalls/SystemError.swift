import Glibc

/// A system call that failed: what was being done, and why it could not be.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The `errno` of the call.
    public let code: Int32
    /// What was being done, as a phrase with its object: "opening /dev/ttyACM0".
    public let doing: String

    /// An error with a code of <errno.h>.
    public init(code: Int32, doing: String) {
        self.code = code
        self.doing = doing
    }

    /// The system's words for the code: "Permission denied".
    public var reason: String { String(cString: strerror(code)) }

    /// "opening /dev/ttyACM0: Permission denied".
    public var description: String { "\(doing): \(reason)" }
}
