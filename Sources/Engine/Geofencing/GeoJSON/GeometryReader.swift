import Geodesy
import Varlink

/// Creates a shape from a geometry and the radius or width among its properties.
struct GeometryReader {
    private static let coordinates = "geometry.coordinates"

    private let type: String
    private let value: JSONValue?
    private let properties: [String: JSONValue]

    init(geometry: [String: JSONValue], properties: [String: JSONValue]) {
        type = geometry["type"]?.string ?? ""
        value = geometry["coordinates"]
        self.properties = properties
    }

    /// The property that holds the radius or the width; nil if the shape has none.
    var sizeProperty: String? {
        switch type {
        case "Point": FenceFeature.Property.radius
        case "LineString", "MultiLineString": FenceFeature.Property.width
        default: nil
        }
    }

    func shape() throws(GeoJSONError) -> FenceShape {
        let shape = try unvalidatedShape()
        do throws(FenceShapeError) { return try shape.validated() } catch { throw coordinatesError("\(error)") }
    }

    /// Returns the shape without the checks of ``FenceShape/validated()``.
    private func unvalidatedShape() throws(GeoJSONError) -> FenceShape {
        switch type {
        case "Point":
            let radius = try metres(
                of: FenceFeature.Property.radius, requirement: "a Point needs the radius of its circle, in metres")
            return .circle(center: try position(value), radius: radius)
        case "LineString", "MultiLineString":
            let width = try metres(
                of: FenceFeature.Property.width, requirement: "a LineString needs the width of its corridor, in metres")
            return .corridor(path: try limited(try path(), points: \.count), width: width)
        case "Polygon", "MultiPolygon":
            return .polygon(try limited(try polygon(), points: { $0.holes.reduce($0.ring.count) { $0 + $1.count } }))
        case "MultiPoint", "GeometryCollection":
            throw GeoJSONError(
                member: "geometry.type", reason: "a \(type) has several shapes; make a separate feature of each")
        case "":
            throw GeoJSONError(
                member: "geometry.type",
                reason: "the type is missing; a condition is a Point, a Polygon or a LineString")
        default:
            let allowed = "a condition is a Point, a Polygon or a LineString"
            throw GeoJSONError(
                member: "geometry.type", reason: "\"\(type.prefix(64))\" is not a GeoJSON geometry; \(allowed)")
        }
    }

    private func metres(of name: String, requirement: String) throws(GeoJSONError) -> Double {
        let member = "properties.\(name)"
        guard let value = properties[name], value != .null else {
            throw GeoJSONError(member: member, reason: "the value is missing; \(requirement): \"\(name)\": 100")
        }
        guard let metres = value.double, metres > 0, metres <= ConditionLimit.extent else {
            throw GeoJSONError(
                member: member, reason: "must be a number of metres above 0 and at most \(Int(ConditionLimit.extent))")
        }
        return metres
    }

    /// Returns a shape if it has no more points than allowed.
    private func limited<Shape>(_ shape: Shape, points count: (Shape) -> Int) throws(GeoJSONError) -> Shape {
        let points = count(shape)
        guard points <= ConditionLimit.points else {
            let limit = ConditionLimit.points
            throw coordinatesError("\(points) points are too many (at most \(limit)); simplify the shape")
        }
        return shape
    }

    private func path() throws(GeoJSONError) -> [Coordinate] {
        guard type == "MultiLineString" else { return try line(value) }
        var path: [Coordinate] = []
        for part in try list(value, requirement: "must be an array of lines") {
            let next = try line(part)
            guard path.last.map({ $0.isSamePoint(as: next[0]) }) ?? true else {
                throw coordinatesError(
                    "each line must begin where the previous one ends; make a separate feature of each line")
            }
            path += path.isEmpty ? next[...] : next.dropFirst()
        }
        guard path.count >= 2 else { throw coordinatesError("there is no line") }
        return path
    }

