import Geodesy
import Varlink

/// Several positions in one message, which is Sextant's own: OwnTracks has none.
///
/// The members are columns with one number for each position, oldest first. In `_id`, `tst`, `lat`
/// and `lon` the first number is the value, and each later one the difference to the value before
/// it. `lat` and `lon` are in 1e-7 degrees. The other columns have the values and units of the
/// message `location`; null stands for an unknown one, and a column without a known one is absent.
extension OwnTracks {
    /// The topic of tracks, apart from those that the Recorder reads.
    public var trackTopic: String { "sextant/\(user)/\(device)/track" }

    /// Returns the message `track`. Records of events are left out.
    public func track(_ records: [FleetRecord]) -> JSONValue {
        var points: [FleetPoint] = []
        var numbers: [Int64] = []
        for record in records {
            guard case .point(let point) = record.content else { continue }
            points.append(point)
            numbers.append(record.sequence)
        }
        var members: [String: JSONValue] = [
            "_type": "track", "tid": .string(trackerID), "_id": OwnTracks.differences(numbers),
            "tst": OwnTracks.differences(points.map(\.seconds)),
            "lat": OwnTracks.differences(points.map { OwnTracks.steps($0.coordinate.latitude) }),
            "lon": OwnTracks.differences(points.map { OwnTracks.steps($0.coordinate.longitude) }),
            "acc": .array(points.map { .int($0.roundedAccuracy) }),
        ]
        func put(_ name: String, _ values: [Double?]) {
            let column = values.map { value -> JSONValue in
                guard let value, value.isFinite, abs(value) < 1e9 else { return .null }
                return .int(Int64(value.rounded()))
            }
            if column.contains(where: { $0 != .null }) { members[name] = .array(column) }
        }
        put("alt", points.map(\.altitude))
        put("vel", points.map { $0.speed.map { $0 * 3.6 } })
        put("cog", points.map(\.course))
        return .object(members)
    }

    private static func steps(_ degrees: Double) -> Int64 { Int64((degrees * 1e7).rounded()) }

    /// The first value, and the differences between each and the one before. No value is so large
    /// that a difference overflows: numbers of records, seconds and 1e-7 degrees.
    private static func differences(_ values: [Int64]) -> JSONValue {
        var last: Int64 = 0
        return .array(
            values.map { value in
                let (difference, overflow) = value.subtractingReportingOverflow(last)
                last = value
                return .int(overflow ? 0 : difference)
            })
    }
}
