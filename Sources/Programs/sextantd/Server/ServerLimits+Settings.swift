import ServiceRuntime
import SextantAPI
import Varlink

extension ServerLimits {
    init(_ settings: Settings) {
        self.init(
            connectionsPerProgram: settings.maxConnectionsPerProgram,
            connectionsPerUser: settings.maxConnectionsPerUser, connections: settings.maxConnections,
            // Clients that read need far less than this.
            newPerSecond: 100, heldBytesPerUser: 32 << 20, messageLength: MessageFramer.defaultLimit,
            exemptsAdministrator: true, actingUser: "sextant-places")
    }
}

extension ConnectionRefusal {
    var reply: VarlinkError {
        switch self {
        case .tooMany(let limit, let scope): ManagerError.tooManyConnections(limit: limit, scope: scope).reply
        case .tooFast(let limit): ManagerError.tooManyNewConnections(limit: limit).reply
        }
    }
}

extension ServerProblem {
    /// The setting that the problem is due to, as the end of a line of the log; empty if there is
    /// none.
    var remedy: String {
        guard case .refused(_, .tooMany(_, let scope)) = self else { return "" }
        return switch scope {
        case .program: "; see max_connections_per_program"
        case .user: "; see max_connections_per_user"
        case .all, .unknown: "; see max_connections"
        }
    }
}
