import Geodesy
import Places
import TestSupport
import Testing

@Suite struct RankingTests {
    /// Capitals with other names that contain, or are, the names of other cities.
    private static let cities =
        Samples.line(
            1, "Quito", -0.23, -78.52, others: "San Francisco de Quito", kind: "PPLC", country: "EC",
            population: 2_000_000)
        + Samples.line(
            2, "San Francisco", 37.77, -122.42, country: "US", population: 864_816)
        + Samples.line(
            3, "Jakarta", -6.21, 106.85, others: "New Batavia,Yorkarta", kind: "PPLC", country: "ID",
            population: 10_000_000)
        + Samples.line(
            4, "New York City", 40.71, -74.01, others: "New York,Nueva York", country: "US", population: 8_804_190)
        + Samples.line(
            5, "Amman", 31.96, 35.95, others: "Philadelphia", kind: "PPLC", country: "JO", population: 1_275_857)
        + Samples.line(6, "Philadelphia", 39.95, -75.16, country: "US", population: 1_567_442)
        + Samples.line(
            7, "Bogotá", 4.61, -74.08, ascii: "Bogota", others: "Santa Fe de Nueva Granada", kind: "PPLC",
            country: "CO", population: 7_700_000)
        + Samples.line(8, "Granada", 37.19, -3.61, kind: "PPLA2", country: "ES", population: 232_462)
        + Samples.line(
            9, "San José", 9.93, -84.08, ascii: "San Jose", kind: "PPLC", country: "CR", population: 335_007)
        + Samples.line(10, "San Jose", 37.34, -121.89, country: "US", population: 1_026_908)
        + Samples.line(11, "Delhi", 28.65, 77.23, others: "Dili", kind: "PPLA", country: "IN", population: 10_927_986)
        + Samples.line(12, "Dili", -8.56, 125.57, kind: "PPLC", country: "TL", population: 150_000)

    @Test(
        arguments: [
            ("San Francisco", "San Francisco"), ("New York", "New York City"), ("Nueva York", "New York City"),
            ("Philadelphia", "Philadelphia"), ("Granada", "Granada"), ("San Jose", "San José"), ("Dili", "Dili"),
            ("Quito", "Quito"), ("San Francisco de Quito", "Quito"), ("Santa Fe de Nueva Granada", "Bogotá"),
        ], [false, true])
    func `a whole name comes before a part of a capital's name`(_ text: (String, String), isComplete: Bool) throws {
        let imported = try Imported([Self.cities])
        let query = try #require(PlaceQuery(text.0))
        let found = try PlaceSearch(PlacesFile(imported.folder)).matches(query, isComplete: isComplete, limit: 3)
        #expect(found.first?.place.name == text.1)
        #expect(found.first?.isExact == true)
    }

    @Test func `a capital after many larger towns with a word of its name is found`() throws {
        let towns = (1...100).map { Samples.line($0, "Victoria \($0)", 10, 10, population: 100_000 + $0) }.joined()
        let capital = Samples.line(200, "Victoria", -4.62, 55.45, kind: "PPLC", country: "SC", population: 22_881)
        let imported = try Imported([towns + capital])
        let search = PlaceSearch(try PlacesFile(imported.folder))
        let found = try search.matches(try #require(PlaceQuery("Victoria")), isComplete: true, limit: 5)
        #expect(found.first?.place.country == "SC")
    }

    @Test func `a search within a radius finds only places there, also small ones of a frequent beginning`() throws {
        let many = (1...3000).map { Samples.line($0, "Aa \($0)", 10, 10, population: 5000) }.joined()
        let small = Samples.line(5001, "Aa Small", 52, 5.01) + Samples.line(5002, "Aa Far", 53, 5)
        let imported = try Imported([many + small])
        let search = PlaceSearch(try PlacesFile(imported.folder, maxIntervals: 20))
        let near = try #require(Coordinate(latitude: 52, longitude: 5))
        func found(_ text: String, _ radius: Double) throws -> [String] {
            try search.matches(try #require(PlaceQuery(text)), near: near, radius: radius, limit: 5).map(\.place.name)
        }
        #expect(try found("aa", 10_000) == ["Aa Small"])
        #expect(try found("aa small", 10_000) == ["Aa Small"])
        #expect(try found("aa far", 10_000) == [])
        #expect(try found("aa far", 200_000) == ["Aa Far"])
    }

    @Test func `a search finds only places of the kinds that are asked for`() throws {
        let imported = try Imported([Self.cities])
        let search = PlaceSearch(try PlacesFile(imported.folder))
        func found(_ text: String, _ kinds: [String]) throws -> [String] {
            try search.matches(try #require(PlaceQuery(text)), kinds: kinds, limit: 5).map(\.place.country)
        }
        #expect(try found("san", ["PPLC"]) == ["CO", "EC", "CR"])
        #expect(try found("san jose", ["PPL"]) == ["US"])
        #expect(try found("granada", ["PPLA", "PPLA2"]) == ["ES"])
    }

    @Test func `the towns near a point are sorted by their distance in reaches`() throws {
        let imported = try Imported()
        let point = try #require(Coordinate(latitude: 51.804507, longitude: 5.824750))
        let towns = try Geocoder(try PlacesFile(imported.folder)).towns(near: point, limit: 5)
        #expect(towns.map(\.locality) == ["Nijmegen", "Alverna"])
        #expect(towns.first?.coordinate.latitude == 51.8425)
        #expect(try Geocoder(try PlacesFile(imported.folder)).towns(near: point, limit: 1).count == 1)
    }
}
