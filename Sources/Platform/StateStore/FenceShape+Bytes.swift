import Chronology
import Geodesy
import Geofencing

/// The stored form of a shape: one byte for the format (1), one byte for the kind, then numbers in
/// little-endian order.
///
///     1 circle     latitude, longitude, radius
///     2 polygon    number of rings, outer first; per ring: number of points, then pairs of
///                  latitude and longitude
///     3 corridor   width, number of points, then latitude-longitude pairs
///
///     4 visits     nothing
///     5 movements  distance in metres, interval in seconds
///     6 beacon     UUID, and per number one byte for whether it is there (1 or 0) and two for it
///
/// Degrees and metres are IEEE 754 doubles, so reading returns the exact values written. Counts
/// have four bytes.
extension FenceShape {
    fileprivate static let form: UInt8 = 1

    var bytes: [UInt8] {
        var bytes = [FenceShape.form]
        switch self {
        case .circle(let center, let radius):
            bytes.append(1)
            bytes.put(center)
            bytes.put(radius)
        case .polygon(let polygon):
            bytes.append(2)
            bytes.put(count: 1 + polygon.holes.count)
            bytes.put(polygon.ring)
            for hole in polygon.holes { bytes.put(hole) }
        case .corridor(let path, let width):
            bytes.append(3)
            bytes.put(width)
            bytes.put(path)
        }
        return bytes
    }

    /// Decodes a shape; nil if the bytes are invalid.
    init?(bytes: UnsafeRawBufferPointer) {
        var reader = ShapeReader(bytes: bytes)
        guard reader.byte() == FenceShape.form else { return nil }
        switch reader.byte() {
        case 1:
            guard let center = reader.point(), let radius = reader.number() else { return nil }
            self = .circle(center: center, radius: radius)
        case 2:
            guard let count = reader.count(of: 4), count > 0, let ring = reader.points() else { return nil }
            var holes: [[Coordinate]] = []
            for _ in 1..<count {
                guard let hole = reader.points() else { return nil }
                holes.append(hole)
            }
            self = .polygon(Polygon(ring: ring, holes: holes))
        case 3:
            guard let width = reader.number(), let path = reader.points() else { return nil }
            self = .corridor(path: path, width: width)
        default: return nil
        }
        guard reader.atEnd else { return nil }
    }
}

extension ConditionSubject {
    private static let visitsKind: UInt8 = 4
    private static let movementsKind: UInt8 = 5
    private static let beaconKind: UInt8 = 6

    var bytes: [UInt8] {
        switch self {
        case .area(let shape): return shape.bytes
        case .visits: return [FenceShape.form, ConditionSubject.visitsKind]
        case .significantChange(let change):
            var bytes = [FenceShape.form, ConditionSubject.movementsKind]
            bytes.put(change.distance)
            bytes.put(change.interval.seconds)
            return bytes
        case .beacon(let identity):
            let numbers = [identity.major, identity.minor].flatMap { number -> [UInt8] in
                let value = number ?? 0
                return [number == nil ? 0 : 1, UInt8(value & 0xFF), UInt8(value >> 8)]
            }
            return [FenceShape.form, ConditionSubject.beaconKind] + identity.uuid.bytes + numbers
        }
    }

    /// Decodes a subject; nil if the bytes are invalid.
    init?(bytes: UnsafeRawBufferPointer) {
        if let shape = FenceShape(bytes: bytes) {
            self = .area(shape)
            return
        }
        var reader = ShapeReader(bytes: bytes)
        guard reader.byte() == FenceShape.form else { return nil }
        switch reader.byte() {
        case ConditionSubject.visitsKind: self = .visits
        case ConditionSubject.movementsKind:
            guard let distance = reader.number(), SignificantChange.distances.contains(distance),
                let interval = reader.number(), SignificantChange.intervals.contains(interval)
            else { return nil }
            self = .significantChange(SignificantChange(distance: distance, interval: .seconds(interval)))
        case ConditionSubject.beaconKind:
            let rest = (0..<22).compactMap { _ in reader.byte() }
            guard rest.count == 22, let uuid = BeaconUUID(rest[0..<16]), max(rest[16], rest[19]) <= 1 else {
                return nil
            }
            let numbers = [16, 19].map { rest[$0] == 1 ? UInt16(rest[$0 + 1]) | UInt16(rest[$0 + 2]) << 8 : nil }
            self = .beacon(BeaconIdentity(uuid: uuid, major: numbers[0], minor: numbers[1]))
        default: return nil
        }
        guard reader.atEnd else { return nil }
    }
}

extension [UInt8] {
    fileprivate mutating func put(_ number: Double) {
        Swift.withUnsafeBytes(of: number.bitPattern.littleEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func put(count: Int) {
        Swift.withUnsafeBytes(of: UInt32(clamping: count).littleEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func put(_ point: Coordinate) {
        put(point.latitude)
        put(point.longitude)
    }

    fileprivate mutating func put(_ points: [Coordinate]) {
        put(count: points.count)
        for point in points { put(point) }
    }
}

private struct ShapeReader {
    let bytes: UnsafeRawBufferPointer
    var at = 0

    var atEnd: Bool { at == bytes.count }

    mutating func byte() -> UInt8? {
        guard at < bytes.count else { return nil }
        defer { at += 1 }
        return bytes[at]
    }

    mutating func number() -> Double? {
        guard bytes.count - at >= 8 else { return nil }
        defer { at += 8 }
        let number = Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
        return number.isFinite ? number : nil
    }

    /// Reads a count of elements of at least `size` bytes; nil if the remaining bytes cannot hold
    /// them.
    mutating func count(of size: Int) -> Int? {
        guard bytes.count - at >= 4 else { return nil }
        let count = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
        at += 4
        return count <= (bytes.count - at) / size ? count : nil
    }

    mutating func point() -> Coordinate? {
        guard let latitude = number(), let longitude = number() else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    mutating func points() -> [Coordinate]? {
        guard let count = count(of: 16) else { return nil }
        var points: [Coordinate] = []
        points.reserveCapacity(count)
        for _ in 0..<count {
            guard let point = point() else { return nil }
            points.append(point)
        }
        return points
    }
}
