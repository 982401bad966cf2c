import Chronology

/// What is known about the device when a message is made.
package struct DeviceState: Sendable, Equatable {
    /// When the device reports positions, with the numbers of OwnTracks' member `m`.
    package enum MonitoringMode: Int64, Sendable {
        /// Seldom, after significant changes.
        case significant = 1
        /// Continuously while it moves.
        case move = 2
    }

    /// The time up to which a position is a present one.
    package static let maxDelay = Instant.Span.seconds(60)

    /// UTC of the host; nil if its clock is not set.
    package var time: UTCTime?
    /// The battery; nil if the device has none.
    package var battery: Battery?
    /// The network; nil if it is a cable, or not known.
    package var network: NetworkKind?
    /// The fences whose entry was reported, and whose exit was not.
    package var fences: [FenceName]
    /// When the device reports positions; nil if it is not stated.
    package var mode: MonitoringMode?

    /// Creates a state.
    package init(
        time: UTCTime? = nil, battery: Battery? = nil, network: NetworkKind? = nil, fences: [FenceName] = [],
        mode: MonitoringMode? = nil
    ) {
        self.time = time
        self.battery = battery
        self.network = network
        self.fences = fences
        self.mode = mode
    }

    /// Returns whether a position is a present one, so that the state is its state too.
    func isPresent(_ point: FleetPoint) -> Bool {
        guard let time else { return false }
        return time.span(since: point.time) <= DeviceState.maxDelay
            && point.time.span(since: time) <= DeviceState.maxDelay
    }

    /// The battery at the time of a position; nil if it is not known.
    func battery(at point: FleetPoint) -> Battery? { isPresent(point) ? battery : nil }
}

/// The name of a fence.
package struct FenceName: Sendable, Hashable {
    /// The monitor of the fence.
    package var monitor: String
    /// The identifier in the monitor.
    package var identifier: String

    /// Creates a name.
    package init(_ identifier: String, of monitor: String) { (self.identifier, self.monitor) = (identifier, monitor) }

    /// OwnTracks' `rid`.
    package var regionID: String { FenceHash.text(of: "\(monitor)/\(identifier)") }
}
