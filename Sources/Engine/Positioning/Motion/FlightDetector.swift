import Chronology

/// Detects whether an aircraft flies: a helicopter that hovers keeps its position but is not
/// stationary.
struct FlightDetector: Sendable {
    /// Metres per second. A higher speed proves flight.
    private static let flyingSpeed = 40.0
    /// Metres above or below ground level that prove flight, before the height error.
    private static let flyingHeight = 30.0
    /// Metres about ground level within which the aircraft may have landed, before the height
    /// error.
    private static let landedHeight = 15.0
    /// The time with constant height and position after which the aircraft has landed at another
    /// level. No hover is known to last that long.
    private static let landedDuration = Instant.Span.seconds(900)

    private(set) var isFlying = false
    private var ground: Double?
    private var steadyLevel: (height: Double, since: Instant)?
    private var height = 0.0
    private var error = 0.0
    private var epochsAloft = 0

    /// Processes the height and speed of an epoch. Returns whether the aircraft has just taken off.
    mutating func process(_ fix: Fix, at now: Instant) -> Bool {
        let wasFlying = isFlying
        let speed = fix.speed ?? 0
        if speed > FlightDetector.flyingSpeed { isFlying = true }
        if let altitude = fix.altitude ?? fix.ellipsoidalAltitude, altitude.isFinite {
            error = fix.verticalAccuracy ?? 2 * (fix.horizontalAccuracy ?? 10)
            height = altitude
            let ground = ground ?? altitude
            self.ground = ground
            epochsAloft = abs(altitude - ground) > FlightDetector.flyingHeight + 2 * error ? epochsAloft + 1 : 0
            if epochsAloft >= 3 { isFlying = true }
            let isLevel = steadyLevel.map { abs($0.height - altitude) <= max(10, 2 * error) } ?? false
            if !isLevel || speed > 2 { steadyLevel = (altitude, now) }
        }
        return isFlying && !wasFlying
    }

    /// Returns whether an aircraft with a constant position may be stationary.
    func canBeStationary(at now: Instant) -> Bool {
        guard isFlying else { return true }
        if let ground, abs(height - ground) <= FlightDetector.landedHeight + error { return true }
        return steadyLevel.map { now - $0.since >= FlightDetector.landedDuration } ?? false
    }

    /// Records that the device is stationary: its height is the ground level.
    mutating func land() {
        isFlying = false
        epochsAloft = 0
        ground = height
    }
}
