import Glibc

/// The one door to the kernel: repeats `call` while it is interrupted (EINTR) and turns -1 into a typed error.
///
/// - Parameters:
///   - doing: what is being done, as a phrase with its object; built only on failure.
///   - call: exactly one system call, which returns -1 and sets `errno` when it fails.
/// - Returns: what the call returned; never -1.
/// - Throws: `SystemError` with the `errno` of the call.
@discardableResult
@inlinable
public func systemCall<Result: SignedInteger>(
    _ doing: @autoclosure () -> String, _ call: () -> Result
) throws(SystemError) -> Result {
    while true {
        let result = call()
        if result != -1 { return result }
        let code = errno
        if code != EINTR { throw SystemError(code: code, doing: doing()) }
    }
}
