import Chronology
import Positioning

/// The station as the source of the device's location, and its check by receivers.
///
/// Streams on the best receiver get its location, and not those of receivers. A stream that pauses
/// at rest gets one update. One that does not pause gets it every ``interval``.
public struct FixedPlace: Sendable {
    /// The source of its locations, which is no receiver.
    static let source = ReceiverID(-1)
    /// The least time between two updates of a stream that does not pause at rest. Programs that
    /// show positions warn after 6 to 10 s without one.
    static let interval = Instant.Span.seconds(5)
    /// The demand on receivers that nobody else needs: the place is checked for three minutes, and
    /// again after six hours.
    private static let checkDemand = Demand(
        interval: .seconds(6 * 3600), stationaryCheckInterval: nil, minimumOnTime: .seconds(210))

    /// The place.
    public let station: Station
    /// What receivers say about it.
    public internal(set) var check: StationCheck
    /// Whether receivers check it, which may keep one on.
    public var isChecked = true
    /// The time of the host's clock at an instant; nil if that was never set.
    public var clock: (time: UTCTime, at: Instant)?
    private let since: Instant

    init(_ station: Station, clock: UTCTime?, at now: Instant) {
        self.station = station
        check = StationCheck(of: station)
        since = now
        self.clock = clock.map { ($0, now) }
    }

    var restingPlace: StationaryPlace {
        StationaryPlace(
            coordinate: station.coordinate, horizontalAccuracy: station.horizontalAccuracy, since: since)
    }

    /// Returns the demand of its check on a receiver that clients do not need: with a refresh of
    /// ephemerides, each refresh is long enough for a check.
    static func checkDemand(with refresh: Demand?) -> Demand {
        var demand = checkDemand
        if let refresh { demand.interval = min(demand.interval, refresh.interval) }
        return demand
    }

    /// Returns the present location, whose age is always zero.
    func location(at now: Instant) -> ReceiverFix {
        ReceiverFix(fix: station.fix(at: clock.map { $0.time.advanced(by: now - $0.at) }), receiver: station.name)
    }
}

/// The times at which conditions are evaluated with a fixed place.
///
/// They are evaluated once. Those that stay in doubt are evaluated again after the times that a
/// device at rest needs for a first determination near a boundary and for a crossing. With a new
/// place, the first evaluation may count as an outlier.
struct FixedEvaluation: Sendable {
    private static let steps = [Instant.Span.zero, .seconds(25), .seconds(340)]

    private var began: Instant?
    private var step = 0
    private var isNew = false

    /// When the next evaluation is due; nil if none is.
    var deadline: Instant? { began.map { $0 + FixedEvaluation.steps[step] } }

    /// Begins after a change of the place or of the conditions; `now` is nil if there is no place.
    mutating func begin(at now: Instant?, isNew: Bool) {
        (began, step) = (now, 0)
        self.isNew = isNew
    }

    mutating func recordEvaluation(isInDoubt: Bool) {
        step += 1
        guard isInDoubt || isNew && step == 1, step < FixedEvaluation.steps.count else { return began = nil }
    }
}
