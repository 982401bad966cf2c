import Chronology

/// Whether something that can fly does: a helicopter that hovers keeps still and must not be said to rest.
struct Flight: Sendable {
    /// Metres per second that hold no doubt.
    private static let flyingSpeed = 40.0
    /// Metres over or under the ground level that hold no doubt, before the error of the height.
    private static let flyingHeight = 30.0
    /// Metres about the ground level in which it may have landed, before the error of the height.
    private static let landedHeight = 15.0
    /// At another level than it left, it has landed when it kept its height and place this long. No hover is known to.
    private static let steady = Instant.Span.seconds(900)

    private(set) var isFlying = false
    private var ground: Double?
    private var level: (height: Double, since: Instant)?
    private var height = 0.0
    private var error = 0.0
    private var aloft = 0

    /// Takes the height and speed of an epoch in. Returns whether it has just taken off.
    mutating func take(_ fix: Fix, at now: Instant) -> Bool {
        let wasFlying = isFlying
        let speed = fix.speed ?? 0
        if speed > Flight.flyingSpeed { isFlying = true }
        if let altitude = fix.altitude ?? fix.ellipsoidalAltitude, altitude.isFinite {
            error = fix.verticalAccuracy ?? 2 * (fix.horizontalAccuracy ?? 10)
            height = altitude
            let ground = ground ?? altitude
            self.ground = ground
            aloft = abs(altitude - ground) > Flight.flyingHeight + 2 * error ? aloft + 1 : 0
            if aloft >= 3 { isFlying = true }
            let isLevel = level.map { abs($0.height - altitude) <= max(10, 2 * error) } ?? false
            if !isLevel || speed > 2 { level = (altitude, now) }
        }
        return isFlying && !wasFlying
    }

    /// Whether one that keeps its place may be said to rest.
    func mayRest(at now: Instant) -> Bool {
        guard isFlying else { return true }
        if let ground, abs(height - ground) <= Flight.landedHeight + error { return true }
        return level.map { now - $0.since >= Flight.steady } ?? false
    }

    /// It rests: this is the ground.
    mutating func land() {
        isFlying = false
        aloft = 0
        ground = height
    }
}
