import Glibc

/// A failed system call: the operation and the reason.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The `errno` of the call.
    package let code: Int32
    /// The operation as a phrase with its object: "opening /dev/ttyACM0".
    package let operation: String

    /// Creates an error with a code of <errno.h>.
    package init(code: Int32, operation: String) {
        self.code = code
        self.operation = operation
    }

    /// The system's text for the code: "Permission denied".
    package var reason: String { String(cString: strerror(code)) }

    /// The operation and the reason: "opening /dev/ttyACM0: Permission denied".
    package var description: String { "\(operation): \(reason)" }
}

/// Runs a system call, repeats it after an interruption (EINTR) and throws a typed error for -1.
///
/// - Parameters:
///   - operation: The operation as a phrase with its object; evaluated only on failure.
///   - call: Exactly one system call that returns -1 and sets `errno` when it fails.
/// - Returns: The result of the call, never -1.
/// - Throws: `SystemError` with the `errno` of the call.
@discardableResult
package func systemCall<Result: SignedInteger>(
    _ operation: @autoclosure () -> String, call: () -> Result
) throws(SystemError) -> Result {
    let result = uninterrupted(call)
    guard result != -1 else { throw SystemError(code: errno, operation: operation()) }
    return result
}

/// Runs a system call and repeats it after an interruption (EINTR), for callers that need no error.
///
/// - Parameter call: Exactly one system call that returns -1 and sets `errno` when it fails.
/// - Returns: The result of the call; -1 if it failed.
@discardableResult
package func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}
