/// Why a call, or the connection it needs, failed; each case says what was being done.
public enum ClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The socket at `path` does not answer; `errno` says why.
    case connecting(path: String, errno: Int32)
    /// `path` does not fit a Unix socket address, which holds 107 bytes.
    case pathTooLong(path: String)
    /// The system refused to send or receive during a call of `method`; `errno` says why.
    case transport(method: String, errno: Int32)
    /// The service closed the connection before `method` was answered.
    case disconnected(method: String)
    /// `method` was not answered in the time allowed.
    case timedOut(method: String)
    /// The service answered `method` with an error.
    case failed(method: String, error: VarlinkError)
    /// The service broke the protocol, or sent more than allowed, during a call of `method`.
    case protocolFailure(method: String, ClientConnection.Failure)
    /// The reply to `method` does not have the shape that was asked for.
    case unexpectedReply(method: String, UnexpectedParameters)
    /// The parameters for `method` cannot be written as JSON, or are too long.
    case unsendable(method: String, reason: String)

    /// One sentence for a person.
    public var description: String {
        switch self {
        case .connecting(let path, let errno): "connecting to \(path): \(systemMessage(errno))"
        case .pathTooLong(let path): "connecting to \(path): the path is longer than \(ClientSocket.longestPath) bytes"
        case .transport(let method, let errno): "calling \(method): \(systemMessage(errno))"
        case .disconnected(let method): "calling \(method): the service closed the connection"
        case .timedOut(let method): "calling \(method): no answer in time"
        case .failed(let method, let error): "\(method) failed: \(error)"
        case .protocolFailure(let method, let failure): "calling \(method): the service does not speak Varlink properly (\(failure))"
        case .unexpectedReply(let method, let mismatch): "the reply to \(method) is not as expected: \(mismatch)"
        case .unsendable(let method, let reason): "the parameters of \(method) cannot be sent: \(reason)"
        }
    }
}

extension ClientError {
    /// A service that has closed its end shows as a reset or a broken pipe when there was something left to send or to read.
    init(_ failure: ClientSocket.Failure, method: String) {
        self = failure.isPeerGone ? .disconnected(method: method) : .transport(method: method, errno: failure.errno)
    }
}
