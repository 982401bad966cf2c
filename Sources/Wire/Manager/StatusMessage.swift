/// `io.sextant.Manager`, type `Status`.
public struct StatusMessage: Codable, Sendable, Equatable {
    public var version: String
    public var pid: Int
    public var uptime: Double
    public var socket: String
    public var stateDirectory: String?
    public var configuration: [String]
    public var connections: Int
    public var streams: Int
    public var receivers: Int
    public var receiversFixing: Int
    public var updatesSent: Int
    public var updatesDropped: Int
    public var wakeups: Int
    public var wakeupsPerFix: Double?
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
    public var status: StatusMessage

    /// A status.
    public init(status: StatusMessage) {
        self.status = status
    }
}
