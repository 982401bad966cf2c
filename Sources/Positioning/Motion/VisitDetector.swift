import Chronology
import Geodesy

/// Finds stays at places: Li's stay points (Q. Li et al., "Mining user similarity based on location history", 2008), made to run along.
///
/// A place is a circle; who comes to rest in it and does not leave it for the least time visits it. Walking about in it, a lost sky or a
/// sleeping receiver end nothing. Like Core Location's `CLVisit`, an arrival is told when it is known, and the departure later.
public struct VisitDetector: Sendable {
    /// How long a stay is a visit.
    public static let least = Instant.Span.seconds(300)
    /// Metres about the middle of a place that belong to it, before the error of a fix: a house and its yard.
    public static let reach = 50.0
    /// How long and how often a device must be seen outside to have left.
    private static let outside = (span: Instant.Span.seconds(30), count: 2)
    /// A position vaguer than this says nothing of a place, metres.
    private static let vague = 100.0
    private static let densest = Instant.Span.seconds(5)

    private var stay: Stay?
    private var hasArrived = false
    private var leaving: (first: Stay, last: Instant, count: Int)?
    private var lastTaken: Instant?

    /// A detector that has seen nothing.
    public init() {}

    /// A detector for a device that is known to rest: the visit began no later than the rest did.
    ///
    /// - Parameter began: What the receiver said that ``RestingPlace/since`` was; nil where no date was known.
    public init(resting place: RestingPlace, began: UTCTime?) {
        stay = Stay(place.coordinate, place.horizontalAccuracy, Visit.Moment(at: place.since, time: began), .stationary)
    }

    /// The visit that goes on; nil while there is none.
    public var visit: Visit? { hasArrived ? stay?.visit : nil }

    /// When ``tick(at:)`` wants to be called: a rest becomes a visit by lasting, whether or not its receiver is asked meanwhile.
    public var deadline: Instant? {
        guard let stay, !hasArrived, stay.isResting, leaving == nil else { return nil }
        return stay.first.at + VisitDetector.least
    }

    /// Lets time pass.
    public mutating func tick(at now: Instant) -> VisitAction? {
        guard let deadline, deadline <= now, let stay else { return nil }
        hasArrived = true
        return .arrived(stay.visit)
    }

    /// Takes an epoch in, with what the ``MotionDetector`` makes of it.
    public mutating func take(_ fix: Fix, _ state: MotionState, at now: Instant) -> VisitAction? {
        stay?.isResting = state == .stationary
        if state == .stationary { stay?.hasRested = true }
        if let lastTaken, now - lastTaken < VisitDetector.densest { return tick(at: now) }
        guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy, radius <= VisitDetector.vague else {
            return tick(at: now)
        }
        lastTaken = now
        let moment = Visit.Moment(at: now, time: fix.time)
        guard let present = stay else {
            stay = Stay(coordinate, radius, moment, state)
            return nil
        }
        guard present.holds(coordinate, radius) || (state == .stationary && leaving == nil && present.isNear(coordinate, radius)) else {
            return goOut(coordinate, radius, moment, state)
        }
        leaving = nil
        stay?.take(coordinate, radius, moment)
        return settle(at: now)
    }

    private mutating func settle(at now: Instant) -> VisitAction? {
        guard let stay, !hasArrived, stay.hasRested, now - stay.first.at >= VisitDetector.least else { return nil }
        hasArrived = true
        return .arrived(stay.visit)
    }

    /// A position outside of the place. One that passes by has left at once; a visitor must be seen to be gone.
    private mutating func goOut(_ coordinate: Coordinate, _ radius: Double, _ moment: Visit.Moment, _ state: MotionState) -> VisitAction? {
        guard hasArrived, let stay else {
            self.stay = Stay(coordinate, radius, moment, state)
            return nil
        }
        var out = leaving ?? (Stay(coordinate, radius, moment, state), moment.at, 0)
        out.count += 1
        // What comes after begins where it was first at rest outside.
        if !out.first.holds(coordinate, radius) { out.first = Stay(coordinate, radius, moment, state) }
        guard out.count >= VisitDetector.outside.count, moment.at - out.last >= VisitDetector.outside.span else {
            leaving = out
            return nil
        }
        var visit = stay.visit
        visit.departure = stay.last
        (self.stay, hasArrived, leaving) = (out.first, false, nil)
        return .departed(visit)
    }
}
