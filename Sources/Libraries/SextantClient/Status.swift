/// The state of the daemon.
public struct Status: Codable, Hashable, Sendable {
    /// Version of the daemon.
    public var version: String
    /// Process ID of the daemon.
    public var pid: Int
    /// Seconds since the daemon started.
    public var uptime: Double
    /// Path of the socket.
    public var socket: String
    /// State directory; nil: the daemon stores no state.
    public var stateDirectory: String?
    /// Configuration files that were read, in order.
    public var configuration: [String]
    /// Number of open connections, including the one of this call.
    public var connections: Int
    /// Number of streams of locations.
    public var streams: Int
    /// Number of known receivers.
    public var receivers: Int
    /// Number of receivers that have a fix now.
    public var receiversWithFix: Int
    /// Number of updates sent to streams. This and the counts below are nil for a program that may
    /// not know the full location: they would reveal whether the device moves.
    public var updatesSent: Int?
    /// Number of updates replaced before they were sent.
    public var updatesDropped: Int?
    /// Number of times the process woke since it started.
    public var wakeups: Int?
    /// Mean number of wakeups per fix. Nil before the first fix.
    public var wakeupsPerFix: Double?
    /// Mean number of wakeups per minute. Nil in the first minute.
    public var wakeupsPerMinute: Double?
    /// Since when the device is stationary.
    public var restingSince: UTCTime?
    /// Whether location is switched on. Nil while that cannot be read.
    public var enabled: Bool?
    /// The state on disk.
    public var state: StoredState?
    /// Whether the daemon uses receivers that no configuration names.
    public var discovers: Bool?
    /// What the daemon can do beside its interfaces.
    public var features: [String]?
    /// One sentence about the present activity of the daemon.
    public var summary: String
}

/// The state of the daemon on disk.
public struct StoredState: Codable, Hashable, Sendable {
    /// Free space for the daemon in bytes; nil: unknown.
    public var freeBytes: Int?
    /// Why the state cannot be read or written; nil if it can.
    public var problem: Problem?
    /// Whether no program gets the location, because the permissions cannot be read.
    public var permissionsUnreadable: Bool?
    /// The newest damaged database that was replaced and not deleted since; nil if there is none.
    public var replaced: ReplacedDatabase?

    /// The kind of a problem.
    public struct Cause: OpenEnumeration {
        /// The value on the socket.
        public let rawValue: String
        /// Creates a value, which need not be one of ``allCases``.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file system, a quota or the size limit is full.
        public static let full = Self(rawValue: "full")
        /// The file, its directory or its file system cannot be read or written.
        public static let unwritable = Self(rawValue: "unwritable")
        /// The device failed to read or write.
        public static let device = Self(rawValue: "device")
        /// Another process has the database open.
        public static let busy = Self(rawValue: "busy")
        /// The contents of the database are damaged.
        public static let damaged = Self(rawValue: "damaged")
        /// A newer version of the daemon wrote the database.
        public static let newer = Self(rawValue: "newer")
        /// Another error.
        public static let refused = Self(rawValue: "refused")
        /// Other users could replace files in the state directory.
        public static let exposed = Self(rawValue: "exposed")
        /// The values that this library knows.
        public static let allCases: [Self] = [full, unwritable, device, busy, damaged, newer, refused, exposed]
    }

    /// Why the state cannot be read or written.
    public struct Problem: Codable, Hashable, Sendable {
        /// The kind of problem.
        public var cause: Cause
        /// The failed action and its reason, as text.
        public var reason: String
        /// How to fix it, as text.
        public var remedy: String
    }

    /// A damaged database that was replaced by an empty one.
    public struct ReplacedDatabase: Codable, Hashable, Sendable {
        /// Where it is now.
        public var path: String
        /// When it was renamed, by the host's clock.
        public var date: UTCTime
    }
}

/// The active requests of all programs and what the receivers do for them.
public struct Consumers: Codable, Hashable, Sendable {
    /// The active requests.
    public var consumers: [Consumer]
    /// The activity of each receiver.
    public var activities: [ReceiverActivity]
    /// Whether the configuration allows receivers to sleep.
    public var allowsSleep: Bool
    /// The declared sessions.
    public var sessions: [DeclaredSession]?
    /// The leases.
    public var leases: [DeclaredLease]?

    /// A session that a program has declared.
    public struct DeclaredSession: Codable, Hashable, Sendable {
        /// The program: user ID and, for a service, a colon and the service name.
        public var owner: String
        /// What it needs.
        public var requirement: ServiceSession.Requirement
        /// The purpose for which it needs full accuracy; not verified.
        public var purpose: String?
    }

    /// A program that counts as in use because of a lease.
    public struct DeclaredLease: Codable, Hashable, Sendable {
        /// The program: user ID and, for a service, a colon and the service name.
        public var owner: String
        /// Start of the lease by the host's clock.
        public var since: UTCTime
    }
}

