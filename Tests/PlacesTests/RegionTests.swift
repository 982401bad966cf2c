import Geodesy
import Places
import TestSupport
import Testing

@Suite struct RegionTests {
    /// Two countries with a border at 5 degrees east: a large town in the west, villages in the
    /// east.
    private static let places =
        Samples.line(1, "West", 50, 4.96, country: "AA", population: 900_000, zone: "Europe/Paris")
        + Samples.line(2, "East", 50, 5.2, country: "BB", population: 900, zone: "Europe/Berlin")
        + Samples.line(3, "Border", 50.4, 5.005, country: "BB", population: 900, zone: "Europe/Berlin")

    private static let borders = Samples.collection(
        Samples.square(
            "\"iso_a2\": \"AA\", \"featurecla\": \"Admin-0 country\"", south: 49, north: 51, west: 4, east: 5),
        Samples.square(
            "\"iso_a2\": \"BB\", \"featurecla\": \"Admin-0 country\"", south: 49, north: 51, west: 5, east: 6))

    private static func imported() throws -> Imported { try Imported([places, borders]) }

    @Test func `the region decides about the country, not the nearer town`() throws {
        let mark = try #require(try Self.imported().placemark(50.02, 5.04))
        #expect(mark.isoCountryCode == "BB")
        #expect(mark.nearby?.name == "East")
        #expect(mark.timeZone == "Europe/Berlin")
        #expect(try Imported([Self.places]).placemark(50.02, 5.04)?.isoCountryCode == "AA")
    }

    @Test func `a town close to a border has its own country on both sides`() throws {
        let imported = try Self.imported()
        #expect(try imported.placemark(50.4, 4.995)?.isoCountryCode == "BB")
        #expect(try imported.placemark(50.4, 4.995)?.locality == "Border")
        #expect(try imported.placemark(50.4, 4.9)?.isoCountryCode == "AA")
    }

    @Test func `an area without places has the time zone of its country if that has one`() throws {
        let island = Samples.square(
            "\"iso_a2\": \"AA\", \"featurecla\": \"Admin-0 country\"", south: 20, north: 21, west: -20, east: -19)
        let borders = Self.borders.replacing("\n]}", with: ",\n\(island)\n]}")
        #expect(try Imported([Self.places, borders]).placemark(20.5, -19.5)?.timeZone == "Europe/Paris")
        let other = Samples.line(4, "Elsewhere", 50.5, 4.2, country: "AA", zone: "Europe/Brussels")
        let mark = try #require(try Imported([Self.places + other, borders]).placemark(20.5, -19.5))
        #expect(mark.timeZone == nil)
        #expect(mark.isoCountryCode == "AA")
    }

    @Test func `a point near a coast is in the nearest country, one at sea in none`() throws {
        let imported = try Self.imported()
        #expect(try imported.placemark(51.2, 4.5)?.isoCountryCode == "AA")
        let sea = try #require(try imported.placemark(30, -20))
        #expect(sea.isoCountryCode == nil)
        #expect(sea.timeZone == "Etc/GMT+1")
        #expect(try imported.placemark(0, 0)?.timeZone == "Etc/GMT")
        #expect(try imported.placemark(0, 179.9)?.timeZone == "Etc/GMT-12")
    }

    @Test func `an ocean has the time zone of its longitude, also without areas of countries`() throws {
        let ocean = Samples.collection(
            Samples.square("\"featurecla\": \"ocean\", \"name\": \"South\"", south: -40, north: 0, west: -60, east: 20))
        let imported = try Imported([Self.places, ocean])
        let mark = try #require(try imported.placemark(-20, -40))
        #expect(mark.ocean == "South")
        #expect(mark.timeZone == "Etc/GMT+3")
        #expect(mark.isoCountryCode == nil)
        #expect(try imported.placemark(-20, 14)?.timeZone == "Etc/GMT-1")
        // Without areas, a position far from all places may be on land.
        #expect(try imported.placemark(20, -40) == nil)
        #expect(try imported.placemark(50.02, 4.9)?.timeZone == "Europe/Paris")
    }

    @Test func `five agreeing places give a region their country`() throws {
        let towns = (1...5).map { Samples.line($0, "T\($0)", 50 + Double($0) / 10, 4.5, country: "CC") }.joined()
        let marks = try Imported([towns, Self.borders])
        #expect(try marks.placemark(49.5, 4.2)?.isoCountryCode == "CC")
        #expect(try marks.placemark(50.5, 5.9)?.isoCountryCode == "BB")
        let few = towns.split(separator: "\n").prefix(4).map { $0 + "\n" }.joined()
        #expect(try Imported([few, Self.borders]).placemark(49.5, 4.2)?.isoCountryCode == "AA")
    }

