import Geodesy
import Places
import TestSupport
import Testing

/// A folder with an imported gazetteer.
struct Imported {
    let scratch: Scratch
    let folder: PlacesFolder
    let rows: Int64
    let errors: Int64
    let invalidLines: [PlaceImport.InvalidLine]

    init(_ texts: [String] = [Samples.gazetteer, Samples.divisions], options: ImportOptions = ImportOptions()) throws {
        scratch = try Scratch()
        folder = PlacesFolder(named: scratch("places"))
        var paths: [String] = []
        for (index, text) in texts.enumerated() { paths.append(try scratch.write(text, to: "\(index).txt")) }
        var places = PlaceImport(into: folder, options: options)
        try places.run(paths)
        rows = places.rows
        errors = places.errors
        invalidLines = places.invalidLines
    }

    func describe(_ latitude: Double, _ longitude: Double) throws -> PointDescription {
        let point = try #require(Coordinate(latitude: latitude, longitude: longitude))
        let places = try PlacesFile(folder).nearest(to: point)
        let candidates = places.enumerated().map { index, place in
            PlaceCandidate(number: Int64(index), distance: point.distance(to: place.coordinate), maxReach: place.reach)
        }
        return try PointDescription(point, candidates: candidates) { places[$0] }
    }

    func placemark(_ latitude: Double, _ longitude: Double, language: String? = nil) throws -> GeocodedPlace? {
        let point = try #require(Coordinate(latitude: latitude, longitude: longitude))
        return try Geocoder(try PlacesFile(folder)).placemark(at: point, language: language)
    }

    func search(_ text: String, country: String? = nil, near: Coordinate? = nil) throws -> [Place] {
        let countries = CountryName.table("# code\tname\nNL\tNetherlands\nPL\tPoland\nUS\tUnited States\n")
        return try PlaceSearch(try PlacesFile(folder)).matches(
            try #require(PlaceQuery(text)), country: country, near: near, countries: countries, limit: 10
        ).map(\.place)
    }

    func distances(to point: Coordinate) throws -> [Double] {
        try PlacesFile(folder).nearest(to: point).map { point.distance(to: $0.coordinate) }
    }
}

/// A gazetteer of a few places in the format of GeoNames.
enum Samples {
    static func line(
        _ id: Int, _ name: String, _ latitude: Double, _ longitude: Double, ascii: String = "", others: String = "",
        kind: String = "PPL", country: String = "NL", division: String = "03", subdivision: String = "",
        population: Int = 1000, zone: String = "Europe/Amsterdam"
    ) -> String {
        [
            "\(id)", name, ascii.isEmpty ? name : ascii, others, "\(latitude)", "\(longitude)", "P", kind, country, "",
            division, subdivision, "", "", "\(population)", "", "", zone, "2026-01-0\(id % 9 + 1)",
        ].joined(separator: "\t") + "\n"
    }

    static let gazetteer =
        line(1, "Nijmegen", 51.8425, 5.8528, others: "Nimwegen,Noviomagus", subdivision: "0268", population: 158_732)
        + line(2, "Alverna", 51.8000, 5.7633, population: 1200)
        + line(3, "Hatert", 51.8156, 5.8280, kind: "PPLX", population: 9000)
        + line(4, "Łódź", 51.77, 19.47, ascii: "Lodz", country: "PL", division: "74", population: 700_000)
        + line(5, "Suva", -18.1416, 178.4415, kind: "PPLC", country: "FJ", division: "01", population: 77_366)
        + line(6, "Somosomo", -16.77, -179.97, country: "FJ", division: "03", population: 2000)
        + line(7, "Springfield", 39.8017, -89.6437, country: "US", division: "IL", population: 116_250)
        + line(8, "Springfield", 37.2153, -93.2982, country: "US", division: "MO", population: 169_176)
        + line(9, "Abandoned", 51.84, 5.85, kind: "PPLQ")

    static let divisions =
        "US.IL\tIllinois\tIllinois\t4896861\nNL.03\tGelderland\tGelderland\t2755634\n"
        + "NL.03.0268\tGemeente Nijmegen\tGemeente Nijmegen\t2750053\n"

    static let countries =
        "#ISO\tISO3\tISO-Numeric\n"
        + country("FJ", "FJI", "Fiji", 2_205_218) + country("US", "USA", "United States", 6_252_001)

    private static func country(_ code: String, _ alpha3: String, _ name: String, _ record: Int) -> String {
        [
            code, alpha3, "", "", name, "", "", "", "", "", "", "", "", "", "", "", "\(record)", "", "",
        ].joined(separator: "\t") + "\n"
    }

    /// A square area of GeoJSON.
    static func square(
        _ properties: String, south: Double, north: Double, west: Double, east: Double
    ) -> String {
        """
        {"type": "Feature", "properties": {\(properties)}, "geometry": {"type": "Polygon", "coordinates": [[
        [\(west), \(south)], [\(east), \(south)], [\(east), \(north)], [\(west), \(north)], [\(west), \(south)]]]}}
        """
    }

    static func collection(_ features: String...) -> String {
        "{\"type\": \"FeatureCollection\", \"features\": [\n\(features.joined(separator: ",\n"))\n]}\n"
    }
}
