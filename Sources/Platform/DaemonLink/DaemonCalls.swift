import Chronology
import Glibc
import SystemCalls
import Systemd
import Varlink

/// Calls of the daemon that never wait: one connection, which is kept, and a handler for each
/// reply.
///
/// The daemon answers the calls of a connection in their order. If it does not answer one in time,
/// or the connection ends, all calls without a reply fail. The next call connects again.
package final class DaemonCalls {
    /// The time after which a call without a reply fails.
    package static let timeout = Instant.Span.seconds(10)
    private static let bufferLength = 16_384

    private struct Call {
        var method: String
        var deadline: Instant
        var finish: (Result<Reply, ClientError>) -> Void
    }

    private final class Connection {
        let socket: FileDescriptor
        var state = ClientConnection()
        var source: IOSource?

        init(_ socket: consuming FileDescriptor) { self.socket = socket }
    }

    private let path: String
    private let loop: EventLoop
    private var connection: Connection?
    /// The calls without a reply, oldest first.
    private var calls: [Call] = []

    /// Creates calls of the daemon at `path`, without a connection.
    package init(of path: String, in loop: EventLoop) {
        self.path = path
        self.loop = loop
    }

    /// When ``tick(at:)`` must be called; nil while no call waits for a reply.
    package var deadline: Instant? { calls.first?.deadline }

    /// Calls a method.
    ///
    /// - Parameter completion: Called once, with the reply or the reason why there is none; before
    ///   this returns if the call cannot be sent. Captures its owner unowned or weakly.
    package func call<Parameters, Output>(
        _ method: Method<Parameters, Output>, with parameters: Parameters,
        completion: @escaping (Result<Output, ClientError>) -> Void
    ) {
        let finish: (Result<Reply, ClientError>) -> Void = { result in
            completion(result.flatMap { DaemonCalls.output(of: method, in: $0) })
        }
        let connection: Connection
        do throws(ClientError) {
            connection = try connected()
            try DaemonCalls.send(method, with: parameters, on: connection)
        } catch {
            return finish(.failure(error))
        }
        calls.append(Call(method: method.name, deadline: EventLoop.currentTime + DaemonCalls.timeout, finish: finish))
        flush(connection)
    }

    /// Ends the connection if the daemon has not answered in time.
    package func tick(at now: Instant) {
        guard let first = calls.first, now >= first.deadline else { return }
        end { .timedOut(method: $0) }
    }

    private func connected() throws(ClientError) -> Connection {
        if let connection { return connection }
        let new = Connection(try DaemonSocket.connect(to: path))
        do throws(SystemError) {
            new.source = try loop.watch(new.socket.number, for: .readable) { [weak self, weak new] events in
                guard let self, let new else { return }
                if events.contains(.writable) { flush(new) }
                if !events.isDisjoint(with: [.readable, .hangup, .failure]) { read(new) }
            }
        } catch {
            throw .connecting(path: path, errno: error.code)
        }
        connection = new
        return new
    }

    private static func send<Parameters, Output>(
        _ method: Method<Parameters, Output>, with parameters: Parameters, on connection: Connection
    ) throws(ClientError) {
        do {
            try connection.state.send(method.call(with: parameters))
        } catch let failure as EncodingFailure {
            throw .sendFailed(method: method.name, reason: failure.description)
        } catch {
            throw .sendFailed(method: method.name, reason: "too many calls wait to be sent")
        }
    }

    /// Sends what the socket accepts, and the rest when it accepts more.
    private func flush(_ connection: Connection) {
        guard connection === self.connection else { return }
        let number = connection.socket.number
        do throws(SystemError) {
            let isComplete = try connection.state.write { bytes throws(SystemError) in
                let count = uninterrupted { Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
                if count >= 0 { return count }
                guard errno == EAGAIN else { throw SystemError(code: errno, operation: "calling the daemon") }
                return 0
            }
            try connection.source?.setEvents(isComplete ? .readable : [.readable, .writable])
        } catch {
            let code = error.code
            let isEnded = code == EPIPE || code == ECONNRESET
            end { isEnded ? .disconnected(method: $0) : .transport(method: $0, errno: code) }
        }
    }

    private func read(_ connection: Connection) {
        let number = connection.socket.number
        var buffer = [UInt8](repeating: 0, count: DaemonCalls.bufferLength)
        while connection === self.connection {
            let count = uninterrupted { recv(number, &buffer, DaemonCalls.bufferLength, 0) }
            if count < 0, errno == EAGAIN { return }
            if count > 0 {
                buffer.withUnsafeBytes { connection.state.receive(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            } else {
                connection.state.receiveEnd()
            }
            takeReplies(connection)
        }
    }

    /// A handler may call further methods, and thus end the connection.
    private func takeReplies(_ connection: Connection) {
        do throws(ClientConnection.Failure) {
            while connection === self.connection, let match = try connection.state.next() {
                guard !calls.isEmpty else { return }
                calls.removeFirst().finish(.success(match.reply))
            }
        } catch {
            end { method in
                if case .disconnected = error { return .disconnected(method: method) }
                return .protocolFailure(method: method, error)
            }
        }
    }

    /// Ends the connection. A handler may call again, on a new connection.
    private func end(_ reason: (_ method: String) -> ClientError) {
        connection?.source?.remove()
        connection = nil
        let ended = calls
        calls = []
        for call in ended { call.finish(.failure(reason(call.method))) }
    }

    private static func output<Parameters, Output>(
        of method: Method<Parameters, Output>, in reply: Reply
    ) -> Result<Output, ClientError> {
        if let error = reply.failure { return .failure(.failed(method: method.name, error: error)) }
        do throws(UnexpectedParameters) { return .success(try reply.parameters(of: method)) } catch {
            return .failure(.unexpectedReply(method: method.name, error))
        }
    }
}
