import Chronology
import Fleet

extension Reporter {
    /// What is reported to a server.
    struct Options {
        /// The server.
        var destination: Destination
        /// The name of the user, and of the account at the server.
        var user: String
        /// The name of the device.
        var device: String
        /// The maximum error of the track in metres.
        var tolerance: Double
        /// What the server does not get.
        var filter = ReportFilter()
        /// The time for which positions wait for a batch; nil: none waits.
        var batchInterval: Instant.Span?
        /// The time after which a message is sent without need; nil: the default.
        var keepalive: Instant.Span?
        /// The keys of the service; nil: none.
        var credentials: Credentials?
        /// Whether commands of a broker are received.
        var receivesCommands = true
        /// Whether Home Assistant gets messages of its own.
        var hasHomeAssistant = true
        /// Whether Traccar gets its JSON form instead of that of OsmAnd.
        var sendsTraccarJSON = false
        /// The time over which the first attempts after an outage are spread.
        var firstRetry = RetryDelay.first
        /// The time until the first attempt; nil: random after the start of the device, else none.
        var connectDelay: Instant.Span?
        /// Returns UTC; nil if it is not known.
        var time: () -> UTCTime? = { HostClock.isSet ? HostClock.utc : nil }

        /// The keepalive to use: with batches, a connection is silent for their interval anyway.
        var effectiveKeepalive: Instant.Span {
            keepalive ?? max(Reporter.defaultKeepalive, batchInterval ?? .zero)
        }
    }

    /// Networks forget a connection without messages for longer.
    static let defaultKeepalive = Instant.Span.seconds(300)
}
