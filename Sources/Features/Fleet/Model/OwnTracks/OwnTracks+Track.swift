import Geodesy
import Varlink

/// The message `track` of Sextant: several positions at once. OwnTracks has none.
extension OwnTracks {
    /// The maximum number of positions in a message: some 3 kB.
    package static let maxTrackCount = 100

    /// The topic of positions in batches.
    package var trackTopic: String { "\(topic)/track" }

    /// Returns the message `track`. Each entry of `points` has the members `_id`, `tst`, `lat`,
    /// `lon`, `acc`, `alt`, `vel` and `cog` of a `location`, in this order.
    ///
    /// Latitude and longitude are in units of 1e-7 degrees. From the second entry on, the first
    /// four are differences to the entry before. An unknown member is null.
    package func track(_ points: [(sequence: Int64, point: FleetPoint)]) -> JSONValue {
        var previous: [Int64] = [0, 0, 0, 0]
        var rows: [JSONValue] = []
        for (sequence, point) in points {
            let present = [
                sequence, point.seconds, OwnTracks.units(point.coordinate.latitude),
                OwnTracks.units(point.coordinate.longitude),
            ]
            // Only a damaged outbox has numbers so far apart that this wraps.
            let differences = zip(present, previous).map { JSONValue.int($0 &- $1) }
            let others = [
                .int(point.roundedAccuracy), OwnTracks.whole(point.altitude),
                OwnTracks.whole(point.speed.map { $0 * 3.6 }), OwnTracks.whole(point.course),
            ]
            rows.append(.array(differences + others))
            previous = present
        }
        return ["_type": "track", "tid": .string(trackerID), "points": .array(rows)]
    }

    private static func units(_ degrees: Double) -> Int64 { Int64((degrees * 1e7).rounded()) }

    private static func whole(_ value: Double?) -> JSONValue {
        guard let value, value.isFinite, abs(value) < 1e9 else { return .null }
        return .int(Int64(value.rounded()))
    }
}
