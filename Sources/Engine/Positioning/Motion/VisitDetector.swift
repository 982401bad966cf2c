import Chronology
import Geodesy

/// Detects visits to places: an online version of Li's stay points (Q. Li et al., "Mining user
/// similarity based on location history", 2008).
///
/// A place is a circle. A device visits it if it becomes stationary in it and does not leave it for
/// the minimum time. Movement within the circle, loss of satellites and a sleeping receiver do not
/// end a visit. Like Core Location's `CLVisit`, an arrival is published when it is certain, and the
/// departure later.
public struct VisitDetector: Sendable {
    /// The minimum duration of a visit.
    public static let minDuration = Instant.Span.seconds(300)
    /// The radius of a place in metres, before the error of a fix: a building and its grounds.
    public static let placeRadius = 50.0
    /// The time with positions outside that confirms a departure.
    private static let departureTime = Instant.Span.seconds(30)
    /// The number of positions outside that confirm a departure.
    private static let departureCount = 2
    /// Metres. A position with a larger radius is ignored.
    private static let maxRadius = 100.0
    private static let minInterval = Instant.Span.seconds(5)

    private var stay: StayEstimate?
    private var hasArrived = false
    private var candidateDeparture: (first: StayEstimate, last: Instant, count: Int)?
    private var lastProcessed: Instant?

    /// Creates a detector without any data.
    public init() {}

    /// Creates a detector for a stationary device: the visit begins no later than the stationary
    /// period.
    ///
    /// - Parameter began: The receiver's time at ``StationaryPlace/since``; nil if no date was
    ///   known.
    public init(resting place: StationaryPlace, began: UTCTime?) {
        stay = StayEstimate(
            at: place.coordinate, radius: place.horizontalAccuracy, moment: Stay.Moment(at: place.since, time: began),
            state: .stationary)
    }

    /// Continues a visit that was open when an earlier detector ended. The next positions confirm
    /// it, or end it with a departure at an unknown time. Nil if the device is known to be
    /// stationary elsewhere.
    ///
    /// - Parameter place: Where the device is stationary; nil if it moves or that is not known.
    public init?(continuing visit: Stay, resting place: StationaryPlace?, at now: Instant) {
        let stay = StayEstimate(continuing: visit, at: now)
        if let place, !stay.isNear(place.coordinate, radius: place.horizontalAccuracy) { return nil }
        self.stay = stay
        hasArrived = true
    }

    /// Continues a visit that was open when an earlier detector ended, as
    /// ``init(continuing:resting:at:)`` does, unless this one knows the device elsewhere or in a
    /// visit. Returns whether the visit continues.
    public mutating func resume(_ visit: Stay, resting place: StationaryPlace?, at now: Instant) -> Bool {
        guard !hasArrived, stay?.isNear(visit.coordinate, radius: visit.radius) ?? true,
            let continued = VisitDetector(continuing: visit, resting: place, at: now)
        else { return false }
        self = continued
        return true
    }

    /// The current visit; nil if there is none.
    public var visit: Stay? { hasArrived ? stay?.visit : nil }

    /// When the caller must call ``tick(at:)``: a stationary period becomes a visit by its
    /// duration, also while the receiver is asleep.
    public var deadline: Instant? {
        guard let stay, !hasArrived, stay.isResting, candidateDeparture == nil else { return nil }
        return stay.first.at + VisitDetector.minDuration
    }

    /// Advances the time.
    public mutating func tick(at now: Instant) -> VisitAction? {
        guard let deadline, deadline <= now, let stay else { return nil }
        hasArrived = true
        return .arrived(stay.visit)
    }

    /// Processes an epoch and the motion state that ``MotionDetector`` determined from it.
    public mutating func process(_ fix: Fix, state: MotionState, at now: Instant) -> VisitAction? {
        stay?.isResting = state == .stationary
        if state == .stationary { stay?.hasRested = true }
        if let lastProcessed, now - lastProcessed < VisitDetector.minInterval { return tick(at: now) }
        guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy, radius <= VisitDetector.maxRadius
        else {
            return tick(at: now)
        }
        lastProcessed = now
        let moment = Stay.Moment(at: now, time: fix.time)
        guard let current = stay else {
            stay = StayEstimate(at: coordinate, radius: radius, moment: moment, state: state)
            return nil
        }
        guard
            current.contains(coordinate, radius: radius)
                || (state == .stationary && candidateDeparture == nil && current.isNear(coordinate, radius: radius))
        else {
            return processOutside(coordinate, radius: radius, moment: moment, state: state)
        }
        candidateDeparture = nil
        stay?.add(coordinate, radius: radius, moment: moment)
        return publishArrivalIfDue(at: now)
    }

    private mutating func publishArrivalIfDue(at now: Instant) -> VisitAction? {
        guard let stay, !hasArrived, stay.hasRested, now - stay.first.at >= VisitDetector.minDuration else {
            return nil
        }
        hasArrived = true
        return .arrived(stay.visit)
    }

    /// Processes a position outside the place. Before a visit it ends the stay immediately; a visit
    /// requires confirmation.
    private mutating func processOutside(
        _ coordinate: Coordinate, radius: Double, moment: Stay.Moment, state: MotionState
    ) -> VisitAction? {
        let next = StayEstimate(at: coordinate, radius: radius, moment: moment, state: state)
        guard hasArrived, let stay else {
            self.stay = next
            return nil
        }
        var departure = candidateDeparture ?? (next, moment.at, 0)
        departure.count += 1
        // The next stay starts at the first position outside to which later ones are close.
        if !departure.first.contains(coordinate, radius: radius) { departure.first = next }
        guard departure.count >= VisitDetector.departureCount, moment.at - departure.last >= VisitDetector.departureTime
        else {
            candidateDeparture = departure
            return nil
        }
        var visit = stay.visit
        visit.departure = stay.last
        self.stay = departure.first
        hasArrived = false
        candidateDeparture = nil
        return .departed(visit)
    }
}