/// A program with an active request.
public struct Consumer: Codable, Hashable, Sendable {
    /// Purpose of the request.
    public var purpose: Purpose
    /// The program: user ID and, for a service, a colon and the service name.
    public var owner: String?
    /// Name that the program gives itself; not verified.
    public var program: String?
    /// Process ID.
    public var pid: Int?
    /// User ID of the program.
    public var uid: Int
    /// Systemd unit of the program.
    public var unit: String?
    /// Name or port of the only receiver that the request uses; nil: the primary receiver.
    public var receiver: String?
    /// Required accuracy of a stream.
    public var desiredAccuracy: DesiredAccuracy?
    /// Interval in seconds between the fixes that the request needs.
    public var interval: Double?
    /// Minimum movement in metres.
    public var distanceFilter: Double?
    /// Whether the stream contains only significant changes of position.
    public var significantChange: Bool
    /// Whether the stream has no demand on receivers.
    public var passive: Bool
    /// Start of the request by the host's clock.
    public var since: UTCTime
    /// Age of the request in seconds.
    public var seconds: Double
    /// Whether a receiver is on for this request now.
    public var holds: Bool
    /// Whether the request gets no updates now because the device is stationary.
    public var silent: Bool
}

/// What a receiver does now.
public struct ReceiverActivity: Codable, Hashable, Sendable {
    /// Name of the receiver.
    public var receiver: String
    /// Its power state.
    public var state: PowerState
    /// Time in this state in seconds.
    public var seconds: Double
}

/// The energy use of the receivers.
public struct Power: Codable, Hashable, Sendable {
    /// The time since the daemon started.
    public var start: EnergyReport
    /// One report per day, newest first.
    public var days: [EnergyReport]
    /// One entry for each receiver in these reports.
    public var estimates: [Estimate]

    /// The source of the power figures for a receiver.
    public struct Estimate: Codable, Hashable, Sendable {
        /// Name of the receiver.
        public var receiver: String
        /// Detected chip; "generic" if unknown.
        public var chip: String
        /// The data sheet.
        public var source: String
    }
}

/// The energy used in a period.
public struct EnergyReport: Codable, Hashable, Sendable {
    /// UTC day by the host's clock, "2026-11-21"; nil: the time since the daemon started.
    public var day: String?
    /// Estimated energy in joules.
    public var joules: Double
    /// Estimated mean power of a receiver in milliwatts.
    public var milliwatts: Double?
    /// Seconds in the state ``PowerState/operation``.
    public var operation: Double
    /// Seconds in the state ``PowerState/saving``.
    public var saving: Double
    /// Seconds in the state ``PowerState/search``.
    public var search: Double
    /// Seconds in the state ``PowerState/standby``.
    public var standby: Double
    /// Seconds in the state ``PowerState/closed``.
    public var closed: Double
    /// Number of times the daemon woke; nil for one receiver.
    public var wakeups: Int?
    /// Energy consumers, largest first.
    public var consumers: [EnergyConsumer]
}

/// The energy used for one program and purpose.
public struct EnergyConsumer: Codable, Hashable, Sendable {
    /// Purpose of the requests.
    public var purpose: Purpose
    /// Name that the program gives itself; not verified.
    public var program: String?
    /// Systemd unit of the program.
    public var unit: String?
    /// User ID of the program.
    public var uid: Int?
    /// Estimated energy in joules.
    public var joules: Double
    /// Share of the total, 0 to 1.
    public var share: Double
}

/// The purpose of a request.
public struct Purpose: OpenEnumeration {
    /// The value on the socket.
    public let rawValue: String
    /// Creates a value, which need not be one of ``allCases``.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A stream with the configuration `default`.
    public static let `default` = Self(rawValue: "default")
    /// A stream with that configuration.
    public static let automotiveNavigation = Self(rawValue: "automotiveNavigation")
    /// A stream with that configuration.
    public static let otherNavigation = Self(rawValue: "otherNavigation")
    /// A stream with that configuration.
    public static let fitness = Self(rawValue: "fitness")
    /// A stream with that configuration.
    public static let airborne = Self(rawValue: "airborne")
    /// A single location.
    public static let oneShot = Self(rawValue: "oneShot")
    /// The heading.
    public static let heading = Self(rawValue: "heading")
    /// Monitors with watched conditions.
    public static let monitors = Self(rawValue: "monitors")
    /// Receiver status, which costs the receivers nothing.
    public static let receivers = Self(rawValue: "receivers")
    /// No request.
    public static let nobody = Self(rawValue: "nobody")
    /// Programs beyond those that are listed separately.
    public static let others = Self(rawValue: "others")
    /// The values that this library knows.
    public static let allCases: [Self] = [
        `default`, automotiveNavigation, otherNavigation, fitness, airborne, oneShot, heading, monitors, receivers,
        nobody,
        others,
    ]
}

/// The state of a receiver that determines its power.
public struct PowerState: OpenEnumeration {
    /// The value on the socket.
    public let rawValue: String
    /// Creates a value, which need not be one of ``allCases``.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It has a fix and runs continuously.
    public static let operation = Self(rawValue: "operation")
    /// It has a fix and saves power between fixes.
    public static let saving = Self(rawValue: "saving")
    /// It searches for satellites.
    public static let search = Self(rawValue: "search")
    /// It sleeps.
    public static let standby = Self(rawValue: "standby")
    /// Its port is closed.
    public static let closed = Self(rawValue: "closed")
    /// The values that this library knows.
    public static let allCases: [Self] = [operation, saving, search, standby, closed]
}
