import Geodesy

/// How the radius grows while a receiver reckons on without satellites: with the way since the last fix, and with time.
struct DeadReckoning: Sendable {
    private var start: (radius: Double, at: Double)?
    private var place: Coordinate?
    private var way = 0.0

    /// A position from satellites, or the first that was reckoned: what comes after is reckoned from here.
    mutating func begin(_ radius: Double, _ coordinate: Coordinate, at now: Double) {
        start = (radius, now)
        place = coordinate
        way = 0
    }

    /// A position that was reckoned. Metres of R68; nil where there was none to reckon from.
    mutating func radius(_ coordinate: Coordinate, at now: Double) -> Double? {
        guard let start else { return nil }
        if let place { way += place.nearbyDistance(to: coordinate) }
        place = coordinate
        let drift = AccuracyConstants.driftPerMetre * way + AccuracyConstants.driftPerSecond * (now - start.at)
        let grown = max(start.radius + drift, AccuracyConstants.kind(.estimated).floor)
        return min(grown, max(AccuracyConstants.mostDrift, start.radius))
    }
}
