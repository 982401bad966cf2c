import Chronology

/// Detects the start of a stationary period.
extension MotionDetector {
    /// Metres per second. A lower twenty-second median is no movement.
    private static let restSpeed = 0.4
    /// The smallest distance bound in metres: fixes under a good sky stay within it of their
    /// median.
    private static let minSpread = 6.0
    /// The largest distance bound in metres for any accuracy: a walking user covers more in one
    /// window.
    private static let maxSpread = 30.0
    /// The greatest age of the first sample of a window. An older one proves nothing about the time
    /// in between.
    private static let maxWindowAge = Instant.Span.seconds(900)
    /// The minimum share of epochs with a position.
    private static let minPositionShare = 0.7
    /// The limits of time, distance and speed within which a boat at anchor swings. Beyond them the
    /// device walked across the yard.
    private static let swing = (time: Instant.Span.seconds(900), distance: 2 * RestAnchor.maxReach, speed: 0.7)

    /// Returns the place at which fixes have stayed for the whole window; nil if they have not.
    mutating func detectRest(at now: Instant) -> RestAnchor? {
        if let movedAt, now - movedAt < threshold.window { return nil }
        guard (window.medianSpeed(window.recent(.seconds(20))) ?? 0) < Self.restSpeed else { return nil }
        guard let length = window.covering(threshold.window), length >= 5 else { return nil }
        guard now - window[length - 1].at <= Self.maxWindowAge, flight.canBeStationary(at: now) else { return nil }
        guard let middle = window.medianPosition(length), keepsTogether(length, middle) else { return nil }
        var (varied, since) = (Instant.Span.zero, now)
        for back in 0..<length where window[back].hasPosition {
            since = window[back].at
            if back > 0, !window[back - 1].isRepeat { varied = varied + min(window[back - 1].at - since, .seconds(10)) }
        }
        var found = RestAnchor(
            east: middle.east, north: middle.north, radius: middle.radius, since: since, averaged: varied, at: now)
        if let left = departure, isSwing(left, found) { found.merge(with: left.anchor) }
        return found
    }

    private func isSwing(_ left: ProvisionalDeparture, _ found: RestAnchor) -> Bool {
        let apart = left.anchor.distance(found.east, found.north)
        guard found.lastConfirmed - left.publishedAt <= Self.swing.time, apart <= Self.swing.distance else {
            return false
        }
        // Without Doppler the speed follows from distance and time.
        let implied = apart / max((found.since - left.since).seconds, 1)
        return (left.fastest > 0 ? left.fastest : implied) < Self.swing.speed
    }

    /// Returns whether the fixes stay together: one in twenty may lie outside the bound, none
    /// beyond twice the bound.
    private func keepsTogether(_ length: Int, _ middle: (east: Double, north: Double, radius: Double)) -> Bool {
        let bound = min(max(2 * middle.radius, Self.minSpread), Self.maxSpread)
        var (positions, strays) = (0, 0)
        for back in 0..<length where window[back].hasPosition {
            positions += 1
            let distance = window[back].distance(middle.east, middle.north)
            guard distance > bound else { continue }
            strays += 1
            if distance > 2 * bound || strays * 20 > length { return false }
        }
        return Double(positions) >= Self.minPositionShare * Double(length)
    }
}
