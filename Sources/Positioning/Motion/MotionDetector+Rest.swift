import Chronology

/// How a rest is found.
extension MotionDetector {
    /// Metres per second: the median of twenty seconds that still is no movement.
    private static let slow = 0.4
    /// Metres about their middle in which fixes of a good sky keep together.
    private static let closest = 6.0
    /// Metres beyond which keeping together means nothing however large the radius: what somebody walks in a window.
    private static let loosest = 30.0
    /// A sample that reaches back farther says nothing of the time between.
    private static let oldest = Instant.Span.seconds(900)
    /// The share of epochs that must have had a position.
    private static let usable = 0.7
    /// A place that was left within this time and distance, and no faster, is swung about: a boat at anchor, not a walk across the yard.
    private static let swing = (time: Instant.Span.seconds(900), distance: 2 * Anchor.mostReach, speed: 0.7)

    /// The place at which fixes have kept together for the whole window; nil while they have not.
    mutating func foundRest(at now: Instant) -> Anchor? {
        if let movedAt, now - movedAt < patience.window { return nil }
        guard (window.medianSpeed(window.recent(.seconds(20))) ?? 0) < Self.slow else { return nil }
        guard let length = window.covering(patience.window), length >= 5 else { return nil }
        guard now - window[length - 1].at <= Self.oldest, flight.mayRest(at: now) else { return nil }
        guard let middle = window.middle(length), keepsTogether(length, middle) else { return nil }
        var (varied, since) = (Instant.Span.zero, now)
        for back in 0..<length where window[back].hasPosition {
            since = window[back].at
            if back > 0, !window[back - 1].isRepeat { varied = varied + min(window[back - 1].at - since, .seconds(10)) }
        }
        var found = Anchor(
            east: middle.east, north: middle.north, radius: middle.radius, since: since, averaged: varied, at: now)
        if let left = departure, isSwing(left, found) { found.widen(with: left.anchor) }
        return found
    }

    private func isSwing(_ left: Departure, _ found: Anchor) -> Bool {
        let apart = left.anchor.distance(found.east, found.north)
        guard found.held - left.told <= Self.swing.time, apart <= Self.swing.distance else { return false }
        // Without Doppler, what the way and its time imply.
        let implied = apart / max((found.since - left.since).seconds, 1)
        return (left.fastest > 0 ? left.fastest : implied) < Self.swing.speed
    }

    /// One in twenty may stray, none to twice the distance.
    private func keepsTogether(_ length: Int, _ middle: (east: Double, north: Double, radius: Double)) -> Bool {
        let bound = min(max(2 * middle.radius, Self.closest), Self.loosest)
        var (positions, strays) = (0, 0)
        for back in 0..<length where window[back].hasPosition {
            positions += 1
            let distance = window[back].distance(middle.east, middle.north)
            guard distance > bound else { continue }
            strays += 1
            if distance > 2 * bound || strays * 20 > length { return false }
        }
        return Double(positions) >= Self.usable * Double(length)
    }
}
