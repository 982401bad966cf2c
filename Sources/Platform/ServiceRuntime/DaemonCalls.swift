import Chronology
import Glibc
import SystemCalls
import Varlink
import VarlinkClient

/// Calls of the daemon that never wait: one connection, which is kept, and a handler for each
/// reply.
///
/// The daemon answers the calls of a connection in their order. If it does not answer one in time,
/// or the connection ends, all calls without a reply fail. The next call connects again.
package final class DaemonCalls {
    /// The time after which a call without a reply fails.
    package static let timeout = Instant.Span.seconds(10)

    private struct Call {
        var method: String
        var deadline: Instant
        var finish: (Result<Reply, ClientError>) -> Void
    }

    private let path: String
    private let loop: EventLoop
    private var client: LoopClient?
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
        do throws(ClientError) {
            try send(method, with: parameters)
        } catch {
            return finish(.failure(error))
        }
        calls.append(Call(method: method.name, deadline: HostClock.now + DaemonCalls.timeout, finish: finish))
    }

    /// Ends the connection if the daemon has not answered in time.
    package func tick(at now: Instant) {
        guard let first = calls.first, now >= first.deadline else { return }
        end { .timedOut(method: $0) }
    }

    private func send<Parameters, Output>(
        _ method: Method<Parameters, Output>, with parameters: Parameters
    ) throws(ClientError) {
        do {
            let client = try client ?? connect()
            try client.send(method.call(with: parameters))
        } catch let failure as EncodingFailure {
            throw .sendFailed(method: method.name, reason: failure.description)
        } catch let error as SystemError {
            throw ClientError(error, path: path)
        } catch {
            throw .sendFailed(method: method.name, reason: "too many calls wait to be sent")
        }
    }

    private func connect() throws(SystemError) -> LoopClient {
        let new = try LoopClient(to: path, in: loop) { [weak self] event in self?.handle(event) }
        client = new
        return new
    }

    /// A handler may call further methods, also on a new connection.
    private func handle(_ event: LoopClient.Event) {
        switch event {
        case .reply(let match):
            guard !calls.isEmpty else { return }
            calls.removeFirst().finish(.success(match.reply))
        case .ended(let failure): end { ClientError(failure, method: $0) }
        }
    }

    /// Ends the connection. A handler may call again, on a new connection.
    private func end(_ reason: (_ method: String) -> ClientError) {
        client?.close()
        client = nil
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

extension ClientError {
    /// Creates the error of a connection that was not possible.
    init(_ error: SystemError, path: String) {
        self = error.code == ENAMETOOLONG ? .pathTooLong(path: path) : .connecting(path: path, errno: error.code)
    }
}
