import Varlink
import VarlinkClient

extension Client {
    /// Returns the receivers once.
    public func receivers(isolation: isolated (any Actor)? = #isolation) async throws -> Receivers {
        try await call("io.sextant.Receiver.List", as: Receivers.self)
    }

    /// Returns the receivers now and after every change, at most once per second.
    ///
    /// - Parameter receiver: The name or port of the only receiver to report; nil: all.
    public func receiverChanges(receiver: String? = nil) -> Updates<Receivers> {
        Updates(transport, "io.sextant.Receiver.Watch", Self.selection(receiver))
    }

    /// Returns the satellites now and after every change, at most once per second.
    ///
    /// - Parameter receiver: The name or port of the receiver; nil: the primary receiver.
    public func sky(receiver: String? = nil) -> Updates<Sky> {
        let method = "io.sextant.Receiver.Watch"
        let parameters = Self.selection(receiver)
        return Updates({ [transport] () throws(TransportError) in
            transport.stream(method, parameters, delivery: .latest)
        }) {
            { arrival throws(TransportError) in
                let receivers = try arrival.decode(Receivers.self, of: method).receivers
                let isSelected = { (found: Receiver) in receiver != nil || found.isPrimary }
                return receivers.first(where: isSelected).map(Sky.init)
            }
        }
    }

    /// Returns the status of the daemon.
    public func status(isolation: isolated (any Actor)? = #isolation) async throws -> Status {
        try await call("io.sextant.Manager.GetStatus", as: StatusReply.self).status
    }

    /// Returns the active requests of all programs, and the activity of the receivers.
    public func consumers(isolation: isolated (any Actor)? = #isolation) async throws -> Consumers {
        try await call("io.sextant.Manager.GetConsumers", as: Consumers.self)
    }

    /// Returns the energy use of the receivers and its consumers.
    ///
    /// - Parameters:
    ///   - days: The number of days including today, 1 to 60.
    ///   - receiver: The name of the only receiver to report; nil: all.
    public func power(
        days: Int = 7, receiver: String? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Power {
        try await call("io.sextant.Manager.GetPower", PowerParameters(days: days, receiver: receiver), as: Power.self)
    }

    private static func selection(_ receiver: String?) -> [String: JSONValue] {
        receiver.map { ["receiver": .string($0)] } ?? [:]
    }
}

/// The parameters of `io.sextant.Manager.GetPower`.
struct PowerParameters: Encodable {
    var days: Int?
    var receiver: String?
}

/// The reply of `io.sextant.Manager.GetStatus`.
struct StatusReply: Decodable {
    var status: Status
}
