import Geodesy
import Glibc

/// One polygon of a region as the file stores it: rings of points in steps of 0.0001 degree, as
/// differences in variable length (zigzag and LEB128, as in Protocol Buffers).
package enum RegionPart {
    /// The steps of one degree. A step is 11 m or less.
    static let steps = 10_000.0
    /// The number of points of a part, at most.
    package static let maxPoints = 4_000_000

    /// Encodes rings of points with latitude and longitude in degrees, the outer one first. The
    /// last point of a ring is joined with its first.
    package static func encode(_ rings: [[Coordinate]]) -> [UInt8] {
        var bytes: [UInt8] = []
        append(Int64(rings.count), to: &bytes)
        for ring in rings {
            append(Int64(ring.count), to: &bytes)
            var last: (latitude: Int64, longitude: Int64) = (0, 0)
            for point in ring {
                let latitude = Int64((point.latitude * steps).rounded())
                let longitude = Int64((point.longitude * steps).rounded())
                append(zigzag(latitude - last.latitude), to: &bytes)
                append(zigzag(longitude - last.longitude), to: &bytes)
                last = (latitude, longitude)
            }
        }
        return bytes
    }

    /// Whether a part contains a point, by the number of edges north of it. Damaged bytes contain
    /// nothing.
    package static func contains(_ point: Coordinate, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let x = point.longitude * steps
        let y = point.latitude * steps
        var isInside = false
        let isWhole = forEachEdge(bytes) { first, second in
            guard (first.x > x) != (second.x > x) else { return }
            let height = first.y + (x - first.x) / (second.x - first.x) * (second.y - first.y)
            if height > y { isInside.toggle() }
        }
        return isWhole && isInside
    }

    /// Returns the distance from a point to the nearest edge in degrees of latitude, in the plane
    /// at the point's latitude; nil for damaged bytes. Only for less than a few degrees.
    package static func distance(from point: Coordinate, _ bytes: UnsafeRawBufferPointer) -> Double? {
        let scale = cos(point.latitude * .pi / 180)
        let x = point.longitude * steps
        let y = point.latitude * steps
        var least = Double.infinity
        let isWhole = forEachEdge(bytes) { first, second in
            let start = (x: (first.x - x) * scale, y: first.y - y)
            let edge = (x: (second.x - first.x) * scale, y: second.y - first.y)
            let square = edge.x * edge.x + edge.y * edge.y
            let part = square > 0 ? min(1, max(0, -(start.x * edge.x + start.y * edge.y) / square)) : 0
            let foot = (x: start.x + part * edge.x, y: start.y + part * edge.y)
            least = min(least, foot.x * foot.x + foot.y * foot.y)
        }
        return isWhole && least.isFinite ? least.squareRoot() / steps : nil
    }

    /// A point in steps.
    private typealias Vertex = (x: Double, y: Double)

    /// Calls `body` with each edge. Returns whether the bytes are whole.
    private static func forEachEdge(_ bytes: UnsafeRawBufferPointer, _ body: (Vertex, Vertex) -> Void) -> Bool {
        var position = 0
        guard let rings = read(bytes, &position), rings <= maxPoints else { return false }
        for _ in 0..<rings {
            guard let count = read(bytes, &position), count <= maxPoints else { return false }
            var first: Vertex?
            var last: Vertex?
            var latitude: Int64 = 0
            var longitude: Int64 = 0
            for _ in 0..<count {
                guard let north = read(bytes, &position), let east = read(bytes, &position) else { return false }
                // Below 2^22 points of below 2^35 each: the sum cannot overflow.
                latitude += signed(north)
                longitude += signed(east)
                let vertex = (x: Double(longitude), y: Double(latitude))
                if let last { body(last, vertex) }
                if first == nil { first = vertex }
                last = vertex
            }
            if let first, let last { body(last, first) }
        }
        return position == bytes.count
    }

    private static func zigzag(_ value: Int64) -> Int64 { value < 0 ? -2 * value - 1 : 2 * value }

    private static func signed(_ value: Int64) -> Int64 { value % 2 == 0 ? value / 2 : -(value / 2) - 1 }

    private static func append(_ value: Int64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest % 0x80) | 0x80)
            rest /= 0x80
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads a number of at most five bytes, thus below 2^35.
    private static func read(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Int64? {
        var value: Int64 = 0
        for shift in stride(from: Int64(0), through: 28, by: 7) {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            value |= Int64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
