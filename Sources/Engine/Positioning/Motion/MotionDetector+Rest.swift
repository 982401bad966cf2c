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
    /// The longest time between two stationary periods of a boat that swings at anchor. After a
    /// longer time, or beyond the following limits, the device has moved.
    private static let maxSwingTime = Instant.Span.seconds(900)
    /// The greatest distance in metres between the places of these periods.
    private static let maxSwingDistance = 2 * StationaryReference.maxSwingRadius
    /// The speed in metres per second that such a boat does not reach.
    private static let maxSwingSpeed = 0.7

    /// Returns the place at which fixes have stayed for the whole window; nil if they have not.
    mutating func detectRest(at now: Instant) -> StationaryReference? {
        if let movedAt, now - movedAt < threshold.window { return nil }
        guard (window.medianSpeed(window.recent(.seconds(20))) ?? 0) < Self.restSpeed else { return nil }
        guard let length = window.covering(threshold.window), length >= 5 else { return nil }
        guard now - window[length - 1].at <= Self.maxWindowAge, flight.canBeStationary(at: now) else { return nil }
        guard let median = window.medianPosition(length), isClustered(length: length, about: median) else { return nil }
        var (averaged, since) = (Instant.Span.zero, now)
        for back in 0..<length where window[back].hasPosition {
            since = window[back].at
            if back > 0, !window[back - 1].isRepeat {
                averaged = averaged + min(window[back - 1].at - since, .seconds(10))
            }
        }
        var found = StationaryReference(
            east: median.east, north: median.north, radius: median.radius, since: since, averaged: averaged, at: now)
        if let departure, isSwing(from: departure, to: found) { found.merge(with: departure.reference) }
        return found
    }

    private func isSwing(from departure: ProvisionalDeparture, to found: StationaryReference) -> Bool {
        let distance = departure.reference.distance(east: found.east, north: found.north)
        guard found.lastConfirmed - departure.publishedAt <= Self.maxSwingTime, distance <= Self.maxSwingDistance else {
            return false
        }
        // Without Doppler the speed follows from distance and time.
        let implied = distance / max((found.since - departure.since).seconds, 1)
        return (departure.fastest > 0 ? departure.fastest : implied) < Self.maxSwingSpeed
    }

    /// Returns whether the fixes stay together: one in twenty may lie outside the bound, none
    /// beyond twice the bound.
    private func isClustered(length: Int, about median: (east: Double, north: Double, radius: Double)) -> Bool {
        let bound = min(max(2 * median.radius, Self.minSpread), Self.maxSpread)
        var (positions, outliers) = (0, 0)
        for back in 0..<length where window[back].hasPosition {
            positions += 1
            let distance = window[back].distance(east: median.east, north: median.north)
            guard distance > bound else { continue }
            outliers += 1
            if distance > 2 * bound || outliers * 20 > length { return false }
        }
        return Double(positions) >= Self.minPositionShare * Double(length)
    }
}
