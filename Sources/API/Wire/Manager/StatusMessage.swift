/// The type `Status` of `io.sextant.Manager`.
package struct StatusMessage: Codable, Sendable, Equatable {
    /// The version of the daemon.
    package var version: String
    /// The process ID of the daemon.
    package var pid: Int
    /// The time since the daemon started in seconds.
    package var uptime: Double
    /// The path of the socket.
    package var socket: String
    /// The state directory. Absent: the daemon stores no state.
    package var stateDirectory: String?
    /// The configuration files that were read, in order.
    package var configuration: [String]
    /// The number of open connections, including this one.
    package var connections: Int
    /// The number of streams of io.sextant.Location.Subscribe.
    package var streams: Int
    /// The number of known receivers. ``receiversWithFix`` counts those with a fix now.
    package var receivers: Int
    /// See ``receivers``.
    package var receiversWithFix: Int
    /// The number of updates sent to streams. ``updatesDropped`` counts those replaced before they
    /// were sent. Both and the wakeups are absent for a program that may not know them.
    package var updatesSent: Int?
    /// See ``updatesSent``.
    package var updatesDropped: Int?
    /// The number of times the process woke since it started.
    package var wakeups: Int?
    /// The mean number of wakeups per fix since the start. Absent before the first fix.
    package var wakeupsPerFix: Double?
    /// The mean number of wakeups per minute since the start. Absent in the first minute.
    package var wakeupsPerMinute: Double?
    /// UTC at which the device became stationary. Absent while it moves or while no stream needs to
    /// know.
    package var restingSince: String?
    /// Whether location is switched on. Absent in replies of a daemon without permissions, and
    /// while that cannot be read.
    package var enabled: Bool?
    /// Whether receivers are used that the configuration does not name. Absent in replies of
    /// earlier versions.
    package var discovers: Bool?
    /// The state on disk. Absent in replies of earlier versions.
    package var state: StateMessage?
    /// What this daemon can do beside its interfaces. Absent in replies of a daemon without
    /// permissions.
    package var features: [String]?
    /// One sentence about the current activity of the daemon.
    package var summary: String

    /// Creates a status with the identity of the daemon and with all counts at zero or
    /// absent.
    package init(version: String, pid: Int, uptime: Double, socket: String, summary: String) {
        self.version = version
        self.pid = pid
        self.uptime = WireRounding.thousandths(uptime)
        self.socket = socket
        self.summary = summary
        configuration = []
        connections = 0
        streams = 0
        receivers = 0
        receiversWithFix = 0
    }
}
