import Varlink

/// The methods of `io.sextant.Manager`.
package enum ManagerMethods {
    /// Returns the status of the daemon.
    package static let getStatus = Method<NoParameters, GetStatusReply>("GetStatus", of: .manager)
    /// Returns the energy use of receivers.
    package static let getPower = Method<GetPowerParameters, GetPowerReply>("GetPower", of: .manager)
    /// Returns the active requests.
    package static let getConsumers = Method<NoParameters, GetConsumersReply>("GetConsumers", of: .manager)
}

/// The reply to `io.sextant.Manager.GetStatus`.
package struct GetStatusReply: Codable, Sendable, Equatable {
    /// The current status of the daemon.
    package var status: StatusMessage

    /// Creates a reply with a status.
    package init(status: StatusMessage) {
        self.status = status
    }
}

/// The parameters of `io.sextant.Manager.GetPower`.
package struct GetPowerParameters: Codable, Sendable, Equatable {
    /// The number of days including today, 1 to 60. Absent: 7.
    package var days: Int?
    /// The receiver to report. Absent: all receivers.
    package var receiver: String?

    /// Creates a request for energy reports.
    package init(days: Int? = nil, receiver: String? = nil) {
        (self.days, self.receiver) = (days, receiver)
    }
}

/// The reply to `io.sextant.Manager.GetPower`.
package struct GetPowerReply: Codable, Sendable, Equatable {
    /// The report for the time since the daemon started.
    package var start: EnergyReportMessage
    /// One report per day, newest first.
    package var days: [EnergyReportMessage]
    /// The source of the power figures for each receiver.
    package var estimates: [EstimateMessage]

    /// Creates a reply with energy reports.
    package init(start: EnergyReportMessage, days: [EnergyReportMessage], estimates: [EstimateMessage]) {
        self.start = start
        self.days = days
        self.estimates = estimates
    }
}

/// The reply to `io.sextant.Manager.GetConsumers`.
package struct GetConsumersReply: Codable, Sendable, Equatable {
    /// The active requests.
    package var consumers: [ConsumerMessage]
    /// The current activity of each receiver.
    package var activities: [ReceiverActivityMessage]
    /// Whether the configuration allows receivers to sleep.
    package var allowsSleep: Bool
    /// The declared sessions.
    package var sessions: [DeclaredSessionMessage]?
    /// The leases.
    package var leases: [LeaseMessage]?

    /// Creates a reply with the active requests and the activity of the receivers.
    package init(consumers: [ConsumerMessage], activities: [ReceiverActivityMessage], allowsSleep: Bool) {
        self.consumers = consumers
        self.activities = activities
        self.allowsSleep = allowsSleep
    }
}

/// The error `io.sextant.Manager.TooManyConnections`.
package struct TooManyConnectionsError: Codable, Sendable, Equatable {
    /// The error's full name.
    package static let name = Interface.manager.name(of: "TooManyConnections")
    /// The maximum number of connections.
    package var limit: Int
    /// What the limit applies to. Absent in replies of earlier versions.
    package var scope: LimitScope?

    /// Creates the error for a limit.
    package init(limit: Int, scope: LimitScope) { (self.limit, self.scope) = (limit, scope) }

    /// The error in the form of a reply.
    package var reply: VarlinkError {
        VarlinkError(
            name: TooManyConnectionsError.name,
            parameters: ["limit": .int(Int64(limit)), "scope": scope.map { .string($0.rawValue) } ?? .null])
    }
}

/// The error `io.sextant.Manager.TooManyNewConnections`.
package struct TooManyNewConnectionsError: Codable, Sendable, Equatable {
    /// The error's full name.
    package static let name = Interface.manager.name(of: "TooManyNewConnections")
    /// The maximum number of new connections of one user per second.
    package var limit: Int

    /// Creates the error for a limit.
    package init(limit: Int) { self.limit = limit }

    /// The error in the form of a reply.
    package var reply: VarlinkError {
        VarlinkError(name: TooManyNewConnectionsError.name, parameters: ["limit": .int(Int64(limit))])
    }
}

/// The error `io.sextant.Manager.InvalidConfiguration`: the daemon cannot start.
package struct InvalidConfigurationError: Codable, Sendable, Equatable {
    /// The error's full name.
    package static let name = Interface.manager.name(of: "InvalidConfiguration")
    /// The path of the invalid file.
    package var file: String
    /// The line number, from 1. Absent if the file as a whole cannot be read.
    package var line: Int?
    /// The dotted key: "service.socket". Absent if the text is not valid TOML.
    package var key: String?
    /// What is wrong, and the valid values.
    package var reason: String

    /// Creates the error of a file.
    package init(file: String, line: Int?, key: String?, reason: String) {
        self.file = file
        self.line = line
        self.key = key
        self.reason = reason
    }

    /// The error in the form of a reply.
    package var reply: VarlinkError {
        var parameters: [String: JSONValue] = ["file": .string(file), "reason": .string(reason)]
        parameters["line"] = line.map { .int(Int64($0)) }
        parameters["key"] = key.map { .string($0) }
        return VarlinkError(name: InvalidConfigurationError.name, parameters: parameters)
    }
}

/// The error `io.sextant.Manager.Internal`: a reply of the daemon cannot be encoded. This is a bug
/// in the daemon.
package enum InternalError {
    /// The error in the form of a reply.
    package static let reply = VarlinkError(name: Interface.manager.name(of: "Internal"))
}