    private func line(_ value: JSONValue?) throws(GeoJSONError) -> [Coordinate] {
        let path = try positions(value)
        guard path.count >= 2 else { throw coordinatesError("a line needs at least two positions") }
        return path
    }

    private func polygon() throws(GeoJSONError) -> Polygon {
        var parts: [Polygon] = []
        for rings in type == "Polygon"
            ? [value] : try list(value, requirement: "must be an array of polygons").map(Optional.some)
        {
            var closed: [[Coordinate]] = []
            for ring in try list(rings, requirement: "a polygon must be an array of rings, the outer one first") {
                closed.append(try self.ring(ring))
            }
            guard let outer = closed.first else { throw coordinatesError("a polygon needs at least one ring") }
            parts.append(Polygon(ring: outer, holes: Array(closed.dropFirst())))
        }
        let joined = AntimeridianJoiner.joined(parts)
        guard let polygon = joined.first else { throw coordinatesError("there is no polygon") }
        guard joined.count == 1 else {
            throw coordinatesError(
                "there are \(joined.count) separate areas, but a condition has one; make a separate feature of each")
        }
        return polygon
    }

    private func ring(_ value: JSONValue) throws(GeoJSONError) -> [Coordinate] {
        let all = try list(value, requirement: "a ring must be an array of positions")
        let ring = try positions(value)
        guard all.count >= 4 else {
            throw coordinatesError("a ring needs at least four positions, and the last must equal the first")
        }
        guard try position(all.first).isSamePoint(as: try position(all.last)) else {
            throw coordinatesError("a ring is not closed; repeat its first position at the end")
        }
        guard Set(ring).count >= 3 else { throw coordinatesError("a ring needs at least three different positions") }
        return ring.last.map { $0.isSamePoint(as: ring[0]) } ?? false ? Array(ring.dropLast()) : ring
    }

    /// Reads an array of positions and drops consecutive duplicates.
    private func positions(_ value: JSONValue?) throws(GeoJSONError) -> [Coordinate] {
        var found: [Coordinate] = []
        for each in try list(value, requirement: "must be an array of positions") {
            let next = try position(each)
            if next != found.last { found.append(next) }
        }
        return found
    }

    private func position(_ value: JSONValue?) throws(GeoJSONError) -> Coordinate {
        guard case .array(let numbers)? = value, numbers.count >= 2, let east = numbers[0].double,
            let north = numbers[1].double
        else {
            throw coordinatesError("a position must be an array of two numbers, longitude and latitude")
        }
        // Some programs write longitudes beyond 180 instead of splitting the shape.
        let longitude = abs(east) > 180 && abs(east) <= 360 ? east.remainder(dividingBy: 360) : east
        guard let coordinate = Coordinate(latitude: north, longitude: longitude) else {
            let isSwapped = abs(north) <= 180 && abs(east) <= 90
            let remedy = isSwapped ? "put the longitude first" : "use longitude, latitude in degrees, WGS-84"
            throw coordinatesError("[\(east), \(north)] is not a position in degrees; \(remedy)")
        }
        return coordinate
    }

    private func list(_ value: JSONValue?, requirement: String) throws(GeoJSONError) -> [JSONValue] {
        guard case .array(let list)? = value else { throw coordinatesError(requirement) }
        return list
    }

    private func coordinatesError(_ reason: String) -> GeoJSONError {
        GeoJSONError(member: GeometryReader.coordinates, reason: reason)
    }
}

extension Coordinate {
    /// Returns whether both coordinates are the same point: 180 east equals 180 west, and all
    /// longitudes are equal at a pole.
    func isSamePoint(as other: Coordinate) -> Bool { onAntimeridian == other.onAntimeridian }

    /// The same point with longitude -180 if it lies on the antimeridian or at a pole, where
    /// several longitudes are equivalent.
    var onAntimeridian: Coordinate {
        abs(longitude) == 180 || abs(latitude) == 90 ? Coordinate(latitude: latitude, longitude: -180) ?? self : self
    }
}
