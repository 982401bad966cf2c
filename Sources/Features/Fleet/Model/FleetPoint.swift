import Chronology
import Geodesy

/// A position that is reported to servers.
package struct FleetPoint: Sendable, Equatable {
    /// UTC of the fix, never that of the host.
    package var time: UTCTime
    package var coordinate: Coordinate
    /// R68 in metres; nil if unknown.
    package var accuracy: Double?
    /// The altitude in metres above mean sea level; nil if unknown.
    package var altitude: Double?
    /// The radius of the altitude for 68 % in metres; nil if unknown. The packed form does not have
    /// it: a point that waited on disk has none.
    package var verticalAccuracy: Double?
    /// The speed in metres per second; nil if unknown.
    package var speed: Double?
    /// The course in degrees clockwise from true north; nil if unknown.
    package var course: Double?

    package init(
        _ coordinate: Coordinate, at time: UTCTime, accuracy: Double?, altitude: Double? = nil,
        verticalAccuracy: Double? = nil, speed: Double? = nil, course: Double? = nil
    ) {
        self.coordinate = coordinate
        self.time = time
        self.accuracy = accuracy
        self.altitude = altitude
        self.verticalAccuracy = verticalAccuracy
        self.speed = speed
        self.course = course
    }

    /// The accuracy that servers get for an unknown one, in metres: they need a number.
    package static let unknownAccuracy: Int64 = 1_000_000

    /// The accuracy in whole metres, rounded up, at least 1: Home Assistant drops a position with
    /// accuracy 0 (homeassistant/components/owntracks/messages.py).
    package var roundedAccuracy: Int64 {
        guard let accuracy, accuracy < Double(FleetPoint.unknownAccuracy) else { return FleetPoint.unknownAccuracy }
        return Int64(max(accuracy.rounded(.up), 1))
    }

    /// The seconds since 1970, as OwnTracks states times.
    package var seconds: Int64 { time.wholeSeconds }
}

/// The form of a point in the outbox: 24 bytes, so that a queue of 400,000 points takes 16 MiB.
///
/// Big-endian: time in milliseconds (8), latitude and longitude in units of 1e-7 degrees (4 and 4),
/// accuracy in metres (2), altitude in metres (2), speed in cm/s (2), course in 0.01 degrees (2).
extension FleetPoint {
    /// The number of bytes of a packed point.
    package static let packedCount = 24
    private static let unknown: UInt16 = 0xFFFF
    /// The largest number that is not ``unknown``.
    private static let maxNumber = 65_534.0
    private static let unknownAltitude: Int16 = .min
    /// The times that a receiver can report, 1970 to 9999, in milliseconds.
    private static let times: ClosedRange<Int64> = 0...253_402_300_799_999

    package var packed: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(FleetPoint.packedCount)
        func put(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value.bigEndian) { bytes += $0 } }
        func put16(_ value: Double?) {
            put(value.map { UInt16(min(max($0.rounded(), 0), FleetPoint.maxNumber)) } ?? FleetPoint.unknown)
        }
        put(time.milliseconds)
        put(Int32((coordinate.latitude * 1e7).rounded()))
        put(Int32((coordinate.longitude * 1e7).rounded()))
        // A worse accuracy becomes an unknown one: it must not be stated better than it is.
        put16(roundedAccuracy <= Int64(FleetPoint.maxNumber) ? Double(roundedAccuracy) : nil)
        put(altitude.map { Int16(min(max($0.rounded(), -32_767), 32_767)) } ?? FleetPoint.unknownAltitude)
        put16(speed.map { $0 * 100 })
        put16(course.map { $0 * 100 })
        return bytes
    }

    /// Reads the packed form; nil if the bytes are not one.
    package init?(packed bytes: [UInt8]) {
        guard bytes.count == FleetPoint.packedCount else { return nil }
        func get<Value: FixedWidthInteger>(_ offset: Int, as type: Value.Type) -> Value {
            Value(bigEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) })
        }
        func get16(_ offset: Int, scale: Double) -> Double? {
            let value = get(offset, as: UInt16.self)
            return value == FleetPoint.unknown ? nil : Double(value) / scale
        }
        let altitude = get(18, as: Int16.self)
        let time = get(0, as: Int64.self)
        guard
            FleetPoint.times.contains(time),
            let coordinate = Coordinate(
                latitude: Double(get(8, as: Int32.self)) / 1e7, longitude: Double(get(12, as: Int32.self)) / 1e7)
        else { return nil }
        self.init(
            coordinate, at: UTCTime(milliseconds: time), accuracy: get16(16, scale: 1),
            altitude: altitude == FleetPoint.unknownAltitude ? nil : Double(altitude), speed: get16(20, scale: 100),
            course: get16(22, scale: 100))
    }
}

/// Makes space in a full outbox: selects points of the track that can be deleted.
package enum TrackCoarsening {
    /// Returns the numbers of the points that a track does not need with this tolerance.
    ///
    /// - Parameter points: The points with their numbers, oldest first.
    package static func superfluous(_ points: [(sequence: Int64, point: FleetPoint)], tolerance: Double) -> [Int64] {
        guard var simplifier = TrackSimplifier<Int64>(tolerance: tolerance) else { return [] }
        var needed: Set<Int64> = []
        for (sequence, point) in points {
            let entry = TrackPoint(point.coordinate, at: point.time, sequence)
            needed.formUnion(simplifier.add(entry, at: .zero).map(\.payload))
        }
        needed.formUnion(simplifier.finish().map(\.payload))
        return points.map(\.sequence).filter { !needed.contains($0) }
    }
}
