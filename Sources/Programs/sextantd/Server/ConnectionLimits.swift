import Permission
import SextantAPI

/// The open connections of each program and each user, and their maximum numbers.
///
/// Only the total applies to the administrator (user 0).
struct ConnectionLimits {
    private var maxPerProgram: Int
    private var maxPerUser: Int
    private var maxTotal: Int
    private var perProgram: [ProgramID: Int] = [:]
    private var perUser: [UInt32: Int] = [:]
    private var total = 0

    init(_ settings: Settings) {
        maxPerProgram = settings.maxConnectionsPerProgram
        maxPerUser = settings.maxConnectionsPerUser
        maxTotal = settings.maxConnections
    }

    /// Applies the maximum numbers of settings. Connections that are open stay open.
    mutating func apply(_ settings: Settings) {
        maxPerProgram = settings.maxConnectionsPerProgram
        maxPerUser = settings.maxConnectionsPerUser
        maxTotal = settings.maxConnections
    }

    /// Returns the limit that one more connection of a user would exceed, whatever its program.
    func exceeded(by user: UInt32) -> ExceededConnections? {
        if total >= maxTotal { return ExceededConnections(limit: maxTotal, scope: .all) }
        guard user != 0, perUser[user, default: 0] >= maxPerUser else { return nil }
        return ExceededConnections(limit: maxPerUser, scope: .user)
    }

    /// Returns the limit that one more connection of a program would exceed.
    func exceeded(by program: ProgramID) -> ExceededConnections? {
        if let error = exceeded(by: program.user) { return error }
        guard program.user != 0, perProgram[program, default: 0] >= maxPerProgram else { return nil }
        return ExceededConnections(limit: maxPerProgram, scope: .program)
    }

    /// Counts a new connection.
    mutating func add(_ program: ProgramID) {
        total += 1
        perUser[program.user, default: 0] += 1
        perProgram[program, default: 0] += 1
    }

    /// Counts the end of a connection.
    mutating func remove(_ program: ProgramID) {
        total -= 1
        perUser[program.user] = perUser[program.user].flatMap { $0 > 1 ? $0 - 1 : nil }
        perProgram[program] = perProgram[program].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
}

/// A limit that one more connection would exceed.
struct ExceededConnections {
    /// The maximum number of connections.
    var limit: Int
    /// What the limit applies to.
    var scope: LimitScope

    /// The setting of the limit.
    var setting: String {
        switch scope {
        case .program: "max_connections_per_program"
        case .user: "max_connections_per_user"
        case .all, .unknown: "max_connections"
        }
    }
}
