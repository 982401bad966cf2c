import Chronology
import Glibc
import SystemCalls
import Varlink

/// Calls of a daemon: where its socket is, and how long calls wait for it.
///
/// A value without a connection. Each call has a connection of its own, because Varlink answers the
/// calls of a connection in order.
package struct Transport: Sendable, Hashable {
    /// The path of the daemon's socket.
    package let socket: String
    /// How calls connect again.
    package let limits: ReconnectSchedule.Limits

    /// Creates a transport.
    ///
    /// - Parameter socket: The path of the socket. Nil: the value of SEXTANT_SOCKET if it is set
    ///   and not empty, otherwise the default.
    package init(socket: String? = nil, limits: ReconnectSchedule.Limits = ReconnectSchedule.Limits()) {
        self.socket = socket ?? Transport.socket(named: ServiceSocket.named)
        self.limits = limits
    }

    /// Returns the path of the socket for a value of SEXTANT_SOCKET.
    static func socket(named value: String?) -> String {
        if let value, !value.isEmpty { value } else { ServiceSocket.daemon }
    }

    /// Returns a call with `more` that is made at its first ``OpenCall/next(isolation:)``.
    ///
    /// - Parameter persists: Whether the call continues to connect after
    ///   ``OpenCall/next(isolation:)`` has thrown that no daemon answers. It lasts until it is
    ///   closed.
    package func stream(
        _ method: String, _ parameters: [String: JSONValue] = [:], delivery: OpenCall.Delivery, persists: Bool = false
    ) -> OpenCall {
        OpenCall(
            CallRequest(
                call: Call(method: method, parameters: parameters, mode: .more), socket: socket, limits: limits,
                persists: persists),
            delivery: delivery)
    }

    /// Calls a method and returns the parameters of its reply. If the connection is lost before the
    /// reply, the method is called again.
    ///
    /// - Parameter replyWithin: The time that the daemon may take for the answer itself, in
    ///   addition to the time that the call waits for a daemon.
    /// - Throws: `TransportError`, or `CancellationError` if the task is cancelled.
    package func call(
        _ method: String, _ parameters: [String: JSONValue] = [:], replyWithin: Instant.Span = .zero,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [String: JSONValue] {
        var limits = limits
        limits.answerTimeout = limits.answerTimeout + replyWithin
        let call = OpenCall(
            CallRequest(
                call: Call(method: method, parameters: parameters, mode: .single), socket: socket, limits: limits),
            delivery: .latest)
        defer { call.close() }
        guard let arrival = try await call.next() else { throw CancellationError() }
        return arrival.parameters
    }
}

// MARK: Methods with types
extension Transport {
    /// Returns a call with `more`, whose replies ``Arrival/reply(to:)`` reads. Parameters with a
    /// number that JSON does not have fail its first ``OpenCall/next(isolation:)``.
    package func stream<Parameters, Reply>(
        _ method: Method<Parameters, Reply>, _ parameters: Parameters, delivery: OpenCall.Delivery,
        persists: Bool = false
    ) -> OpenCall {
        do throws(TransportError) {
            let members = try Transport.members(of: parameters, method)
            return stream(method.name, members, delivery: delivery, persists: persists)
        } catch {
            let call = stream(method.name, delivery: delivery)
            call.fail(error)
            return call
        }
    }

    /// Calls a method and returns its reply, as ``call(_:_:replyWithin:isolation:)``.
    package func call<Parameters, Reply>(
        _ method: Method<Parameters, Reply>, _ parameters: Parameters, replyWithin: Instant.Span = .zero,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        let members = try await call(
            method.name, try Transport.members(of: parameters, method), replyWithin: replyWithin)
        return try Arrival(parameters: members, replaced: 0, connection: 1).reply(to: method)
    }

    private static func members<Parameters, Reply>(
        of parameters: Parameters, _ method: Method<Parameters, Reply>
    ) throws(TransportError) -> [String: JSONValue] {
        do throws(EncodingFailure) { return try method.call(with: parameters).parameters } catch {
            throw .notSent(method: method.name, reason: error.description)
        }
    }
}

/// What a call needs to be made, and to be made again.
struct CallRequest: Sendable {
    let call: Call
    let socket: String
    let limits: ReconnectSchedule.Limits
    var persists = false
}

/// Why a call has ended without a reply.
package enum TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No daemon answered at `socket` for the whole time that a call waits; `reason` is that of the
    /// last attempt.
    case noAnswer(socket: String, reason: String)
    /// The daemon answered with an error.
    case failed(method: String, error: VarlinkError)
    /// The reply to `method` does not match its type.
    case unexpectedReply(method: String, reason: String)
    /// The call cannot be sent: its parameters do not encode as JSON.
    case notSent(method: String, reason: String)
    /// The process has no descriptor or thread left.
    case noResources(reason: String)

    /// Whether the daemon was not reached. A call that persists continues after such an error.
    package var isLackOfAnswer: Bool {
        switch self {
        case .noAnswer, .noResources: true
        case .failed, .unexpectedReply, .notSent: false
        }
    }

    /// One sentence for users, with what to check if no daemon answers.
    package var description: String {
        switch self {
        case .noAnswer(let socket, let reason) where socket.hasSuffix("/io.sextant.Places"):
            """
            no service of places answers at \(socket): \(reason). Check that sextant-places is installed (systemctl \
            status sextant-places.socket), and that places were imported (sextant places)
            """
        case .noAnswer(let socket, let reason):
            """
            no location service answers at \(socket): \(reason). Check that sextantd runs (systemctl status \
            sextantd.socket sextantd.service) and that SEXTANT_SOCKET, if it is set, names its socket
            """
        case .failed(let method, let error): "\(method) failed: \(error)"
        case .unexpectedReply(let method, let reason):
            "the reply to \(method) does not match the interface: \(reason)"
        case .notSent(let method, let reason): "\(method) cannot be called: \(reason)"
        case .noResources(let reason): "no connection to the location service is possible: \(reason)"
        }
    }
}
