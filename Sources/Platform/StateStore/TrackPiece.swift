// Wrapping arithmetic: differences of damaged bytes may be anything; no invalid position is sent.

/// A recorded position of the track.
package struct TrackRow: Sendable, Equatable {
    /// Milliseconds since 1970 by the receiver's clock.
    package var time: Int64
    /// Degrees north and east in units of 1e-7, WGS-84.
    package var (latitude, longitude): (Int64, Int64)
    /// R68 in decimetres.
    package var accuracy: Int64
    /// The altitude above mean sea level in decimetres; nil if unknown.
    package var altitude: Int64?
    /// Whether nothing is known about the way to this point.
    package var begins: Bool
    package var isSimulated: Bool

    /// Creates a point.
    package init(
        time: Int64, latitude: Int64, longitude: Int64, accuracy: Int64, altitude: Int64? = nil, begins: Bool = false,
        isSimulated: Bool = false
    ) {
        self.time = time
        (self.latitude, self.longitude) = (latitude, longitude)
        self.accuracy = accuracy
        self.altitude = altitude
        self.begins = begins
        self.isSimulated = isSimulated
    }
}

/// The packed form of consecutive points: the difference of each number from that of the point
/// before, in groups of seven bits. A point of a drive takes about 12 bytes.
package enum TrackPiece {
    private static let (hasAltitude, begins, isSimulated): (UInt8, UInt8, UInt8) = (1, 2, 4)

    /// Returns the packed form of points.
    package static func bytes(_ points: [TrackRow]) -> [UInt8] {
        var bytes: [UInt8] = []
        func put(_ value: Int64) {
            // The sign becomes the lowest bit, so that small differences are short.
            var rest = UInt64(bitPattern: value << 1 ^ value >> 63)
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
        var last = TrackRow(time: 0, latitude: 0, longitude: 0, accuracy: 0, altitude: 0)
        for point in points {
            bytes.append(
                (point.altitude == nil ? 0 : hasAltitude) | (point.begins ? begins : 0)
                    | (point.isSimulated ? isSimulated : 0))
            put(point.time &- last.time)
            put(point.latitude &- last.latitude)
            put(point.longitude &- last.longitude)
            put(point.accuracy &- last.accuracy)
            let altitude = last.altitude
            if let own = point.altitude { put(own &- (altitude ?? 0)) }
            last = point
            last.altitude = point.altitude ?? altitude
        }
        return bytes
    }

    /// Returns the points of a packed form, up to the first damage.
    package static func points(_ bytes: UnsafeRawBufferPointer) -> [TrackRow] {
        var points: [TrackRow] = []
        var index = 0
        func get() -> Int64? {
            var value: UInt64 = 0
            for shift in stride(from: 0, to: 64, by: 7) where index < bytes.count {
                let byte = bytes[index]
                index += 1
                value |= UInt64(byte & 0x7F) << UInt64(shift)
                if byte < 0x80 { return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
            }
            return nil
        }
        var last = TrackRow(time: 0, latitude: 0, longitude: 0, accuracy: 0, altitude: 0)
        while index < bytes.count {
            let flags = bytes[index]
            index += 1
            guard let time = get(), let latitude = get(), let longitude = get(), let accuracy = get() else { break }
            var point = TrackRow(
                time: last.time &+ time, latitude: last.latitude &+ latitude, longitude: last.longitude &+ longitude,
                accuracy: last.accuracy &+ accuracy, begins: flags & begins != 0,
                isSimulated: flags & isSimulated != 0)
            if flags & hasAltitude != 0 {
                guard let altitude = get() else { break }
                point.altitude = (last.altitude ?? 0) &+ altitude
            }
            points.append(point)
            let altitude = last.altitude
            last = point
            last.altitude = point.altitude ?? altitude
        }
        return points
    }
}
