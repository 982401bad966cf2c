import Chronology
import Geodesy
import SextantAPI

/// Decides when the time zone of the machine becomes that of the place: after ten minutes in
/// another zone, 20 km from its border, as far as the data knows it.
///
/// A zone that somebody else has set stays, unless it is that of the place. A reduced location
/// never changes the zone. A value type: its inputs are events with their instants, its outputs
/// are ``Action``s.
package struct ZoneFollower: Sendable {
    /// What the owner does.
    package enum Action: Equatable, Sendable {
        /// Look up the zones of these positions, then call ``found(_:at:)`` or ``failed(at:)``.
        case lookUp([Coordinate])
        /// Read the zone of the machine, then call ``present(_:)`` or ``failed(at:)``.
        case readPresent
        /// Set the zone of the machine, then call ``wasSet()`` or ``failed(at:)``.
        case set(String)
        /// Keep these zones over restarts: the one of the machine, and the one that is being set.
        case keep([String])
        /// Log that this zone was set.
        case reportSet(String)
        /// Log that somebody else has set this zone, and how the bridge follows again.
        case reportOverride(String)
    }

    /// How long the device must have been in the zone, unless told otherwise.
    package static let stableTime = Instant.Span.seconds(600)
    /// The distances in metres at which the zone must be the same, and the number of directions:
    /// two of them are at most 8 km apart.
    private static let rings = [(distance: 10_000.0, count: 8), (distance: 20_000, count: 16)]
    /// The worst accuracy of a location in metres that is used.
    private static let maxAccuracy = 5_000.0
    /// The time after a failure until the next attempt; it doubles with each.
    private static let (firstPause, maxPause) = (Instant.Span.seconds(60), Instant.Span.seconds(3600))

    private let stableTime: Instant.Span
    /// The zone that was set last, by this program or before its first start, and the one that is
    /// being set. The machine may have either.
    private var followed: [String]
    private var place: Coordinate?
    private var accuracy = 0.0
    private var candidate: (zone: String, since: Instant)?
    /// When the zone of the place is surveyed; nil: not before the next location.
    package private(set) var deadline: Instant?
    private var isSurveying = false
    /// Whether the zone of the machine is being read or set after a survey.
    private var isSetting = false
    private var backoff = ExponentialBackoff()
    /// Whether somebody else has set the zone.
    package private(set) var isOverridden = false
    private var actions: [Action]

    /// Creates the value.
    ///
    /// - Parameter kept: The zones that ``Action/keep(_:)`` kept; empty at the first start.
    package init(kept: [String], stableTime: Instant.Span = ZoneFollower.stableTime) {
        followed = kept
        actions = kept.isEmpty ? [.readPresent] : []
        self.stableTime = stableTime
    }

    /// Returns what is to be done, once.
    package mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    /// Takes the zone of the machine.
    package mutating func present(_ zone: String) {
        let isDue = isSetting
        isSetting = false
        guard followed.isEmpty || followed.contains(zone) || zone == candidate?.zone else {
            isOverridden = true
            forget()
            return actions.append(.reportOverride(zone))
        }
        if zone == candidate?.zone { endCandidate() }
        let next = isDue ? candidate?.zone : nil
        let zones = [zone] + (next.map { [$0] } ?? [])
        if zones != followed {
            followed = zones
            actions.append(.keep(zones))
        }
        guard let next else { return }
        isSetting = true
        actions.append(.set(next))
    }

    /// Takes an update of the stream of locations. A denial ends what has begun, also without a
    /// location.
    package mutating func update(_ reply: SubscribeReply) {
        guard reply.permission.isDisjoint(with: .blocking.union(.accuracyLimited)) else { return forget() }
        guard let location = reply.location, location.simulationReason == nil,
            let point = Coordinate(latitude: location.latitude, longitude: location.longitude)
        else { return }
        update(point, accuracy: location.horizontalAccuracy, isReduced: location.accuracySource == .reduced)
    }

    /// Takes a location, with its accuracy in metres.
    package mutating func update(_ point: Coordinate, accuracy: Double, isReduced: Bool) {
        guard !isOverridden else { return }
        guard !isReduced, accuracy <= ZoneFollower.maxAccuracy else { return forget() }
        (place, self.accuracy) = (point, accuracy)
        isSurveying = false
        backoff.reset()
        actions.append(.lookUp([point]))
    }

    private mutating func forget() {
        place = nil
        isSurveying = false
        endCandidate()
    }

    private mutating func endCandidate() {
        candidate = nil
        deadline = nil
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
        guard place != nil, !isSetting, let first = zones.first else { return }
        let isSurvey = isSurveying
        isSurveying = false
        guard let zone = first, !ZoneFollower.isNautical(zone), followed != [zone] else { return endCandidate() }
        guard let candidate, candidate.zone == zone else {
            candidate = (zone, now)
            deadline = now + stableTime
            return
        }
        // The survey that was due may have failed, or ended with another location.
        guard isSurvey else { return deadline = deadline ?? max(now, candidate.since + stableTime) }
        // The sea has no border that matters.
        let isClear = zones.allSatisfy { $0 == nil || $0 == zone || ZoneFollower.isNautical($0 ?? "") }
        // Only another place changes that.
        guard isClear else { return endCandidate() }
        isSetting = true
        actions.append(.readPresent)
    }

    /// Takes the end of a successful attempt to set the zone.
    package mutating func wasSet() {
        guard isSetting, let zone = followed.last else { return }
        isSetting = false
        followed = [zone]
        endCandidate()
        actions += [.keep(followed), .reportSet(zone)]
        // Another location may have come meanwhile.
        if let place { actions.append(.lookUp([place])) }
    }

    /// Takes the failure of what was to be done: it is repeated without another location, after a
    /// minute and then after twice as long each time, up to an hour.
    package mutating func failed(at now: Instant) {
        isSurveying = false
        isSetting = false
        guard place != nil else { return }
        deadline = now + backoff.next(from: ZoneFollower.firstPause, max: ZoneFollower.maxPause)
    }

    /// `Etc/GMT+3` and the like, which the data has for positions at sea.
    private static func isNautical(_ zone: String) -> Bool { zone.hasPrefix("Etc/") }
}
