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

    /// Calls a method with encoded parameters and returns its reply as a typed value.
    ///
    /// - Throws: As ``call(_:_:replyWithin:isolation:)``.
    package func call<R: Decodable>(
        _ method: String, encoding parameters: some Encodable = NoParameters(), as type: R.Type,
        replyWithin: Instant.Span = .zero, isolation: isolated (any Actor)? = #isolation
    ) async throws -> R {
        let members = try Transport.encode(parameters, of: method)
        let reply = try await call(method, members, replyWithin: replyWithin)
        return try Arrival(parameters: reply, replaced: 0, connection: 1).decode(type, of: method)
    }

    /// Returns the parameters of a call of `method` as JSON.
    package static func encode(
        _ parameters: some Encodable, of method: String
    ) throws(TransportError) -> [String: JSONValue] {
        do {
            return try Call(method: method, encoding: parameters).parameters
        } catch {
            throw .notSent(method: method, reason: error.description)
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
