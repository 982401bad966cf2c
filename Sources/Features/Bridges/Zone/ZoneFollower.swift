import Chronology
import Geodesy

/// Decides when the time zone of the machine becomes that of the place: after ten minutes in
/// another zone, 20 km from its border, as far as the data knows it.
///
/// A zone that somebody else has set stays. A reduced location never changes the zone. A value
/// type: its inputs are events with their instants, its outputs are ``Action``s.
package struct ZoneFollower: Sendable {
    /// What the owner does.
    package enum Action: Equatable, Sendable {
        /// Look up the zones of these positions, then call ``found(_:at:)``.
        case lookUp([Coordinate])
        /// Read the zone of the machine, then call ``present(_:)``.
        case readPresent
        /// Set the zone of the machine, then call ``setEnded(_:)``.
        case set(String)
        /// Keep the zone that was set last, over restarts.
        case keep(String)
        /// Log what happens.
        case state(String)
    }

    /// How long the device must have been in the zone, unless told otherwise.
    package static let stableTime = Instant.Span.seconds(600)
    /// The distances in metres at which the zone must be the same, and the number of directions:
    /// two of them are at most 8 km apart.
    private static let rings = [(distance: 10_000.0, count: 8), (distance: 20_000, count: 16)]
    /// The worst accuracy of a location in metres that is used.
    private static let maxAccuracy = 5_000.0

    private let stableTime: Instant.Span
    /// The zone that was set last, by this program or before its first start.
    private var followed: String?
    private var place: Coordinate?
    private var accuracy = 0.0
    private var candidate: String?
    /// When the zone of the candidate is surveyed; nil: not before the next location.
    package private(set) var deadline: Instant?
    private var isSurveying = false
    /// Whether somebody else has set the zone.
    package private(set) var isOverridden = false
    private var actions: [Action] = [.readPresent]

    /// Creates the value.
    ///
    /// - Parameter kept: The zone that ``Action/keep(_:)`` kept; nil at the first start.
    package init(kept: String?, stableTime: Instant.Span = ZoneFollower.stableTime) {
        followed = kept
        self.stableTime = stableTime
    }

    /// Returns what is to be done, once.
    package mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    /// Takes the zone of the machine.
    package mutating func present(_ zone: String) {
        if followed == nil {
            followed = zone
            actions.append(.keep(zone))
        }
        guard zone == followed else {
            isOverridden = true
            forget()
            actions.append(
                .state(
                    "the time zone was set to \(zone) by somebody else, and stays; to follow again: systemctl stop "
                        + "sextant-zone && systemctl clean --what=state sextant-zone && systemctl start sextant-zone"))
            return
        }
        if let candidate { actions.append(.set(candidate)) }
    }

    /// Takes a location, with its accuracy in metres.
    package mutating func update(_ point: Coordinate, accuracy: Double, isReduced: Bool) {
        guard !isOverridden else { return }
        guard !isReduced, accuracy <= ZoneFollower.maxAccuracy else { return forget() }
        (place, self.accuracy) = (point, accuracy)
        isSurveying = false
        actions.append(.lookUp([point]))
    }

    private mutating func forget() {
        place = nil
        candidate = nil
        deadline = nil
        isSurveying = false
    }

    /// Surveys the surroundings if it is time.
    package mutating func tick(at now: Instant) {
        guard let deadline, now >= deadline, let place else { return }
        self.deadline = nil
        isSurveying = true
        let around = ZoneFollower.rings.flatMap { ring in
            (0..<ring.count).map { index in
                place.moved(by: ring.distance + accuracy, bearing: Double(index) * 360 / Double(ring.count))
            }
        }
        actions.append(.lookUp([place] + around))
    }

    /// Takes the zones of the positions that were looked up; nil for a position without a zone.
    package mutating func found(_ zones: [String?], at now: Instant) {
        guard place != nil, let first = zones.first else { return }
        guard let zone = first, !ZoneFollower.isNautical(zone), zone != followed else {
            candidate = nil
            deadline = nil
            return
        }
        guard isSurveying, zone == candidate else {
            if zone != candidate { deadline = now + stableTime }
            candidate = zone
            return
        }
        isSurveying = false
        // The sea has no border that matters.
        let isClear = zones.allSatisfy { $0 == nil || $0 == zone || ZoneFollower.isNautical($0 ?? "") }
        if isClear {
            actions.append(.readPresent)
        } else {
            // Only another place changes that.
            candidate = nil
        }
    }

    /// Takes the end of an attempt to set the zone; nil if it succeeded. The next location leads to
    /// the next attempt.
    package mutating func setEnded(_ failure: String?) {
        guard let zone = candidate else { return }
        candidate = nil
        if let failure {
            actions.append(.state("the time zone is not set to \(zone): \(failure)"))
        } else {
            followed = zone
            actions += [.keep(zone), .state("set the time zone to \(zone)")]
        }
    }

    /// `Etc/GMT+3` and the like, which the data has for positions at sea.
    private static func isNautical(_ zone: String) -> Bool { zone.hasPrefix("Etc/") }
}
