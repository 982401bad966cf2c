import Geodesy
import Geofencing
import Varlink

/// Makes a shape of a geometry and the lengths among its properties.
struct GeometryReader {
    private static let coordinates = "geometry.coordinates"

    private let type: String
    private let value: JSONValue?
    private let properties: [String: JSONValue]

    init(_ geometry: [String: JSONValue], _ properties: [String: JSONValue]) {
        type = geometry["type"]?.string ?? ""
        value = geometry["coordinates"]
        self.properties = properties
    }

    func shape() throws(FeatureFlaw) -> FenceShape {
        let shape = try plainShape()
        do throws(FenceFault) { return try shape.validated() } catch { throw flaw("\(error)") }
    }

    private func plainShape() throws(FeatureFlaw) -> FenceShape {
        switch type {
        case "Point":
            let radius = try metres(FenceFeature.Property.radius, "a Point needs the radius of its circle, in metres")
            return .circle(center: try position(value), radius: radius)
        case "LineString", "MultiLineString":
            let width = try metres(FenceFeature.Property.width, "a LineString needs the width of its corridor, in metres")
            return .corridor(path: try bounded(try path(), \.count), width: width)
        case "Polygon", "MultiPolygon":
            return .polygon(try bounded(try polygon()) { $0.holes.reduce($0.ring.count) { $0 + $1.count } })
        case "MultiPoint", "GeometryCollection":
            throw FeatureFlaw("geometry.type", "a \(type) is several places; make a feature of each")
        case "": throw FeatureFlaw("geometry.type", "it has none; a condition is a Point, a Polygon or a LineString")
        default:
            let need = "a condition is a Point, a Polygon or a LineString"
            throw FeatureFlaw("geometry.type", "GeoJSON has no geometry \"\(type.prefix(64))\"; \(need)")
        }
    }

    private func metres(_ name: String, _ need: String) throws(FeatureFlaw) -> Double {
        let member = "properties.\(name)"
        guard let value = properties[name], value != .null else { throw FeatureFlaw(member, "it is missing; \(need): \"\(name)\": 100") }
        guard let metres = value.double, metres > 0, metres <= FeatureLimit.metres else {
            throw FeatureFlaw(member, "it is a number of metres, more than 0 and at most 1000000")
        }
        return metres
    }

    private func bounded<Shape>(_ shape: Shape, _ count: (Shape) -> Int) throws(FeatureFlaw) -> Shape {
        let points = count(shape)
        guard points <= FeatureLimit.points else {
            throw flaw("\(points) points are too many, \(FeatureLimit.points) is the most; simplify it")
        }
        return shape
    }

    private func path() throws(FeatureFlaw) -> [Coordinate] {
        guard type == "MultiLineString" else { return try line(value) }
        var path: [Coordinate] = []
        for part in try list(value, "it is a list of lines") {
            let next = try line(part)
            guard path.last.map({ $0.isAtPlace(of: next[0]) }) ?? true else {
                throw flaw("the lines do not begin where the one before ends; make a feature of each")
            }
            path += path.isEmpty ? next[...] : next.dropFirst()
        }
        guard path.count >= 2 else { throw flaw("it has no line") }
        return path
    }

    private func line(_ value: JSONValue?) throws(FeatureFlaw) -> [Coordinate] {
        let path = try positions(value)
        guard path.count >= 2 else { throw flaw("a line has two positions or more") }
        return path
    }

    private func polygon() throws(FeatureFlaw) -> Polygon {
        var parts: [Polygon] = []
        for rings in type == "Polygon" ? [value] : try list(value, "it is a list of polygons").map(Optional.some) {
            var closed: [[Coordinate]] = []
            for ring in try list(rings, "a polygon is a list of rings, the outer one first") { closed.append(try self.ring(ring)) }
            guard let outer = closed.first else { throw flaw("a polygon has a ring") }
            parts.append(Polygon(ring: outer, holes: Array(closed.dropFirst())))
        }
        let joined = AntimeridianWeld.joined(parts)
        guard let polygon = joined.first else { throw flaw("it has no polygon") }
        guard joined.count == 1 else {
            throw flaw("it has \(joined.count) areas apart from each other, and a condition is one; make a feature of each")
        }
        return polygon
    }

    private func ring(_ value: JSONValue) throws(FeatureFlaw) -> [Coordinate] {
        let all = try list(value, "a ring is a list of positions")
        let ring = try positions(value)
        guard all.count >= 4 else { throw flaw("a ring has four positions or more, the last as the first") }
        guard try position(all.first).isAtPlace(of: try position(all.last)) else {
            throw flaw("a ring is not closed; repeat its first position at its end")
        }
        guard Set(ring).count >= 3 else { throw flaw("a ring of fewer than three places has no area") }
        return ring.last.map { $0.isAtPlace(of: ring[0]) } ?? false ? Array(ring.dropLast()) : ring
    }

    /// The positions of a list; of those that stand one after the other at one place, the first.
    private func positions(_ value: JSONValue?) throws(FeatureFlaw) -> [Coordinate] {
        var found: [Coordinate] = []
        for each in try list(value, "it is a list of positions") {
            let next = try position(each)
            if next != found.last { found.append(next) }
        }
        return found
    }

    private func position(_ value: JSONValue?) throws(FeatureFlaw) -> Coordinate {
        guard case .array(let numbers)? = value, numbers.count >= 2, let east = numbers[0].double, let north = numbers[1].double else {
            throw flaw("a position is a list of two numbers, longitude and latitude")
        }
        // Some write on beyond 180 rather than cut.
        let longitude = abs(east) > 180 && abs(east) <= 360 ? east.remainder(dividingBy: 360) : east
        guard let coordinate = Coordinate(latitude: north, longitude: longitude) else {
            let isSwapped = abs(north) <= 180 && abs(east) <= 90
            let mend = isSwapped ? "the longitude comes first" : "longitude, latitude, WGS-84"
            throw flaw("[\(east), \(north)] is no position in degrees; \(mend)")
        }
        return coordinate
    }

    private func list(_ value: JSONValue?, _ need: String) throws(FeatureFlaw) -> [JSONValue] {
        guard case .array(let list)? = value else { throw flaw(need) }
        return list
    }

    private func flaw(_ reason: String) -> FeatureFlaw { FeatureFlaw(GeometryReader.coordinates, reason) }
}

extension Coordinate {
    /// Whether both are one place: 180 east is 180 west, and at a pole every longitude is.
    func isAtPlace(of other: Coordinate) -> Bool { onSeam == other.onSeam }

    /// The same place, with the one name of several that it has on the antimeridian and at the poles: 180 west.
    var onSeam: Coordinate {
        abs(longitude) == 180 || abs(latitude) == 90 ? Coordinate(latitude: latitude, longitude: -180) ?? self : self
    }
}
