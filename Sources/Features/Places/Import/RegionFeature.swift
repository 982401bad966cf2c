import Geodesy
import Varlink

/// An area of a GeoJSON file.
struct RegionFeature: Equatable {
    /// The data set that the properties show.
    enum DataSet: Equatable {
        /// Natural Earth (https://www.naturalearthdata.com).
        case naturalEarth
        /// Time zones of OpenStreetMap (https://github.com/evansiroky/timezone-boundary-builder).
        case timeZones
    }

    /// Why a feature is not imported.
    enum Failure: Error, Equatable {
        /// It is no valid area.
        case invalid
        /// What the area is does not follow from its properties.
        case unknownKind
    }

    var kind: Region.Kind
    /// The country's letters; empty if unknown.
    var country: String
    var name: String
    var polygons: [[[Coordinate]]]
    var dataSet: DataSet?

    /// Values of Natural Earth's "featurecla" for waters.
    private static let lakes: Set<String> = ["lake", "alkaline lake", "reservoir", "river", "playa"]
    private static let seas: Set<String> = [
        "ocean", "sea", "bay", "gulf", "strait", "channel", "sound", "fjord", "inlet", "lagoon", "reef", "generic",
    ]

    init(_ bytes: [UInt8], options: ImportOptions) throws(Failure) {
        guard let value = try? JSONValue(parsing: bytes), value["type"]?.string == "Feature",
            let geometry = value["geometry"]
        else { throw .invalid }
        let properties = Dictionary((value["properties"]?.object ?? [:]).map { ($0.lowercased(), $1) }) { first, _ in
            first
        }
        func text(_ name: String) -> String { properties[name.lowercased()]?.string ?? "" }
        let features = text("featurecla").lowercased()
        dataSet = !text("tzid").isEmpty ? .timeZones : features.isEmpty ? nil : .naturalEarth
        guard let kind = RegionFeature.kind(text, features) ?? options.kind else { throw .unknownKind }
        self.kind = kind
        let own = options.code.map(text) ?? ""
        switch kind {
        case .zone:
            name = own.isEmpty ? text("tzid") : own
            country = ""
            guard !name.isEmpty else { throw .invalid }
        case .country, .division:
            name = text("name")
            country = RegionFeature.letters(own, text("iso_a2_eh"), text("iso_a2"))
        case .ocean, .lake:
            name = own.isEmpty ? text("name") : own
            country = ""
            guard !name.isEmpty else { throw .invalid }
        }
        polygons = try RegionFeature.polygons(of: geometry)
    }

    static func parse(_ bytes: [UInt8], _ options: ImportOptions) -> Result<RegionFeature, Failure> {
        do throws(Failure) {
            return .success(try RegionFeature(bytes, options: options))
        } catch {
            return .failure(error)
        }
    }

    private static func kind(_ text: (String) -> String, _ features: String) -> Region.Kind? {
        if !text("tzid").isEmpty { return .zone }
        if lakes.contains(features) { return .lake }
        if seas.contains(features) { return .ocean }
        if !text("iso_3166_2").isEmpty { return .division }
        if !text("iso_a2").isEmpty { return .country }
        return nil
    }

    /// The first text of two letters. Natural Earth writes -99 or -1 where there is no code.
    private static func letters(_ texts: String...) -> String {
        texts.first { $0.utf8.count == 2 && $0.utf8.allSatisfy { (65...90).contains($0) } } ?? ""
    }

    private static func polygons(of geometry: JSONValue) throws(Failure) -> [[[Coordinate]]] {
        let lists: [JSONValue]? =
            switch geometry["type"]?.string {
            case "Polygon": geometry["coordinates"].map { [$0] }
            case "MultiPolygon": geometry["coordinates"]?.array
            default: nil
            }
        guard let lists, !lists.isEmpty else { throw .invalid }
        var polygons: [[[Coordinate]]] = []
        for list in lists {
            guard let rings = list.array, !rings.isEmpty else { throw .invalid }
            var polygon: [[Coordinate]] = []
            for ring in rings { polygon.append(try points(of: ring)) }
            polygons.append(polygon)
        }
        return polygons
    }

    /// The points of a ring without the repeated first one.
    private static func points(of ring: JSONValue) throws(Failure) -> [Coordinate] {
        guard let list = ring.array, list.count >= 4, list.count <= RegionPart.maxPoints else { throw .invalid }
        var points: [Coordinate] = []
        points.reserveCapacity(list.count)
        for pair in list {
            guard let pair = pair.array, pair.count >= 2, let longitude = pair[0].double,
                let latitude = pair[1].double, let point = coordinate(latitude, longitude)
            else { throw .invalid }
            points.append(point)
        }
        if points.first == points.last { points.removeLast() }
        guard points.count >= 3 else { throw .invalid }
        return points
    }

    /// A point; rounding may have moved it over the edge of the map.
    private static func coordinate(_ latitude: Double, _ longitude: Double) -> Coordinate? {
        guard abs(latitude) < 90.001, abs(longitude) < 180.001 else { return nil }
        return Coordinate(latitude: min(90, max(-90, latitude)), longitude: min(180, max(-180, longitude)))
    }
}
