import SystemCalls

/// libsystemd's own convention: a negative result is an `errno` with its sign turned.
///
/// - Returns: the result when it is not negative.
/// - Throws: `SystemError` with that code.
@discardableResult
func checked(_ result: Int32, _ doing: @autoclosure () -> String) throws(SystemError) -> Int32 {
    guard result < 0 else { return result }
    throw SystemError(code: 0 &- result, doing: doing())
}
