import Chronology
import Geodesy
import Varlink

extension FenceFeature {
    /// The condition as a GeoJSON Feature. A property with a defined meaning replaces metadata of
    /// the same name.
    package var json: JSONValue {
        var properties = metadata
        properties[Property.identifier] = .string(identifier)
        if condition.assuming != .unknown { properties[Property.assuming] = .string(condition.assuming.rawValue) }
        if let dwell = condition.dwell { properties[Property.dwell] = JSONValue(plainly: dwell.seconds) }
        if let expiry = condition.expiry { properties[Property.expiry] = .string(expiry.description) }
        switch condition.subject {
        case .area(.circle(_, let radius)): properties[Property.radius] = JSONValue(plainly: radius)
        case .area(.corridor(_, let width)): properties[Property.width] = JSONValue(plainly: width)
        case .area(.polygon): break
        case .visits: properties[Property.visits] = .bool(true)
        case .significantChange(let change):
            properties[Property.significantChange] = [
                "distance": JSONValue(plainly: change.distance),
                "interval": JSONValue(plainly: change.interval.seconds),
            ]
        }
        return [
            "type": "Feature", "properties": .object(properties), "geometry": condition.shape?.geometry ?? .null,
        ]
    }
}

extension FenceShape {
    /// The GeoJSON geometry. Rings are closed, outer rings run counterclockwise, and the shape is
    /// split at the antimeridian (RFC 7946, 3.1.6 and 3.1.9).
    var geometry: JSONValue {
        switch self {
        case .circle(let center, _): return ["type": "Point", "coordinates": center.json]
        case .polygon(let polygon):
            let parts = AntimeridianSplitter.parts(of: polygon).map { part in
                JSONValue.array(([part.ring] + part.holes).map { ring in .array((ring + ring.prefix(1)).map(\.json)) })
            }
            if parts.count == 1 { return ["type": "Polygon", "coordinates": parts[0]] }
            return ["type": "MultiPolygon", "coordinates": .array(parts)]
        case .corridor(let path, _):
            let parts = AntimeridianSplitter.parts(of: path).map { JSONValue.array($0.map(\.json)) }
            if parts.count == 1 { return ["type": "LineString", "coordinates": parts[0]] }
            return ["type": "MultiLineString", "coordinates": .array(parts)]
        }
    }
}

extension Coordinate {
    /// The GeoJSON position: longitude first, seven decimals.
    fileprivate var json: JSONValue { [.double(Coordinate.rounded(longitude)), .double(Coordinate.rounded(latitude))] }

    private static func rounded(_ degrees: Double) -> Double {
        let scaled = (degrees * 1e7).rounded()
        return scaled == 0 ? 0 : scaled / 1e7
    }
}

extension JSONValue {
    /// Creates a number, without a decimal point if it is whole.
    fileprivate init(plainly number: Double) {
        self = Int64(exactly: number).map(JSONValue.int) ?? .double(number)
    }
}
