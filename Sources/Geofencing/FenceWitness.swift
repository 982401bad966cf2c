import Chronology
import Geodesy
import Positioning

/// Makes evidence of fixes and of what the motion detector makes of them. One for a device, however many conditions it has.
public struct FenceWitness: Sendable {
    /// Metres per second below which Doppler may be noise: 95 of 100 epochs at rest under a poor sky (`docs/motion.md` section 1).
    static let noise = 0.5
    /// The share of a way that Doppler must have driven: all of it but for slow steps and lost epochs, were it true.
    private static let borneOut = 0.6
    /// A rest beside the last one, not driven to, that lasts for so long is believed.
    private static let settles = Instant.Span.seconds(400)
    /// Metres per second squared: braking that no tyre holds. The parked receiver that ran 62 m halted with 12 (`docs/motion.md`).
    private static let halt = 8.0
    private static let doubt = Instant.Span.seconds(60)
    /// A way that has gone on for longer than this before it halts is one, however it halts: that receiver ran for 10 s. Simulated ways and
    /// tracks of loggers halt within a second every time.
    private static let run = (shortest: Instant.Span.seconds(30), speed: 1.0)
    private static let doubtAfterJump = Instant.Span.seconds(20)
    /// Without evidence for longer than this nothing is known of the time between: five minutes, and what a look takes.
    static let longestGap = Instant.Span.seconds(330)

    private var earlier: FenceEvidence.Earlier?
    private var radius = 0.0
    private var rejected = 0
    private var doubtfulUntil: Instant?
    /// Since when every speed has been that of a run.
    private var runSince: Instant?
    private var unbrokenSince = Instant(nanoseconds: .min)
    private var wasAtRest = false
    private var lastDoppler: Instant?
    /// The last resting place, what had been driven until then, and metres from it that the device seems to have been since; nil once it
    /// has been left for certain.
    private var rest: Rest?

    private struct Rest {
        var place: Coordinate
        var since: Instant
        var driven: Double
        var farthest = 0.0

        init(at place: RestingPlace, driven: Double) {
            (self.place, since, self.driven) = (place.coordinate, place.since, driven)
        }
    }
    /// Metres.
    private var driven = 0.0

    /// One that has seen nothing.
    public init() {}

    /// Takes an epoch in.
    ///
    /// - Parameters:
    ///   - fix: With a position or without.
    ///   - action: What the motion detector found in this epoch.
    ///   - place: Where the device rests, after this epoch; nil while it does not.
    ///   - now: When it came.
    /// - Returns: Nil where all is held as it is: no position, one by dead reckoning, one that was entered by hand, one that jumped.
    public mutating func take(_ fix: Fix, motion action: MotionAction?, place: RestingPlace?, at now: Instant) -> FenceEvidence? {
        guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy, radius.isFinite, radius >= 0 else { return nil }
        switch fix.quality {
        case .none, .estimated, .manual: return nil
        case .autonomous, .differential, .precise, .rtkFixed, .rtkFloat, .simulated: break
        }
        let speed = fix.speed.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil } ?? -1
        if let before = earlier { earlier?.way = before.coordinate.distance(to: coordinate) }
        guard let compares = judge(radius, speed, now) else { return nil }
        if speed >= 0 { runSince = speed < FenceWitness.run.speed ? nil : runSince ?? now }
        if compares { drive(radius, speed, isAtRest: place != nil, now) }
        let before = compares ? earlier : nil
        if let earlier, now - earlier.at > FenceWitness.longestGap, !(wasAtRest && place != nil) { unbrokenSince = now }
        (self.radius, wasAtRest) = (radius, place != nil)
        earlier = FenceEvidence.Earlier(at: now, time: fix.time, coordinate: coordinate, speed: speed, way: 0)
        if speed >= 0 { lastDoppler = now }
        let isUndriven = isUndriven(coordinate, place, now)
        var evidence = FenceEvidence(
            at: now, time: fix.time, coordinate: coordinate, radius: radius, speed: speed,
            odometer: UInt32(truncatingIfNeeded: Int64(driven * 10)), isUndriven: isUndriven,
            isDoubtful: doubtfulUntil.map { now < $0 } ?? false,
            unbrokenSince: unbrokenSince, earlier: before)
        evidence.hasDoppler = hasDoppler(now)
        if let place {
            (evidence.coordinate, evidence.radius, evidence.isAtRest) = (place.coordinate, place.horizontalAccuracy, true)
            if case .retracted = action { evidence.isRetraction = true }
        }
        return evidence
    }

    /// A receiver that has lately stated a speed; one epoch without says nothing.
    private func hasDoppler(_ now: Instant) -> Bool { lastDoppler.map { now - $0 <= FenceWitness.doubt } ?? false }

    /// Whether the way from the last resting place is not borne out by what was driven.
    private mutating func isUndriven(_ here: Coordinate, _ place: RestingPlace?, _ now: Instant) -> Bool {
        guard hasDoppler(now), var rest else {
            rest = place.map { Rest(at: $0, driven: driven) }
            return false
        }
        // The same rest goes on, or another has lasted for long enough to be one of its own.
        if let place, place.since == rest.since || now - place.since >= FenceWitness.settles {
            self.rest = Rest(at: place, driven: driven)
            return false
        }
        rest.farthest = max(rest.farthest, rest.place.distance(to: place?.coordinate ?? here))
        let isBorneOut = driven - rest.driven >= FenceWitness.borneOut * rest.farthest
        self.rest = rest
        if isBorneOut, place != nil || rest.farthest > 35 { self.rest = place.map { Rest(at: $0, driven: driven) } }
        return !isBorneOut
    }

    /// Whether a position compares with the one before; nil for a spike.
    private mutating func judge(_ radius: Double, _ speed: Double, _ now: Instant) -> Bool? {
        guard let earlier else { return true }
        let step = (now - earlier.at).seconds
        guard step > 0, now - earlier.at <= SpikeRule.longestStep else {
            rejected = 0
            return true
        }
        let hasRunLong = runSince.map { now - $0 > FenceWitness.run.shortest } ?? false
        if min(speed, earlier.speed) >= 0, earlier.speed - speed > FenceWitness.halt * max(step, 1), !hasRunLong {
            doubtfulUntil = now + FenceWitness.doubt
        }
        let stated = max(speed, earlier.speed)
        let implied = earlier.way / step
        // Without Doppler 40 m/s are granted.
        if SpikeRule.explains(implied, expected: stated >= 0 ? stated : 30, radius: radius, step: step) {
            rejected = 0
            return true
        }
        rejected += 1
        guard rejected > SpikeRule.mostRejected else { return nil }
        rejected = 0
        doubtfulUntil = max(doubtfulUntil ?? now, now + FenceWitness.doubtAfterJump)
        return false
    }

    /// Counts what was driven since the evidence before. Over a gap that is the way between the positions, where a speed or the way itself
    /// says that it was one.
    private mutating func drive(_ radius: Double, _ speed: Double, isAtRest: Bool, _ now: Instant) {
        guard let earlier, !isAtRest else { return }
        if now - earlier.at <= SpikeRule.longestStep {
            // Noise seldom lasts for two epochs.
            if min(speed, earlier.speed) > FenceWitness.noise { driven += speed * (now - earlier.at).seconds }
        } else {
            let isFar = earlier.way > max(4 * max(radius, self.radius), 35)
            if isFar || max(speed, earlier.speed) > 1 { driven += earlier.way }
        }
        // What is kept is decimetres modulo 2^32; a double keeps them apart for longer than any device lives.
        if !(driven < 1e14) { driven = 0 }
    }
}
