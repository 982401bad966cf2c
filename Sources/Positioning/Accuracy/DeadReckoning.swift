import Geodesy

/// The growth of the radius during dead reckoning without satellites: with the distance since the
/// last fix, and with time.
struct DeadReckoning: Sendable {
    private var start: (radius: Double, at: Double)?
    private var place: Coordinate?
    private var way = 0.0

    /// Starts dead reckoning from a position: a satellite fix or the first estimated position.
    mutating func begin(_ radius: Double, _ coordinate: Coordinate, at now: Double) {
        start = (radius, now)
        place = coordinate
        way = 0
    }

    /// Returns R68 in metres for an estimated position; nil if there is no position to start from.
    mutating func radius(_ coordinate: Coordinate, at now: Double) -> Double? {
        guard let start else { return nil }
        if let place { way += place.nearbyDistance(to: coordinate) }
        place = coordinate
        let drift = AccuracyConstants.driftPerMetre * way + AccuracyConstants.driftPerSecond * (now - start.at)
        let grown = max(start.radius + drift, AccuracyConstants.kind(.estimated).floor)
        return min(grown, max(AccuracyConstants.maxDrift, start.radius))
    }
}
