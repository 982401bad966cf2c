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
    private var firstFixPenalty = FirstFixPenalty()
    private var deadReckoning = DeadReckoning()
    private var motionConsistency = MotionConsistency()

    /// Processes an epoch without a position.
    mutating func recordEpochWithoutPosition(_ epoch: Epoch) {
        _ = clock.advance(to: epoch)
        if clock.didReset { motionConsistency.reset() }
        firstFixPenalty.recordEpochWithoutFix()
    }

    /// Sets the accuracies of a fix that has a position, and the source of the horizontal one.
    mutating func setAccuracies(of fix: inout Fix, from epoch: Epoch, vdop: Double?, signals: SkySignals) {
        let seconds = clock.advance(to: epoch)
        if clock.didReset { motionConsistency.reset() }
        let isDeadReckoned = fix.quality == .estimated
        if isDeadReckoned { firstFixPenalty.recordEpochWithoutFix() }
        let model = AccuracyModel(
            fix: fix, correctionAge: epoch.gga?.correctionAge ?? epoch.gns?.correctionAge, signals: signals,
            firstFixFactor: isDeadReckoned ? 1 : firstFixPenalty.factor(at: seconds))
        let (radius, source) = horizontal(epoch, model: model, at: seconds)
        let raised = raised(radius, byMotionOf: fix, at: seconds)
        fix.horizontalAccuracy = raised
        fix.accuracySource = source
        if let coordinate = fix.coordinate, !isDeadReckoned || source != .deadReckoning {
            deadReckoning.begin(radius: raised, at: coordinate, seconds: seconds)
        }
        // The errors of the same ranges affect the height.
        fix.verticalAccuracy = vertical(epoch, model: model, vdop: vdop).map {
            min($0 * (raised / radius), AccuracyConstants.maxPlausibleError)
        }
        fix.speedAccuracy = fix.speed.map { ReceiverEstimate.speed(epoch) ?? model.speed($0) }
        fix.courseAccuracy = course(of: fix, epoch: epoch)
    }

    private mutating func horizontal(_ epoch: Epoch, model: AccuracyModel, at seconds: Double) -> (
        Double, AccuracySource
    ) {
        if let reported = ReceiverEstimate.horizontal(epoch) {
            return (max(reported.radius, model.minReportedRadius), reported.source)
        }
        if model.fix.quality == .estimated, let coordinate = model.fix.coordinate,
            let grown = deadReckoning.radius(coordinate, at: seconds)
        {
            return (grown, .deadReckoning)
        }
        return (model.radius, model.fix.hdop == nil ? .assumed : .hdop)
    }

    /// Raises the radius if the positions contradict speed and course, or walk while the receiver
    /// reports standstill.
    private mutating func raised(_ radius: Double, byMotionOf fix: Fix, at seconds: Double) -> Double {
        guard let coordinate = fix.coordinate else { return radius }
        motionConsistency.add(coordinate, speed: fix.speed, course: fix.course, at: seconds)
        let byInnovation = max(radius, motionConsistency.innovationRadius)
        let byWalk = motionConsistency.stationaryWalk * AccuracyConstants.walkToR68
        return min(max(byInnovation, byWalk > byInnovation ? byWalk : 0), AccuracyConstants.maxPlausibleError)
    }

    private func vertical(_ epoch: Epoch, model: AccuracyModel, vdop: Double?) -> Double? {
        guard model.fix.mode == .threeD, model.fix.altitude ?? model.fix.ellipsoidalAltitude != nil else { return nil }
        if let reported = ReceiverEstimate.vertical(epoch) { return max(reported, model.minReportedHeightError) }
        return vdop.map(model.vertical)
    }

    /// Returns the course accuracy in degrees: the angle of a speed error perpendicular to the
    /// direction of travel. Returns nil if the speed is too low for a course.
    private func course(of fix: Fix, epoch: Epoch) -> Double? {
        guard fix.course != nil else { return nil }
        if let reported = ReceiverEstimate.course(epoch) { return reported }
        guard let speed = fix.speed, let across = fix.speedAccuracy,
            speed >= AccuracyConstants.minSpeedToAccuracyRatio * across
        else { return nil }
        return atan(across / speed) * 180 / .pi
    }
}
