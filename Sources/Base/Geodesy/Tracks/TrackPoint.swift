import Chronology

/// A position of a track with its time and any further data.
package struct TrackPoint<Payload: Sendable>: Sendable {
    /// The time of the position by the receiver's clock.
    package var time: UTCTime
    /// The position.
    package var coordinate: Coordinate
    /// Further data, which a simplification keeps with the point.
    package var payload: Payload

    /// Creates a point.
    package init(_ coordinate: Coordinate, at time: UTCTime, _ payload: Payload) {
        self.coordinate = coordinate
        self.time = time
        self.payload = payload
    }
}

extension TrackPoint where Payload == Void {
    /// Creates a point without further data.
    package init(_ coordinate: Coordinate, at time: UTCTime) { self.init(coordinate, at: time, ()) }
}

/// A straight movement between two positions at constant speed.
package struct TrackSegment: Sendable {
    /// Beyond this latitude in degrees, ``Coordinate/nearbyDistance(to:)`` is not accurate enough.
    private static let nearPole = 80.0

    private let start: Coordinate
    private let startTime: UTCTime
    private let north: Double
    private let east: Double
    private let duration: Double

    /// Creates the movement from one point to a later one.
    package init<A, B>(from start: TrackPoint<A>, to end: TrackPoint<B>) {
        self.start = start.coordinate
        startTime = start.time
        north = end.coordinate.latitude - start.coordinate.latitude
        east = (end.coordinate.longitude - start.coordinate.longitude).remainder(dividingBy: 360)
        duration = end.time.span(since: start.time).seconds
    }

    /// Returns the position at a time: latitude and longitude change linearly, and the shorter
    /// direction around the Earth is taken. Times outside the segment yield its ends.
    package func position(at time: UTCTime) -> Coordinate {
        let fraction = duration > 0 ? min(max(time.span(since: startTime).seconds / duration, 0), 1) : 1
        let latitude = min(max(start.latitude + north * fraction, -90), 90)
        let longitude = (start.longitude + east * fraction).remainder(dividingBy: 360)
        return Coordinate(latitude: latitude, longitude: longitude) ?? start
    }

    /// Returns the synchronised distance in metres: from a point to the position of the segment at
    /// the time of the point.
    package func distance<Payload>(to point: TrackPoint<Payload>) -> Double {
        let here = position(at: point.time)
        return abs(here.latitude) < TrackSegment.nearPole
            ? here.nearbyDistance(to: point.coordinate) : here.distance(to: point.coordinate)
    }
}
