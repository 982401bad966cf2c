import Chronology
import SystemCalls

extension Reporter {
    /// What is reported to a server.
    package struct Options {
        /// The server.
        package var destination: Destination
        /// The name of the user, and of the account at the server.
        package var user: String
        /// The name of the device.
        package var device: String
        /// The maximum error of the track in metres.
        package var tolerance: Double
        /// What the server does not get.
        package var filter = ReportFilter()
        /// The time for which positions wait for a batch; nil: none waits.
        package var batchInterval: Instant.Span?
        /// The time after which a message is sent without need; nil: the default.
        package var keepalive: Instant.Span?
        /// The keys of the service; nil: none.
        package var credentials: Credentials?
        /// Whether commands of a broker are received.
        package var receivesCommands = true
        /// Whether Home Assistant gets messages of its own.
        package var hasHomeAssistant = true
        /// Whether Traccar gets its JSON form instead of that of OsmAnd.
        package var sendsTraccarJSON = false
        /// The time over which the first attempts after an outage are spread.
        package var firstRetry = RetryDelay.first
        /// The time until the first attempt; nil: random after the start of the device, else none.
        package var connectDelay: Instant.Span?
        /// Returns UTC; nil if it is not known.
        package var time: () -> UTCTime? = { HostClock.isSet ? HostClock.utc : nil }

        /// Creates options with the defaults of the program.
        package init(
            destination: Destination, user: String, device: String, tolerance: Double,
            filter: ReportFilter = ReportFilter()
        ) {
            self.destination = destination
            self.user = user
            self.device = device
            self.tolerance = tolerance
            self.filter = filter
        }

        /// The keepalive to use: with batches, a connection is silent for their interval anyway.
        package var effectiveKeepalive: Instant.Span {
            keepalive ?? max(Reporter.defaultKeepalive, batchInterval ?? .zero)
        }
    }

    /// Networks forget a connection without messages for longer.
    package static let defaultKeepalive = Instant.Span.seconds(300)
}
