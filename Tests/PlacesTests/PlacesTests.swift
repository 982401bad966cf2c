import Geodesy
import Glibc
import PlaceImport
import PlaceIndex
import Places
import SystemCalls
import TestSupport
import Testing

@Suite struct PlacesTests {
    private static func line(
        _ id: Int, _ name: String, _ latitude: Double, _ longitude: Double, ascii: String = "", others: String = "",
        kind: String = "PPL", country: String = "NL", division: String = "03", population: Int = 1000
    ) -> String {
        [
            "\(id)", name, ascii.isEmpty ? name : ascii, others, "\(latitude)", "\(longitude)", "P", kind, country, "",
            division, "", "", "", "\(population)", "", "", "Europe/Amsterdam", "2026-01-01",
        ].joined(separator: "\t") + "\n"
    }

    private static let gazetteer =
        line(1, "Nijmegen", 51.8425, 5.8528, others: "Nimwegen,Noviomagus", population: 158_732)
        + line(2, "Alverna", 51.8000, 5.7633, population: 1200)
        + line(3, "Hatert", 51.8156, 5.8280, kind: "PPLX", population: 9000)
        + line(4, "Łódź", 51.77, 19.47, ascii: "Lodz", country: "PL", division: "74", population: 700_000)
        + line(5, "Suva", -18.1416, 178.4415, kind: "PPLC", country: "FJ", division: "01", population: 77_366)
        + line(6, "Somosomo", -16.77, -179.97, country: "FJ", division: "03", population: 2000)
        + line(7, "Springfield", 39.8017, -89.6437, country: "US", division: "IL", population: 116_250)
        + line(8, "Springfield", 37.2153, -93.2982, country: "US", division: "MO", population: 169_176)
        + line(9, "Abandoned", 51.84, 5.85, kind: "PPLQ")

    private static let divisions = "US.IL\tIllinois\tIllinois\t4896861\nNL.03\tGelderland\tGelderland\t2755634\n"

    /// A folder with the gazetteer.
    private struct Imported {
        let scratch: Scratch
        let folder: PlacesFolder
        let rows: Int64
        let errors: Int64

        init(_ texts: [String] = [gazetteer, divisions]) throws {
            scratch = try Scratch()
            folder = PlacesFolder(named: scratch("places"))
            var paths: [String] = []
            for (index, text) in texts.enumerated() { paths.append(try scratch.write(text, to: "\(index).txt")) }
            var places = PlaceImport(into: folder)
            try places.run(paths)
            rows = places.rows
            errors = places.errors
        }

        func describe(_ latitude: Double, _ longitude: Double) throws -> PointDescription {
            let point = try #require(Coordinate(latitude: latitude, longitude: longitude))
            return PointDescription(point, places: try PlacesFile(folder).nearest(to: point))
        }

        func search(_ text: String) throws -> [Place] {
            try PlacesFile(folder).search(try #require(PlaceQuery(text)), limit: 10).map(\.place)
        }

        func distances(to point: Coordinate) throws -> [Double] {
            try PlacesFile(folder).nearest(to: point).map { point.distance(to: $0.coordinate) }
        }
    }

    @Test(arguments: [(51.811259, 5.797922), (51.804507, 5.824750)])
    func `a point in a city is not in the nearer village`(latitude: Double, longitude: Double) throws {
        let description = try Imported().describe(latitude, longitude)
        #expect(description.locality?.place.name == "Nijmegen")
        #expect(description.section?.place.name == "Hatert")
    }

    @Test func `a point far from a place is near it and not in it`() throws {
        let description = try Imported().describe(51.5, 5.4)
        #expect(description.locality == nil)
        #expect(description.nearby?.place.name == "Nijmegen")
    }

    @Test(arguments: [(0.0, -140.0), (90, 0), (-90, 180), (-0.0, 0)])
    func `a point without places within 100 km has no description`(latitude: Double, longitude: Double) throws {
        #expect(try Imported().describe(latitude, longitude).nearby == nil)
    }

    @Test(arguments: [179.99, 180, -180, -179.99])
    func `places are found across the meridian of 180 degrees`(longitude: Double) throws {
        #expect(try Imported().describe(-16.77, longitude).nearby?.place.name == "Somosomo")
    }

