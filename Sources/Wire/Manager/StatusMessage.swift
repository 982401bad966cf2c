/// `io.sextant.Manager`, type `Status`.
public struct StatusMessage: Codable, Sendable, Equatable {
    /// Version of the daemon.
    public var version: String
    /// Its process.
    public var pid: Int
    /// Seconds since it started.
    public var uptime: Double
    /// Where clients connect.
    public var socket: String
    /// Where it keeps its state; absent: it keeps none.
    public var stateDirectory: String?
    /// Configuration files read, in order.
    public var configuration: [String]
    /// Open connections, this one counted.
    public var connections: Int
    /// Streams of io.sextant.Location.Subscribe.
    public var streams: Int
    /// Receivers known, and those that have a fix now.
    public var receivers: Int
    /// See ``receivers``.
    public var receiversFixing: Int
    /// Updates sent to streams, and updates replaced before they could be sent.
    public var updatesSent: Int
    /// See ``updatesSent``.
    public var updatesDropped: Int
    /// Times the process woke, since it started.
    public var wakeups: Int
    /// Wakeups for each fix, over the time since it started. Absent before the first fix.
    public var wakeupsPerFix: Double?
    /// Wakeups in a minute, over the time since it started. Absent in its first minute.
    public var wakeupsPerMinute: Double?
    /// UTC since when the device is known to rest; absent: it moves, or nobody needs to know.
    public var restingSince: String?
    /// One sentence: what it is doing.
    public var summary: String

    /// A status with the daemon's identity; its numbers start at zero.
    public init(version: String, pid: Int, uptime: Double, socket: String, summary: String) {
        self.version = version
        self.pid = pid
        self.uptime = Rounded.fine(uptime)
        self.socket = socket
        self.summary = summary
        configuration = []
        (connections, streams, receivers, receiversFixing) = (0, 0, 0, 0)
        (updatesSent, updatesDropped, wakeups) = (0, 0, 0)
    }
}

/// The reply to `io.sextant.Manager.GetStatus`.
public struct GetStatusReply: Codable, Sendable, Equatable {
    /// What the daemon is doing.
    public var status: StatusMessage

    /// A status.
    public init(status: StatusMessage) {
        self.status = status
    }
}

/// The error `io.sextant.Manager.TooManyConnections`.
public struct TooManyConnectionsError: Codable, Sendable, Equatable {
    /// Its full name.
    public static let name = "io.sextant.Manager.TooManyConnections"
    /// How many are allowed, of one user or of all.
    public var limit: Int

    /// The error about that limit.
    public init(limit: Int) { self.limit = limit }
}
