import Glibc
import NMEA

/// Gives each fix of one receiver its accuracies: one meaning, 68 %, whatever the receiver sent.
///
/// Takes the receiver's own estimate or ``AccuracyModel``'s, and holds against it what the epochs before tell: whether the receiver has
/// only just found its position, how far it has reckoned on without satellites, and whether its positions go where its speed says. Never
/// looks ahead; reads no clock. Sources and constants: `docs/accuracy.md`.
struct AccuracyJudge: Sendable {
    private var clock = EpochSeconds()
    private var freshness = FixFreshness()
    private var reckoning = DeadReckoning()
    private var evidence = MotionEvidence()

    /// An epoch without a position.
    mutating func pass(_ epoch: Epoch) {
        _ = clock.advance(to: epoch)
        if clock.hasGoneBack { evidence.forget() }
        freshness.without()
    }

    /// Sets the accuracies of a fix that has a position, and the source of the horizontal one.
    mutating func judge(_ fix: inout Fix, _ epoch: Epoch, vdop: Double?, _ signals: SkySignals) {
        let now = clock.advance(to: epoch)
        if clock.hasGoneBack { evidence.forget() }
        let isReckoned = fix.quality == .estimated
        if isReckoned { freshness.without() }
        let model = AccuracyModel(
            fix: fix, correctionAge: epoch.gga?.correctionAge ?? epoch.gns?.correctionAge, signals: signals,
            freshness: isReckoned ? 1 : freshness.factor(at: now))
        let (radius, source) = horizontal(model, epoch, at: now)
        let raised = raise(radius, fix, at: now)
        fix.horizontalAccuracy = raised
        fix.accuracySource = source
        if let coordinate = fix.coordinate, !isReckoned || source != .deadReckoning { reckoning.begin(raised, coordinate, at: now) }
        // Errors of the same ranges are in the height.
        fix.verticalAccuracy = vertical(model, epoch, vdop).map { min($0 * (raised / radius), AccuracyConstants.absurdError) }
        fix.speedAccuracy = fix.speed.map { ReceiverEstimate.speed(epoch) ?? model.speed($0) }
        fix.courseAccuracy = course(fix, epoch)
    }

    private mutating func horizontal(_ model: AccuracyModel, _ epoch: Epoch, at now: Double) -> (Double, AccuracySource) {
        if let stated = ReceiverEstimate.horizontal(epoch) { return (max(stated.radius, model.floorOfStated), stated.source) }
        if model.fix.quality == .estimated, let coordinate = model.fix.coordinate, let grown = reckoning.radius(coordinate, at: now) {
            return (grown, .deadReckoning)
        }
        return (model.radius, model.fix.hdop == nil ? .assumed : .hdop)
    }

    /// Positions that do not go where speed and course say, or that walk while the receiver stands, are worse than stated.
    private mutating func raise(_ radius: Double, _ fix: Fix, at now: Double) -> Double {
        guard let coordinate = fix.coordinate else { return radius }
        evidence.take(coordinate, speed: fix.speed, course: fix.course, at: now)
        let byInnovation = max(radius, evidence.innovation)
        let byWalk = evidence.walk * AccuracyConstants.walkToR68
        return min(max(byInnovation, byWalk > byInnovation ? byWalk : 0), AccuracyConstants.absurdError)
    }

    private func vertical(_ model: AccuracyModel, _ epoch: Epoch, _ vdop: Double?) -> Double? {
        guard model.fix.mode == .threeD, model.fix.altitude ?? model.fix.ellipsoidalAltitude != nil else { return nil }
        if let stated = ReceiverEstimate.vertical(epoch) { return max(stated, model.floorOfStatedHeight) }
        return vdop.map(model.vertical)
    }

    /// Degrees: the angle that an error of the speed across the way makes. Nil below the speed at which there is a course.
    private func course(_ fix: Fix, _ epoch: Epoch) -> Double? {
        guard fix.course != nil else { return nil }
        if let stated = ReceiverEstimate.course(epoch) { return stated }
        guard let speed = fix.speed, let across = fix.speedAccuracy, speed >= AccuracyConstants.slowestCourse * across else { return nil }
        return atan(across / speed) * 180 / .pi
    }
}
