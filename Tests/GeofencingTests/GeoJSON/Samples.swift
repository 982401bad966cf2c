import Geodesy
import Testing
import Varlink

@testable import Geofencing

/// GeoJSON texts and helpers that parse them.
enum Sample {
    static func collection(_ features: String...) -> String {
        #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    }

    static func feature(_ geometry: String, properties: String) -> String {
        #"{"type":"Feature","geometry":\#(geometry),"properties":\#(properties)}"#
    }

    static func point(_ properties: String) -> String {
        feature(#"{"type":"Point","coordinates":[11.5,48.1]}"#, properties: properties)
    }

    static func polygon(_ coordinates: String, type: String = "Polygon") -> String {
        feature(#"{"type":"\#(type)","coordinates":\#(coordinates)}"#, properties: #"{"identifier":"area"}"#)
    }

    static let home = point(#"{"identifier":"home","radius":150}"#)

    static func read(_ text: String, unnamed: String? = nil) throws(GeoJSONError) -> [FenceFeature] {
        try FeatureCollection(parsing: Array(text.utf8), unnamed: unnamed).features
    }

    /// Returns the error for a text; nil if it is accepted.
    static func error(for text: String) -> String? {
        do throws(GeoJSONError) { _ = try read(text) } catch { return "\(error)" }
        return nil
    }

    static func area(_ text: String) throws -> Polygon {
        guard case .polygon(let polygon)? = try read(text).first?.condition.shape else { throw Failure() }
        return polygon
    }

    struct Failure: Error {}

    static func places(_ pairs: [(Double, Double)]) throws -> [Coordinate] {
        try pairs.map { try #require(Coordinate(latitude: $0.1, longitude: $0.0)) }
    }

    static func roundTrip(_ polygon: Polygon) throws -> (written: JSONValue, read: Polygon) {
        let feature = FenceFeature(identifier: "area", condition: FenceCondition(shape: .polygon(polygon)))
        let written = FeatureCollection(features: [feature]).json
        guard case .polygon(let read)? = try FeatureCollection(written).features.first?.condition.shape else {
            throw Failure()
        }
        let geometry = try #require(written["features"]?.array?.first?["geometry"])
        return (geometry, read)
    }
}
