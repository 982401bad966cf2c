import Geodesy

/// The growth of the radius during dead reckoning without satellites: with the distance since the
/// last fix, and with time.
struct DeadReckoning: Sendable {
    private var start: (radius: Double, at: Double)?
    private var last: Coordinate?
    private var distance = 0.0

    /// Starts dead reckoning from a position: a satellite fix or the first estimated position.
    mutating func begin(radius: Double, at coordinate: Coordinate, seconds: Double) {
        start = (radius, seconds)
        last = coordinate
        distance = 0
    }

    /// Returns R68 in metres for an estimated position; nil if there is no position to start from.
    mutating func radius(_ coordinate: Coordinate, at seconds: Double) -> Double? {
        guard let start else { return nil }
        if let last { distance += last.nearbyDistance(to: coordinate) }
        last = coordinate
        let drift = AccuracyConstants.driftPerMetre * distance + AccuracyConstants.driftPerSecond * (seconds - start.at)
        let grown = max(start.radius + drift, AccuracyConstants.kind(.estimated).floor)
        return min(grown, max(AccuracyConstants.maxDrift, start.radius))
    }
}
