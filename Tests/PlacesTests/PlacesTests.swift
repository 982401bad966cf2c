import Geodesy
import Glibc
import Places
import TestSupport
import Testing

@Suite struct PlacesTests {
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

    @Test func `the name of a reduced location has nothing smaller than a town`() throws {
        let nearby = try #require(try Imported().describe(51.5, 5.4).nearby)
        var mark = GeocodedPlace(try #require(Coordinate(latitude: 51.5, longitude: 5.4)))
        mark.country = "Netherlands"
        mark.administrativeArea = "Gelderland"
        mark.locality = "Nijmegen"
        let town = mark
        mark.subLocality = "Hatert"
        mark.postalCode = "6535"
        mark.nearby = GeocodedPlace.Nearby(nearby, name: "Nijmegen", point: mark.coordinate)
        mark.areasOfInterest = ["Goffert"]
        #expect(mark.reduced == town)
    }

    @Test(arguments: [
        (0.0, "N"), (22, "N"), (23, "NE"), (67, "NE"), (68, "E"), (180, "S"), (247, "SW"), (337, "NW"), (338, "N"),
        (360, "N"),
    ])
    func `a direction is the nearest of eight`(bearing: Double, direction: String) throws {
        let nearby = try #require(try Imported().describe(51.5, 5.4).nearby)
        var mark = GeocodedPlace(try #require(Coordinate(latitude: 51.5, longitude: 5.4)))
        mark.nearby = GeocodedPlace.Nearby(nearby, name: "Nijmegen", point: mark.coordinate)
        mark.nearby?.bearing = bearing
        #expect(mark.text.hasSuffix(" km \(direction) of Nijmegen"))
    }

    @Test func `a letter with a mark is one letter, however it is written`() {
        let composed = "Z\u{FC}rich \u{141}\u{F3}d\u{17A}"
        let decomposed = "Zu\u{308}rich \u{141}o\u{301}dz\u{301}"
        #expect(PlaceQuery.words(of: decomposed) == PlaceQuery.words(of: composed))
        #expect(PlaceQuery.words(of: decomposed) != PlaceQuery.words(of: "Zurich \u{141}odz"))
    }

    @Test(arguments: [179.99, 180, -180, -179.99])
    func `places are found across the meridian of 180 degrees`(longitude: Double) throws {
        #expect(try Imported().describe(-16.77, longitude).nearby?.place.name == "Somosomo")
    }

    @Test(arguments: [
        ("Nijmgen", "Nijmegen"), ("nijemgen", "Nijmegen"), ("Nijmegem", "Nijmegen"), ("Lods", "Łódź"),
        ("Springfeld, IL", "Springfield"), ("Suvva", "Suva"),
    ])
    func `typing errors are tolerated if nothing else is found`(text: String, name: String) throws {
        #expect(try Imported().search(text).first?.name == name)
    }

    @Test(
        arguments: [
            ("Burchtstraat 20, Nijmegen, NL", "Nijmegen"), ("Burchtstraat 20, 6511 RJ Nijmegen", "Nijmegen"),
            ("1600 South Street, Springfield, IL 62701, US", "Springfield"), ("5 Suva, FJ", nil),
            ("Nijmegenstraat, NL", nil), ("20, 6511 RJ", nil), ("South Street 5, Apt 12, Springfield", "Springfield"),
            ("三重, Nijmegen", nil),
        ] as [(String, String?)])
    func `a postal address that names no place gives its town, as a part`(text: String, name: String?) throws {
        let imported = try Imported()
        let geocoder = Geocoder(try PlacesFile(imported.folder))
        let query = try #require(PlaceQuery(text))
        let found = try geocoder.placemarks(named: query, limit: 3)
        #expect(found.placemarks.first?.locality == name && found.isPartial == (name != nil))
        // A text that the user still types is no address.
        #expect(try geocoder.placemarks(named: query, isComplete: false, limit: 3).placemarks.isEmpty)
    }

    @Test func `a name without its marks counts as the name`() throws {
        let towns =
            Samples.line(
                1, "San José", 9.93, -84.08, ascii: "San Jose", kind: "PPLC", country: "CR", population: 335_000)
            + Samples.line(2, "San Jose", 37.3, -121.9, country: "US", population: 1_026_000)
        #expect(try Imported([towns]).search("san jose").first?.country == "CR")
    }

    @Test(arguments: [("Sva", "Suva"), ("Njimegen", "Nijmegen"), ("Smosomo", "Somosomo")])
    func `an error in the first letters is tolerated too`(text: String, name: String) throws {
        #expect(try Imported().search(text).first?.name == name)
    }

    @Test func `a complete text that only begins a name is compared with misspelt names too`() throws {
        let towns = Samples.line(1, "Springs", 50, 5, population: 5) + Samples.line(2, "Spring", 51, 5, others: "")
        let imported = try Imported([towns + Samples.line(3, "Sprint", 52, 5, population: 900_000)])
        let search = PlaceSearch(try PlacesFile(imported.folder))
        let query = try #require(PlaceQuery("sprin"))
        #expect(try search.matches(query, limit: 9).count == 3)
        let misspelt = try #require(PlaceQuery("Springt"))
        #expect(try search.matches(misspelt, isComplete: true, limit: 9).first?.place.name == "Sprint")
    }

    @Test(arguments: ["Nijmegen, Fiji", "Xyzzy", "Suva, NL", "nijxxxxx"])
    func `a text that names nothing finds nothing`(text: String) throws {
        #expect(try Imported([Samples.gazetteer, Samples.divisions, Samples.countries]).search(text).isEmpty)
    }

    @Test(arguments: [
        ("nijm", "Nijmegen"), ("NIMWEGEN", "Nijmegen"), ("łódź", "Łódź"), ("lodz", "Łódź"), ("Lódz", "Łódź"),
        ("suva, FJ", "Suva"), ("łodz, poland", "Łódź"), ("Nijmegen, Nether", "Nijmegen"), ("Nijmegen, NL", "Nijmegen"),
        ("Springfield, illin, united", "Springfield"),
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

    @Test(arguments: [
        "", " , ", "\u{301}", "\u{301}\u{302} \u{20D0}", "-", String(repeating: "a", count: 257), "a b c d e f g h i",
    ])
    func `a text without words or with too many is refused`(text: String) {
        #expect(PlaceQuery(text) == nil)
    }

    @Test func `invalid lines are counted, and towns given up are left out`() throws {
        let bad = "10\tshort\n" + Samples.line(11, "Out", 91, 0) + Samples.line(12, "NaN", .nan, 0)
        let imported = try Imported([Samples.gazetteer + bad])
        #expect(imported.rows == 8)
        #expect(imported.errors == 3)
        #expect(imported.invalidLines.map(\.number) == [10, 11, 12])
        #expect(try PlacesFile(imported.folder).sources().map(\.rows) == [8])
        try PlacesFile(imported.folder).check()
    }

    @Test(arguments: ["", "PK\u{3}\u{4}zip", "a,b,c\n", "1\t2\t3\n", Samples.divisions])
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

    @Test func `countries of the gazetteer are found by name and by three letters`() throws {
        let imported = try Imported([Samples.countries, Samples.gazetteer])
        for text in ["Suva, Fiji", "suva, FJI", "Suva, fij"] {
            #expect(try imported.search(text).map(\.name) == ["Suva"], "\(text)")
        }
        #expect(try imported.placemark(-18.14, 178.44)?.country == "Fiji")
    }

    @Test func `a second import waits for nobody and changes nothing`() throws {
        let imported = try Imported()
        let number = open(imported.folder.path, O_RDONLY | O_DIRECTORY)
        defer { close(number) }
        #expect(flock(number, LOCK_EX) == 0)
        let path = try imported.scratch.write(Samples.gazetteer, to: "again.txt")
        var places = PlaceImport(into: imported.folder)
        #expect(throws: PlacesError.importing(folder: imported.folder.path)) { try places.run([path]) }
    }

    @Test func `what a killed import left is replaced`() throws {
        let imported = try Imported()
        try imported.scratch.write("half a file", to: "places/places.db.new")
        let path = try imported.scratch.write(Samples.gazetteer, to: "again.txt")
        var places = PlaceImport(into: imported.folder)
        try places.run([path])
        #expect(Scratch.names(in: imported.folder.path) == ["places.db"])
        try PlacesFile(imported.folder).check()
    }

    @Test func `missing folders are created`() throws {
        let scratch = try Scratch()
        let path = try scratch.write(Samples.gazetteer, to: "places.txt")
        var places = PlaceImport(into: PlacesFolder(named: scratch("a/b/c")))
        try places.run([path])
        #expect(Scratch.names(in: scratch("a/b/c")) == ["places.db"])
    }

    @Test func `a file that an import replaced is no longer current`() throws {
        let imported = try Imported()
        let file = try PlacesFile(imported.folder)
        #expect(file.isCurrent)
        let path = try imported.scratch.write(Samples.gazetteer, to: "again.txt")
        var places = PlaceImport(into: imported.folder)
        try places.run([path])
        #expect(!file.isCurrent)
        #expect(try file.sources().count == 2)
    }

    @Test func `a source has the date of its newest change`() throws {
        let imported = try Imported()
        #expect(try PlacesFile(imported.folder).sources().map(\.date) == ["2026-01-09", nil])
    }

    /// Within the first page, which has the schema, and in other pages of 4 kB.
    @Test(arguments: [100, 2 * 4096, 7 * 4096, 20 * 4096])
    func `a damaged file is an error and not a wrong answer`(offset: Int) throws {
        let imported = try Imported()
        let number = Glibc.open(imported.folder.file, O_RDWR)
        defer { close(number) }
        let bytes = [UInt8](repeating: 0x5A, count: 16_000)
        #expect(pwrite(number, bytes, bytes.count, off_t(offset)) == bytes.count)
        #expect(throws: PlacesError.self) {
            let file = try PlacesFile(imported.folder)
            try file.check()
        }
    }

    @Test func `the index gives the same nearest places as a comparison with all`() throws {
        var random = SeededGenerator(seed: 16)
        var all: [Coordinate] = []
        var text = ""
        for id in 1...2000 {
            // In steps of 1e-5 degree, as in GeoNames.
            let latitude = Double(Int.random(in: -300_000...300_000, using: &random)) / 100_000
            let longitude = Double(Int.random(in: 17_700_000...18_300_000, using: &random)) / 100_000
            let point = Coordinate(latitude: latitude, longitude: longitude > 180 ? longitude - 360 : longitude)
            guard let point else { continue }
            all.append(point)
            text += Samples.line(id, "P\(id)", point.latitude, point.longitude)
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

    @Test func `a point has the same description if all places near it are read`() throws {
        var random = SeededGenerator(seed: 21)
        let kinds = ["PPL", "PPL", "PPLX", "PPLA", "PPLC"]
        var text = ""
        for id in 1...3000 {
            let population = [0, 300, 3000, 30_000, 3_000_000].randomElement(using: &random) ?? 0
            text += Samples.line(
                id, "P\(id)", .random(in: -1...1, using: &random), .random(in: -1...1, using: &random),
                kind: kinds.randomElement(using: &random) ?? "PPL", country: Bool.random(using: &random) ? "NL" : "FJ",
                population: population)
        }
        let imported = try Imported([text])
        let file = try PlacesFile(imported.folder)
        for round in 0..<200 {
            let point = try #require(
                Coordinate(
                    latitude: .random(in: -1...1, using: &random), longitude: .random(in: -1...1, using: &random)))
            let region = round % 2 == 0 ? nil : Region(number: 1, kind: .country, country: "NL", name: "")
            let places = try file.nearest(to: point)
            var read: Set<Int> = []
            let few = try PointDescription(point, candidates: try file.candidates(near: point), in: region) { index in
                read.insert(index)
                return places[index]
            }
            let all = try PointDescription(
                point, candidates: places.map { _ in PlaceCandidate(number: 0, distance: 0, maxReach: .infinity) },
                in: region
            ) { places[$0] }
            #expect(few == all)
            // Without a place of the region, the nearest one of it is searched among all.
            #expect(region != nil || read.count < places.count)
        }
    }

    @Test func `a section of a town has less weight than a town with its name`() throws {
        let imported = try Imported([
            Samples.line(1, "Salamanca", 40.97, -5.66, country: "ES", population: 143_978)
                + Samples.line(2, "Salamanca", 40.43, -3.68, kind: "PPLX", country: "ES", population: 147_707)
        ])
        #expect(try imported.search("Salamanca").first?.population == 143_978)
    }

    @Test func `of the places in a country and a division of one code, the country is preferred`() throws {
        let imported = try Imported([
            Samples.line(1, "Delhi", 42.85, -80.5, country: "CA", division: "08", population: 5000)
                + Samples.line(2, "Delhi", 37.43, -120.78, country: "US", division: "CA", population: 10_755)
        ])
        #expect(try imported.search("Delhi, CA").map(\.country) == ["CA", "US"])
    }

    @Test func `one typing error is likelier than two, also in the name of a capital`() throws {
        let imported = try Imported([
            Samples.line(1, "Verona", 45.43, 10.99, country: "IT", population: 258_031)
                + Samples.line(2, "Vienna", 48.2, 16.37, kind: "PPLC", country: "AT", population: 1_691_468)
        ])
        #expect(try imported.search("vreona").map(\.name) == ["Verona", "Vienna"])
    }

    @Test func `a short text finds the same places as a comparison with all`() throws {
        var random = SeededGenerator(seed: 20)
        let letters = Array("aabc")
        var text = ""
        var all: [Place] = []
        for id in 1...3000 {
            let name = String(
                (0..<Int.random(in: 1...4, using: &random)).compactMap { _ in letters.randomElement(using: &random) })
            // A place of this size may follow hundreds of larger ones and have the best score.
            let population = 1000 + Int64(id) * 100
            guard let point = Coordinate(latitude: 50, longitude: Double(id) / 100) else { continue }
            // 100 places with each of few names would be more than are read.
            let isName = name.count > 2 || id % 97 == 0
            let place = Place(name: isName ? name : name + "cc", coordinate: point, population: population)
            all.append(place)
            text += Samples.line(id, place.name, 50, point.longitude, population: Int(population))
        }
        let imported = try Imported([text])
        let search = PlaceSearch(try PlacesFile(imported.folder))
        for typed in ["a", "b", "ab", "ca", "aab", "cc"] {
            let query = try #require(PlaceQuery(typed))
            let expected = all.filter { $0.name.hasPrefix(typed) }.map { place in
                PlaceMatch(place, place.name == typed ? .name : .beginning)
            }
            let found = try search.matches(query, limit: 10)
            #expect(found.map(\.score) == expected.map(\.score).sorted(by: >).prefix(10).map { $0 }, "\(typed)")
        }
    }

    @Test func `a search that would read too many names ends, and the next one is answered`() throws {
        let text = (1...5000).map { Samples.line($0, "Aa \($0)", 52, 5) }.joined()
        let imported = try Imported([text + Samples.line(5001, "Bb", 52, 5)])
        let search = PlaceSearch(try PlacesFile(imported.folder, maxIntervals: 20))
        func found(_ text: String) throws -> [String] {
            try search.matches(try #require(PlaceQuery(text)), country: "FJ", limit: 5).map(\.place.name)
        }
        // All names begin alike, and none is in this country.
        #expect(throws: PlacesError.tooBroad) { try found("a") }
        #expect(try found("bb") == [])
        #expect(throws: PlacesError.tooBroad) { try found("a") }
    }
}
