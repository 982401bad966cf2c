import Chronology
import Geodesy
import Positioning

/// Creates evidence from fixes and from the motion detector's results: one per device, for any
/// number of conditions.
public struct EvidenceBuilder: Sendable {
    /// The speed in metres per second below which Doppler may be noise: 95 % of stationary epochs
    /// under poor sky (`docs/motion.md` section 1).
    static let dopplerNoise = 0.5
    /// The fraction of a path that the Doppler distance must cover. It would cover all of a true
    /// path, except for slow steps and lost epochs.
    private static let minDopplerFraction = 0.6
    /// The time after which a stationary position is accepted although Doppler shows no movement to
    /// it.
    private static let restAcceptanceTime = Instant.Span.seconds(400)
    /// The deceleration in metres per second squared that no tyre reaches. The parked receiver
    /// whose positions ran 62 m stopped with 12 (`docs/motion.md`).
    private static let maxDeceleration = 8.0
    private static let haltSuspicionTime = Instant.Span.seconds(60)
    /// The duration at ``sustainedSpeed`` that makes a movement real, however it stops. The parked
    /// receiver ran for 10 s. Simulated tracks and data loggers always stop within a second.
    private static let sustainedDuration = Instant.Span.seconds(30)
    /// The least speed of a sustained movement, in metres per second.
    private static let sustainedSpeed = 1.0
    private static let jumpSuspicionTime = Instant.Span.seconds(20)
    /// The longest gap in the evidence for which the time between counts as known: five minutes,
    /// plus the duration of a check.
    static let maxGap = Instant.Span.seconds(330)

    private var previous: FenceEvidence.PreviousPosition?
    private var radius = 0.0
    private var rejected = 0
    private var suspiciousUntil: Instant?
    /// The time since which every speed has been that of a sustained movement.
    private var movingSince: Instant?
    private var continuousSince = Instant(nanoseconds: .min)
    private var wasAtRest = false
    /// The last position of a stationary device that agreed with its place of rest: those after it
    /// may belong to a departure that is not certain yet.
    private var lastInPlace: FenceEvidence.PreviousPosition?
    private var lastDoppler: Instant?
    /// The Doppler distance since the start, in metres.
    private var dopplerDistance = 0.0
    /// The last stationary position, the Doppler distance at that time, and the greatest distance
    /// from it since. Nil once the device has certainly left it.
    private var rest: StationaryPeriod?

    private struct StationaryPeriod {
        var place: Coordinate
        var since: Instant
        var dopplerDistance: Double
        var farthest = 0.0

        init(at place: StationaryPlace, dopplerDistance: Double) {
            self.place = place.coordinate
            since = place.since
            self.dopplerDistance = dopplerDistance
        }
    }

    /// Creates a builder without history.
    public init() {}

