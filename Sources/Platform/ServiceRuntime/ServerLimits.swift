import Chronology
import Glibc
import SextantAPI
import SystemCalls

/// What a ``VarlinkServer`` allows its clients, which is where services differ.
package struct ServerLimits: Sendable, Equatable {
    /// The maximum number of connections of one program; nil for no limit.
    package var connectionsPerProgram: Int?
    package var connectionsPerUser: Int
    /// The maximum number of connections of all users.
    package var connections: Int
    /// The maximum number of new connections of one user per second on average, with a burst of
    /// twice as many; nil for no limit.
    package var newPerSecond: Int?
    /// The maximum number of bytes that are held for the connections of one user: calls that are
    /// not served, and replies that are not read.
    package var heldBytesPerUser: Int
    /// The maximum length of a received message in bytes.
    package var messageLength: Int
    /// The time after which a connection without a call is closed; nil: never.
    package var idleTime: Instant.Span?
    /// Whether only ``connections`` applies to the administrator (user 0).
    package var exemptsAdministrator: Bool
    /// The name of the user whose programs may act for other programs, as those of the
    /// administrator and of the service's own user then may; nil if nobody may.
    package var actingUser: String?

    package init(
        connectionsPerProgram: Int? = nil, connectionsPerUser: Int, connections: Int, newPerSecond: Int? = nil,
        heldBytesPerUser: Int, messageLength: Int, idleTime: Instant.Span? = nil, exemptsAdministrator: Bool = false,
        actingUser: String? = nil
    ) {
        self.connectionsPerProgram = connectionsPerProgram
        self.connectionsPerUser = connectionsPerUser
        self.connections = connections
        self.newPerSecond = newPerSecond
        self.heldBytesPerUser = heldBytesPerUser
        self.messageLength = messageLength
        self.idleTime = idleTime
        self.exemptsAdministrator = exemptsAdministrator
        self.actingUser = actingUser
    }
}

/// Why a connection is refused.
package enum ConnectionRefusal: Error, Hashable, Sendable {
    /// There would be more than `limit` at once.
    case tooMany(limit: Int, scope: LimitScope)
    /// The user has opened more than `limit` per second.
    case tooFast(limit: Int)
}

/// What went wrong with a connection. The same problem can be that of many.
package enum ServerProblem: Hashable, Sendable, CustomStringConvertible {
    /// A connection of a user was refused.
    case refused(user: UInt32, ConnectionRefusal)
    /// A connection of a user was closed, because `limit` bytes are held for that user.
    case heldTooMuch(user: UInt32, limit: Int)
    /// A connection cannot be accepted or served.
    case failed(SystemError)

    /// The user whose connection it is; nil if it is unknown.
    package var user: UInt32? {
        switch self {
        case .refused(let user, _), .heldTooMuch(let user, _): user
        case .failed: nil
        }
    }

    /// The reason for the log.
    package var description: String {
        switch self {
        case .refused(let user, .tooMany(let limit, _)):
            "refused a connection of user \(user): limit of \(limit) connections reached"
        case .refused(let user, .tooFast(let limit)):
            "refused a connection of user \(user): more than \(limit) new connections per second"
        case .heldTooMuch(let user, let limit):
            """
            closed a connection of user \(user): its connections hold more than \(limit) bytes that it has not read, \
            or that wait to be served
            """
        case .failed(let error):
            "cannot accept a client: \(error)\(error.code == EMFILE ? "; raise LimitNOFILE= of the service" : "")"
        }
    }
}

/// What is counted against ``ServerLimits``: connections of each program and each user, the rate of
/// new ones, and the bytes that are held for them.
struct ConnectionCounts<Program: Hashable> {
    var limits: ServerLimits
    private var perProgram: [Program: Int] = [:]
    private var perUser: [UInt32: Int] = [:]
    private var total = 0
    private var rates: [UInt32: RateLimit] = [:]
    private var held: [UInt32: Int] = [:]
    private lazy var actingID: UInt32? = limits.actingUser.flatMap { LocalUser.id(named: $0) }

    init(_ limits: ServerLimits) { self.limits = limits }

    private func isExempt(_ user: UInt32) -> Bool { user == 0 && limits.exemptsAdministrator }

    /// Returns whether programs of a user may act for others.
    mutating func mayAct(_ user: UInt32) -> Bool {
        limits.actingUser != nil && (user == 0 || user == geteuid() || user == actingID)
    }

    /// Returns the limit that one more connection of a user would exceed, whatever its program.
    func exceeded(by user: UInt32) -> ConnectionRefusal? {
        if total >= limits.connections { return .tooMany(limit: limits.connections, scope: .all) }
        guard !isExempt(user), perUser[user, default: 0] >= limits.connectionsPerUser else { return nil }
        return .tooMany(limit: limits.connectionsPerUser, scope: .user)
    }

    /// Returns the limit that one more connection of a user's program would exceed.
    func exceeded(by program: Program, of user: UInt32) -> ConnectionRefusal? {
        if let refusal = exceeded(by: user) { return refusal }
        guard let limit = limits.connectionsPerProgram, !isExempt(user), perProgram[program, default: 0] >= limit else {
            return nil
        }
        return .tooMany(limit: limit, scope: .program)
    }

    /// Counts a new connection of a user against the rate, and returns whether it is within the
    /// limit. Only connections that the other limits allow count.
    mutating func admits(_ user: UInt32, at now: Instant) -> Bool {
        // The connections of the acting user count for the users for whom it acts.
        guard let perSecond = limits.newPerSecond, !isExempt(user), user != actingID else { return true }
        if let isAdmitted = rates[user]?.admits(at: now) { return isAdmitted }
        // Users who may have a whole burst need no entry.
        rates = rates.filter { !$0.value.isUnused(at: now) }
        var rate = RateLimit(perSecond: perSecond, burst: 2 * perSecond)
        let isAdmitted = rate.admits(at: now)
        rates[user] = rate
        return isAdmitted
    }

    mutating func add(_ program: Program, of user: UInt32) {
        total += 1
        perUser[user, default: 0] += 1
        perProgram[program, default: 0] += 1
    }

    mutating func remove(_ program: Program, of user: UInt32) {
        total -= 1
        perUser[user] = perUser[user].flatMap { $0 > 1 ? $0 - 1 : nil }
        perProgram[program] = perProgram[program].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    func heldBytes(of user: UInt32) -> Int { held[user] ?? 0 }

    /// Returns whether more than half of the bytes that may be held for a user are held.
    func holdsMuch(for user: UInt32) -> Bool { !isExempt(user) && heldBytes(of: user) >= limits.heldBytesPerUser / 2 }

    /// Records that the bytes held for one of a user's connections have changed.
    ///
    /// - Returns: Whether the user is within the limit.
    mutating func changeHeldBytes(of user: UInt32, from old: Int, to new: Int) -> Bool {
        let sum = max(0, heldBytes(of: user) - old + new)
        held[user] = sum == 0 ? nil : sum
        return isExempt(user) || sum <= limits.heldBytesPerUser || new <= old
    }
}
