import Glibc
import NMEA

/// Determines the accuracies of each fix of one receiver. All are 68 % values, whatever the
/// receiver reports.
///
/// Starts from the receiver's own estimate or ``AccuracyModel``'s. Then it applies the evidence of
/// earlier epochs: a recent first fix, dead reckoning without satellites, and positions that
/// contradict the reported speed. Uses only past epochs and reads no clock. Sources and constants:
/// `docs/accuracy.md`.
struct AccuracyEstimator: Sendable {
    private var clock = EpochClock()
    private var freshness = FirstFixPenalty()
    private var deadReckoning = DeadReckoning()
    private var evidence = MotionConsistency()

    /// Processes an epoch without a position.
    mutating func recordEpochWithoutPosition(_ epoch: Epoch) {
        _ = clock.advance(to: epoch)
        if clock.didReset { evidence.reset() }
        freshness.recordEpochWithoutFix()
    }

    /// Sets the accuracies of a fix that has a position, and the source of the horizontal one.
    mutating func setAccuracies(of fix: inout Fix, _ epoch: Epoch, vdop: Double?, _ signals: SkySignals) {
        let now = clock.advance(to: epoch)
        if clock.didReset { evidence.reset() }
        let isDeadReckoned = fix.quality == .estimated
        if isDeadReckoned { freshness.recordEpochWithoutFix() }
        let model = AccuracyModel(
            fix: fix, correctionAge: epoch.gga?.correctionAge ?? epoch.gns?.correctionAge, signals: signals,
            firstFixFactor: isDeadReckoned ? 1 : freshness.factor(at: now))
        let (radius, source) = horizontal(model, epoch, at: now)
        let raised = raisedByMotion(radius, fix, at: now)
        fix.horizontalAccuracy = raised
        fix.accuracySource = source
        if let coordinate = fix.coordinate, !isDeadReckoned || source != .deadReckoning {
            deadReckoning.begin(raised, coordinate, at: now)
        }
        // The errors of the same ranges affect the height.
        fix.verticalAccuracy = vertical(model, epoch, vdop).map {
            min($0 * (raised / radius), AccuracyConstants.maxPlausibleError)
        }
        fix.speedAccuracy = fix.speed.map { ReceiverEstimate.speed(epoch) ?? model.speed($0) }
        fix.courseAccuracy = course(fix, epoch)
    }

    private mutating func horizontal(_ model: AccuracyModel, _ epoch: Epoch, at now: Double) -> (Double, AccuracySource)
    {
        if let stated = ReceiverEstimate.horizontal(epoch) {
            return (max(stated.radius, model.minReportedRadius), stated.source)
        }
        if model.fix.quality == .estimated, let coordinate = model.fix.coordinate,
            let grown = deadReckoning.radius(coordinate, at: now)
        {
            return (grown, .deadReckoning)
        }
        return (model.radius, model.fix.hdop == nil ? .assumed : .hdop)
    }

    /// Raises the radius if the positions contradict speed and course, or walk while the receiver
    /// reports standstill.
    private mutating func raisedByMotion(_ radius: Double, _ fix: Fix, at now: Double) -> Double {
        guard let coordinate = fix.coordinate else { return radius }
        evidence.add(coordinate, speed: fix.speed, course: fix.course, at: now)
        let byInnovation = max(radius, evidence.innovationRadius)
        let byWalk = evidence.stationaryWalk * AccuracyConstants.walkToR68
        return min(max(byInnovation, byWalk > byInnovation ? byWalk : 0), AccuracyConstants.maxPlausibleError)
    }

    private func vertical(_ model: AccuracyModel, _ epoch: Epoch, _ vdop: Double?) -> Double? {
        guard model.fix.mode == .threeD, model.fix.altitude ?? model.fix.ellipsoidalAltitude != nil else { return nil }
        if let stated = ReceiverEstimate.vertical(epoch) { return max(stated, model.minReportedHeightError) }
        return vdop.map(model.vertical)
    }

    /// Returns the course accuracy in degrees: the angle of a speed error perpendicular to the
    /// direction of travel. Returns nil if the speed is too low for a course.
    private func course(_ fix: Fix, _ epoch: Epoch) -> Double? {
        guard fix.course != nil else { return nil }
        if let stated = ReceiverEstimate.course(epoch) { return stated }
        guard let speed = fix.speed, let across = fix.speedAccuracy,
            speed >= AccuracyConstants.minSpeedToAccuracyRatio * across
        else { return nil }
        return atan(across / speed) * 180 / .pi
    }
}