    @Test(arguments: [
        ("nijm", "Nijmegen"), ("NIMWEGEN", "Nijmegen"), ("łódź", "Łódź"), ("lodz", "Łódź"), ("Lódz", "Łódź"),
        ("suva, FJ", "Suva"),
    ])
    func `a text finds a place in any spelling`(text: String, name: String) throws {
        #expect(try Imported().search(text).first?.name == name)
    }

    @Test func `a qualifier selects the division by code and by name`() throws {
        let imported = try Imported()
        for text in ["Springfield, IL", "springfield, illinois", "Springfield, Illinois, US"] {
            #expect(try imported.search(text).map(\.division) == ["IL"], "\(text)")
        }
        #expect(try imported.search("Springfield").count == 2)
    }

    @Test(arguments: ["\"", "*", "a\" OR b", "x:y", "NEAR(a b)", "-a", "^a", "a' --", "\u{0}a", "ก", "a\u{301}"])
    func `no text is an error of the index`(text: String) throws {
        guard PlaceQuery(text) != nil else { return }
        _ = try Imported().search(text)
    }

    @Test(arguments: ["", " , ", String(repeating: "a", count: 257), "a b c d e f g h i"])
    func `a text without words or with too many is refused`(text: String) {
        #expect(PlaceQuery(text) == nil)
    }

    @Test func `invalid lines are counted, and towns given up are left out`() throws {
        let bad = "10\tshort\n" + Self.line(11, "Out", 91, 0) + Self.line(12, "NaN", .nan, 0)
        let imported = try Imported([Self.gazetteer + bad])
        #expect(imported.rows == 8)
        #expect(imported.errors == 3)
        #expect(try PlacesFile(imported.folder).source().rows == 8)
        try PlacesFile(imported.folder).check()
    }

    @Test(arguments: ["", "PK\u{3}\u{4}zip", "a,b,c\n", "1\t2\t3\n", divisions])
    func `a file without places changes nothing`(text: String) throws {
        let imported = try Imported()
        let before = Scratch.text(of: imported.folder.file)
        let path = try imported.scratch.write(text, to: "bad.txt")
        var places = PlaceImport(into: imported.folder)
        #expect(throws: PlacesError.self) { try places.run([path]) }
        #expect(Scratch.text(of: imported.folder.file) == before)
        #expect(Scratch.names(in: imported.folder.path) == ["places.db"])
    }

    @Test func `the same input makes the same bytes`() throws {
        let (first, second) = (try Imported(), try Imported())
        #expect(Scratch.text(of: first.folder.file) == Scratch.text(of: second.folder.file))
    }

    @Test func `an empty folder is a typed error`() throws {
        let scratch = try Scratch()
        #expect(throws: PlacesError.noPlaces(folder: scratch.path)) {
            try PlacesFile(PlacesFolder(named: scratch.path))
        }
    }

    @Test func `a file of another kind is an error`() throws {
        let scratch = try Scratch()
        try scratch.write(String(repeating: "no database ", count: 1000), to: "places.db")
        #expect(throws: PlacesError.self) { try PlacesFile(PlacesFolder(named: scratch.path)) }
    }

    @Test func `the index gives the same nearest places as a comparison with all`() throws {
        var random = SeededGenerator(seed: 16)
        var all: [Coordinate] = []
        var text = ""
        for id in 1...2000 {
            let latitude = Double.random(in: -3...3, using: &random)
            let longitude = Double.random(in: 177...183, using: &random)
            let point = Coordinate(latitude: latitude, longitude: longitude > 180 ? longitude - 360 : longitude)
            guard let point else { continue }
            all.append(point)
            text += Self.line(id, "P\(id)", point.latitude, point.longitude)
        }
        let imported = try Imported([text])
        for _ in 0..<50 {
            let point = try #require(
                Coordinate(
                    latitude: .random(in: -3...3, using: &random), longitude: .random(in: 178...180, using: &random)))
            let expected = all.map { point.distance(to: $0) }.sorted().prefix(10)
            let found = try imported.distances(to: point).sorted().prefix(10)
            #expect(zip(found, expected).allSatisfy { abs($0 - $1) < 0.01 } && found.count == 10)
        }
    }
}
