import SextantAPI
import Varlink

/// The satellites of a receiver.
public struct Sky: Hashable, Sendable {
    /// Name of the receiver.
    public var receiver: String
    /// Satellites in view, with one entry per system, number and signal.
    public var satellites: [Satellite]
    /// Dilution of precision in three dimensions.
    public var pdop: Double?
    /// Horizontal dilution of precision.
    public var hdop: Double?
    /// Vertical dilution of precision.
    public var vdop: Double?

    init(_ receiver: Receiver) {
        self.receiver = receiver.name
        satellites = receiver.satellites
        pdop = receiver.pdop
        hdop = receiver.hdop
        vdop = receiver.vdop
    }
}

extension Client {
    /// Returns the receivers once.
    public func receivers(isolation: isolated (any Actor)? = #isolation) async throws -> Receivers {
        try await call(ReceiverMethods.list, NoParameters())
    }

    /// Returns the receivers now and after every change, at most once per second.
    ///
    /// - Parameter receiver: The name or port of the only receiver to report; nil: all.
    public func receiverChanges(receiver: String? = nil) -> Updates<Receivers> {
        Updates(transport, ReceiverMethods.watch, WatchParameters(receiver: receiver)) { $0 }
    }

    /// Returns the satellites now and after every change, at most once per second.
    ///
    /// - Parameter receiver: The name or port of the receiver; nil: the primary receiver.
    public func sky(receiver: String? = nil) -> Updates<Sky> {
        Updates(transport, ReceiverMethods.watch, WatchParameters(receiver: receiver)) { reply in
            reply.receivers.first { receiver != nil || $0.isPrimary }.map(Sky.init)
        }
    }

    /// Returns the status of the daemon.
    public func status(isolation: isolated (any Actor)? = #isolation) async throws -> Status {
        try await call(ManagerMethods.getStatus, NoParameters()).status
    }

    /// Returns the active requests of all programs, and the activity of the receivers.
    public func consumers(isolation: isolated (any Actor)? = #isolation) async throws -> Consumers {
        try await call(ManagerMethods.getConsumers, NoParameters())
    }

    /// Returns the energy use of the receivers and its consumers.
    ///
    /// - Parameters:
    ///   - days: The number of days including today, 1 to 60.
    ///   - receiver: The name of the only receiver to report; nil: all.
    public func power(
        days: Int = 7, receiver: String? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Power {
        try await call(ManagerMethods.getPower, GetPowerParameters(days: days, receiver: receiver))
    }

    /// Returns which programs used the location in the last 30 days, the newest first: those of
    /// this user if the program may know the full location, otherwise itself.
    ///
    /// - Parameter program: The only program to return; nil: all.
    public func usage(
        program: String? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Use] {
        var parameters = GetUsageParameters(program: program)
        var uses: [Use] = []
        repeat {
            let page = try await call(PermissionMethods.getUsage, parameters)
            uses += page.records
            parameters.after = page.next
        } while parameters.after != nil
        return uses
    }
}
