import Varlink

/// The reason why a call or a connection attempt failed. Each case names the operation.
public enum ClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Connecting to the socket at `path` failed with `errno`.
    case connecting(path: String, errno: Int32)
    /// `path` does not fit into a Unix socket address, which holds 107 bytes.
    case pathTooLong(path: String)
    /// Sending or receiving failed with `errno` during a call of `method`.
    case transport(method: String, errno: Int32)
    /// The service closed the connection before it answered `method`.
    case disconnected(method: String)
    /// The service did not answer `method` within the timeout.
    case timedOut(method: String)
    /// The service answered `method` with an error reply.
    case failed(method: String, error: VarlinkError)
    /// During a call of `method` the service violated the protocol or exceeded the reply limit.
    case protocolFailure(method: String, ClientConnection.Failure)
    /// The reply to `method` does not match the requested type.
    case unexpectedReply(method: String, UnexpectedParameters)
    /// The call of `method` cannot be sent: its parameters do not encode as JSON, or the output
    /// queue is full.
    case sendFailed(method: String, reason: String)

    /// One sentence for users.
    public var description: String {
        switch self {
        case .connecting(let path, let errno): "connecting to \(path): \(systemMessage(errno))"
        case .pathTooLong(let path):
            "connecting to \(path): a socket path can have at most \(ClientSocket.maxPathLength) bytes"
        case .transport(let method, let errno): "calling \(method): \(systemMessage(errno))"
        case .disconnected(let method): "calling \(method): the service closed the connection"
        case .timedOut(let method): "calling \(method): no answer in time"
        case .failed(let method, let error): "\(method) failed: \(error)"
        case .protocolFailure(let method, let failure):
            "calling \(method): the service violated the Varlink protocol (\(failure))"
        case .unexpectedReply(let method, let mismatch):
            "calling \(method): the reply does not match the interface: \(mismatch)"
        case .sendFailed(let method, let reason): "calling \(method): the call cannot be sent: \(reason)"
        }
    }
}

extension ClientError {
    /// Creates the error for a failed system call. A service that closed its end with unsent or
    /// unread data causes a connection reset or a broken pipe.
    init(_ failure: ClientSocket.Failure, method: String) {
        self = failure.isPeerGone ? .disconnected(method: method) : .transport(method: method, errno: failure.errno)
    }
}
