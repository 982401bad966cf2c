import Chronology
import Geodesy
import Geofencing
import Locator
import Positioning
import SQLite
import SextantAPI
import StateStore

/// Combines the stored data of conditions with their current states and distances in the core.
struct ConditionReporter {
    /// The age from which a position no longer counts as current. While stationary, check fixes are
    /// five minutes apart.
    private static let maxPositionAge = Instant.Span.seconds(330)

    /// A current position.
    private struct Position {
        var coordinate: Coordinate
        /// The R68 in metres.
        var radius: Double
        var message: PlaceMessage
    }

    private let context: ServiceContext
    private let registry: MonitorRegistry

    init(context: ServiceContext, registry: MonitorRegistry) {
        self.context = context
        self.registry = registry
    }

    /// Returns the complete record of a condition: its stored data and its current state.
    func message(of record: ConditionRecord, of key: MonitorKey, at now: Instant) -> RecordMessage {
        var message = RecordMessage(record)
        message.persistenceUnavailable = registry.database.trouble != nil
        if record.snapshot.state != .unmonitored, registry.monitored.exceedsLimit(record.ordinal, of: key.owner) {
            message.state = .unmonitored
            message.conditionLimitExceeded = true
            return message
        }
        let fences = context.locator.conditionEngine
        guard let state = context.locator.state(of: record.id) else { return message }
        if state != message.state {
            message.state = state
            message.since = nil
        }
        if let seen = context.locator.lastEvaluation(of: record.id) {
            message.evaluated = HostTime.now.advanced(by: seen - now).description
        }
        guard let position = position(at: now) else { return message }
        if let near = fences.distance(of: record.id, to: position.coordinate) {
            message.distance = near.margin
        }
        message.radiusTooSmall =
            record.added.condition.shape?.isTooSmall(forAccuracy: position.radius) ?? false
        return message
    }

    /// Returns the conditions nearest to the current position. The cost depends on the conditions
    /// of this owner only.
    ///
    /// - Parameter name: The name of the monitor; `nil` for all monitors of the owner.
    func neighbours(
        of key: MonitorKey, named name: String?, count: Int, at now: Instant
    ) throws(MonitorError) -> NearestReply {
        if name != nil { _ = try registry.existing(key, at: now) }
        guard let position = position(at: now) else { return NearestReply(neighbours: []) }
        let neighbours = try MonitorReader(registry).nearest(of: key, named: name, at: now) { ids in
            context.locator.conditionEngine.nearest(to: position.coordinate, among: ids, count: count)
        }
        return NearestReply(location: position.message, neighbours: neighbours)
    }

    private func position(at now: Instant) -> Position? {
        guard let last = context.locator.position(at: now), now - last.at <= ConditionReporter.maxPositionAge else {
            return nil
        }
        let fix = last.location.fix
        guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy,
            let message = PlaceMessage(fix, receiver: last.location.receiver)
        else { return nil }
        return Position(coordinate: coordinate, radius: radius, message: message)
    }
}

extension Double {
    /// Rounds to multiples of 1/`parts`.
    fileprivate func rounded(to parts: Double) -> Double { (self * parts).rounded() / parts }
}