    /// Processes an epoch.
    ///
    /// - Parameters:
    ///   - fix: The fix, with or without a position.
    ///   - action: The motion detector's action for this epoch.
    ///   - stationaryPosition: The position of a stationary device after this epoch; nil while it
    ///     moves.
    ///   - now: When the epoch arrived.
    /// - Returns: The evidence; nil if the fix has no position or is estimated (dead reckoning), an
    ///   outlier, or entered manually and no place of rest. All states then stay unchanged.
    public mutating func process(
        _ fix: Fix, motion action: MotionAction?, stationaryPosition: StationaryPlace?, at now: Instant
    ) -> FenceEvidence? {
        guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy, radius.isFinite, radius >= 0 else {
            return nil
        }
        switch fix.quality {
        case .none, .estimated, .unknown: return nil
        case .manual where stationaryPosition == nil: return nil
        case .manual, .autonomous, .differential, .precise, .rtkFixed, .rtkFloat, .simulated: break
        }
        let speed = fix.speed.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil } ?? -1
        if let before = previous?.coordinate { previous?.distance = before.distance(to: coordinate) }
        guard let isComparable = isComparable(radius: radius, speed: speed, at: now) else { return nil }
        if speed >= 0 { movingSince = speed < EvidenceBuilder.sustainedSpeed ? nil : movingSince ?? now }
        if isComparable { addDistance(radius: radius, speed: speed, isStationary: stationaryPosition != nil, at: now) }
        var comparable = isComparable ? previous : nil
        if wasAtRest, stationaryPosition == nil, isComparable, let lastInPlace {
            comparable = lastInPlace
            comparable?.distance = lastInPlace.coordinate.distance(to: coordinate)
        }
        if let previous, now - previous.at > EvidenceBuilder.maxGap, !(wasAtRest && stationaryPosition != nil) {
            continuousSince = now
        }
        (self.radius, wasAtRest) = (radius, stationaryPosition != nil)
        previous = FenceEvidence.PreviousPosition(
            at: now, time: fix.time, coordinate: coordinate, speed: speed, distance: 0)
        if let place = stationaryPosition {
            let limit = max(4 * max(radius, place.horizontalAccuracy), 35)
            if place.coordinate.distance(to: coordinate) <= limit { lastInPlace = previous }
        } else {
            lastInPlace = nil
        }
        if speed >= 0 { lastDoppler = now }
        let lacksDopplerDistance = lacksDopplerDistance(
            at: coordinate, stationaryPosition: stationaryPosition, now: now)
        var evidence = FenceEvidence(
            at: now, time: fix.time, coordinate: coordinate, radius: radius, speed: speed,
            dopplerDistance: UInt32(truncatingIfNeeded: Int64(dopplerDistance * 10)),
            lacksDopplerDistance: lacksDopplerDistance,
            needsLongerConfirmation: suspiciousUntil.map { now < $0 } ?? false,
            continuousSince: continuousSince, previous: comparable)
        evidence.hasDoppler = hasDoppler(at: now)
        if let stationaryPosition {
            evidence.coordinate = stationaryPosition.coordinate
            evidence.radius = stationaryPosition.horizontalAccuracy
            evidence.isAtRest = true
            if case .retracted = action { evidence.isRetraction = true }
        }
        return evidence
    }

    /// Returns whether the receiver reported a speed recently; one epoch without a speed does not
    /// matter.
    private func hasDoppler(at now: Instant) -> Bool {
        lastDoppler.map { now - $0 <= EvidenceBuilder.haltSuspicionTime } ?? false
    }

    /// Returns whether the Doppler distance does not cover the path from the last stationary
    /// position.
    private mutating func lacksDopplerDistance(
        at coordinate: Coordinate, stationaryPosition place: StationaryPlace?, now: Instant
    ) -> Bool {
        guard hasDoppler(at: now), var rest else {
            rest = place.map { StationaryPeriod(at: $0, dopplerDistance: dopplerDistance) }
            return false
        }
        // The device is still at the same stationary position, or has stayed long enough at another
        // one.
        if let place, place.since == rest.since || now - place.since >= EvidenceBuilder.restAcceptanceTime {
            self.rest = StationaryPeriod(at: place, dopplerDistance: dopplerDistance)
            return false
        }
        rest.farthest = max(rest.farthest, rest.place.distance(to: place?.coordinate ?? coordinate))
        let isCovered = dopplerDistance - rest.dopplerDistance >= EvidenceBuilder.minDopplerFraction * rest.farthest
        self.rest = rest
        if isCovered, place != nil || rest.farthest > 35 {
            self.rest = place.map { StationaryPeriod(at: $0, dopplerDistance: dopplerDistance) }
        }
        return !isCovered
    }

    /// Returns whether a position is comparable with the previous one; nil for an outlier.
    private mutating func isComparable(radius: Double, speed: Double, at now: Instant) -> Bool? {
        guard let previous else { return true }
        let step = (now - previous.at).seconds
        guard step > 0, now - previous.at <= OutlierRule.maxStep else {
            rejected = 0
            return true
        }
        let isSustained = movingSince.map { now - $0 > EvidenceBuilder.sustainedDuration } ?? false
        if min(speed, previous.speed) >= 0, previous.speed - speed > EvidenceBuilder.maxDeceleration * max(step, 1),
            !isSustained
        {
            suspiciousUntil = now + EvidenceBuilder.haltSuspicionTime
        }
        // A speed that is missing now may have been withdrawn: then the one before was wrong, too.
        let reportedSpeed = speed < 0 ? speed : max(speed, previous.speed)
        let impliedSpeed = previous.distance / step
        // Without Doppler, allow 40 m/s.
        let expectedSpeed = reportedSpeed >= 0 ? reportedSpeed : 30
        if OutlierRule.explains(
            impliedSpeed: impliedSpeed, expectedSpeed: expectedSpeed, radius: radius, step: step)
        {
            rejected = 0
            return true
        }
        rejected += 1
        guard rejected > OutlierRule.maxRejected else { return nil }
        rejected = 0
        suspiciousUntil = max(suspiciousUntil ?? now, now + EvidenceBuilder.jumpSuspicionTime)
        return false
    }

    /// Adds the distance since the previous evidence. After a gap, adds the distance between the
    /// positions if a speed or the distance itself shows movement.
    private mutating func addDistance(radius: Double, speed: Double, isStationary: Bool, at now: Instant) {
        guard let previous, !isStationary else { return }
        if now - previous.at <= OutlierRule.maxStep {
            // Noise seldom lasts for two epochs.
            if min(speed, previous.speed) > EvidenceBuilder.dopplerNoise {
                dopplerDistance += speed * (now - previous.at).seconds
            }
        } else {
            let isFar = previous.distance > max(4 * max(radius, self.radius), 35)
            if isFar || max(speed, previous.speed) > 1 { dopplerDistance += previous.distance }
        }
        // The reading is stored in decimetres modulo 2^32. A double is precise enough for longer
        // than any device lasts.
        if !(dopplerDistance < 1e14) { dopplerDistance = 0 }
    }
}