    @Test func `zones, oceans and lakes are named apart from the country`() throws {
        let zones = Samples.collection(
            Samples.square("\"tzid\": \"Europe/Brussels\"", south: 49, north: 51, west: 4, east: 5))
        let waters = Samples.collection(
            Samples.square("\"featurecla\": \"sea\", \"name\": \"North Sea\"", south: 52, north: 58, west: 0, east: 5),
            Samples.square("\"featurecla\": \"Lake\", \"name\": \"Pond\"", south: 50, north: 50.1, west: 4, east: 4.1))
        let imported = try Imported([Self.places, Self.borders, zones, waters])
        #expect(try imported.placemark(50.02, 4.9)?.timeZone == "Europe/Brussels")
        #expect(try imported.placemark(50.05, 4.05)?.inlandWater == "Pond")
        #expect(try imported.placemark(55, 3)?.ocean == "North Sea")
        let sources = try PlacesFile(imported.folder).sources()
        #expect(sources.map(\.licence) == ["CC BY 4.0", "public domain", "ODbL 1.0", "public domain"])
    }

    @Test func `a town reaches over the border of a division, and a far place gives the zone`() throws {
        let divisions = Samples.collection(
            Samples.square(
                "\"iso_a2\": \"AA\", \"featurecla\": \"x\", \"iso_3166_2\": \"AA-1\"", south: 49, north: 51, west: 4,
                east: 5),
            Samples.square(
                "\"iso_a2\": \"AA\", \"featurecla\": \"x\", \"iso_3166_2\": \"AA-2\"", south: 49, north: 51, west: 5,
                east: 9))
        let towns =
            Samples.line(1, "West", 50, 4.99, country: "AA", division: "1", population: 900_000)
            + Samples.line(2, "Far", 50, 8.9, country: "AA", division: "2", population: 900, zone: "Europe/Far")
        let names = "AA.1\tFirst\tFirst\t7\nAA.2\tSecond\tSecond\t8\n"
        let imported = try Imported([towns, names, divisions])
        let beside = try #require(try imported.placemark(50, 5.01))
        #expect(beside.locality == "West")
        #expect(beside.administrativeArea == "First")
        let wilderness = try #require(try imported.placemark(50, 5.9))
        #expect(wilderness.locality == nil)
        #expect(wilderness.administrativeArea == "Second")
        #expect(wilderness.timeZone == "Europe/Far")
        #expect(wilderness.nearby?.name == "West")
    }

    @Test func `a hole does not belong to the area around it`() throws {
        let ring = """
            {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"iso_a2":"AA","featurecla":"x"},
            "geometry":{"type":"MultiPolygon","coordinates":[[[[4,49],[6,49],[6,51],[4,51],[4,49]],
            [[4.5,49.5],[5.5,49.5],[5.5,50.5],[4.5,50.5],[4.5,49.5]]]]}}]}
            """
        let imported = try Imported([Samples.line(1, "West", 49.2, 4.2, country: "AA"), ring])
        let file = try PlacesFile(imported.folder)
        let inside = try #require(Coordinate(latitude: 50, longitude: 5))
        let around = try #require(Coordinate(latitude: 49.25, longitude: 5))
        #expect(try file.regions(at: inside).isEmpty)
        #expect(try file.regions(at: around).map(\.country) == ["AA"])
    }

    @Test func `own areas need a kind and terms`() throws {
        let own = Samples.collection(Samples.square("\"land\": \"DD\"", south: 49, north: 51, west: 4, east: 6))
        #expect(throws: PlacesError.self) { try Imported([Self.places, own]) }
        let kind = ImportOptions(kind: .country, code: "land")
        #expect(throws: PlacesError.self) { try Imported([Self.places, own], options: kind) }
        let all = ImportOptions(licence: "own", attribution: "the office", kind: .country, code: "land")
        #expect(try Imported([Self.places, own], options: all).placemark(49.1, 4.1)?.isoCountryCode == "DD")
    }

    @Test(arguments: [
        "{", "{}", "{\"type\":\"FeatureCollection\",\"features\":[]}", "{\"features\":[{\"type\":\"Feature\"",
        "[[[[[[[[[[[[", "{\"features\":[{\"a\":\"\\",
    ])
    func `damaged GeoJSON is an error`(text: String) throws {
        #expect(throws: PlacesError.self) { try Imported([Self.places, text]) }
    }

    @Test func `an invalid area is counted and the others are imported`() throws {
        let bad = Samples.collection(
            Samples.square("\"iso_a2\": \"AA\"", south: 49, north: 91, west: 4, east: 5),
            Samples.square("\"iso_a2\": \"BB\", \"featurecla\": \"x\"", south: 49, north: 51, west: 5, east: 6))
        let imported = try Imported([Self.places, bad])
        #expect(imported.errors == 1)
        #expect(imported.invalidLines.map(\.number) == [1])
        #expect(try imported.placemark(50.02, 5.04)?.isoCountryCode == "BB")
    }

    @Test func `damaged bytes of an area contain nothing`() throws {
        var random = SeededGenerator(seed: 3)
        let point = try #require(Coordinate(latitude: 1, longitude: 1))
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            bytes.withUnsafeBytes { raw in
                _ = RegionPart.contains(point, raw)
                _ = RegionPart.distance(from: point, raw)
            }
        }
    }
}
