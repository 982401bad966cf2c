import Geodesy
import Glibc
import Places
import SystemCalls
import TestSupport
import Testing

@Suite struct ImportFormatTests {
    private static let names =
        "1\t1\tde\tNimwegen\t1\t\t\t\t\t\n2\t1\tde\tNymwegen\t\t\t\t\t\t\n3\t1\tlink\thttps://x\t\t\t\t\t\t\n"
        + "4\t1\tla\tNoviomagus\t\t\t\t1\t\t\n5\t99999\tde\tNirgends\t\t\t\t\t\t\n6\t2755634\tde\tGeldern\t\t\t\t\t\t\n"
        + "7\t1\tja\tナイメーヘン\t\t\t\t\t\t\n"

    @Test func `names in a language are shown and found`() throws {
        let imported = try Imported([Self.names, Samples.gazetteer, Samples.divisions])
        let german = try #require(try imported.placemark(51.8425, 5.8528, language: "de"))
        #expect(german.locality == "Nimwegen")
        #expect(german.administrativeArea == "Geldern")
        #expect(try imported.placemark(51.8425, 5.8528, language: "fr")?.locality == "Nijmegen")
        #expect(try imported.placemark(51.8425, 5.8528)?.administrativeArea == "Gelderland")
        #expect(try imported.search("ナイメ").map(\.name) == ["Nijmegen"])
        #expect(try imported.search("Nijmegen, Geldern").count == 1)
        #expect(imported.errors == 0)
    }

    @Test func `the second-level division is that of the place`() throws {
        #expect(try Imported().placemark(51.8425, 5.8528)?.subAdministrativeArea == "Gemeente Nijmegen")
        #expect(try Imported([Samples.gazetteer]).placemark(51.8425, 5.8528)?.subAdministrativeArea == nil)
    }

    @Test func `the nearest postal code is at most 5 km away and in the country`() throws {
        func row(_ country: String, _ code: String, _ latitude: Double, _ longitude: Double) -> String {
            "\(country)\t\(code)\tNijmegen\tGelderland\t03\t\t\t\t\t\(latitude)\t\(longitude)\t4\n"
        }
        let codes =
            row("NL", "6511", 51.845, 5.86) + row("NL", "6541", 51.85, 5.80) + row("DE", "47533", 51.8425, 5.8529)
        let imported = try Imported([Samples.gazetteer, codes])
        #expect(try imported.placemark(51.8425, 5.8528)?.postalCode == "6511")
        #expect(try imported.placemark(51.75, 5.75)?.postalCode == nil)
    }

    private static let own = ImportOptions(licence: "own", attribution: "me")

    @Test func `comma-separated values are places, and their terms are stated`() throws {
        let text = """
            \u{FEFF}name,latitude,longitude,country,population,aliases\r
            "Hut, the upper",46.5,8.1,CH,12,"Obere Hütte,Upper"\r
            Broken,46.5\r
            "Unfinished,46.5,8.1,CH,1,\r
            Far,46.5,200,CH,1,\r
            """
        let imported = try Imported([text], options: Self.own)
        #expect(imported.rows == 1)
        #expect(imported.invalidLines.map(\.number) == [3, 4, 5])
        #expect(try imported.search("obere hutte").map(\.name) == ["Hut, the upper"])
        #expect(try imported.search("upper").map(\.record) == [0])
        #expect(try PlacesFile(imported.folder).sources().map(\.attribution) == ["me"])
        #expect(throws: PlacesError.self) { try Imported([text]) }
    }

    @Test(arguments: ["\u{FEFF}", ""])
    func `a byte order mark and line ends of DOS are accepted`(mark: String) throws {
        let text = mark + Samples.gazetteer.split(separator: "\n").joined(separator: "\r\n")
        let imported = try Imported([text])
        #expect(imported.rows == 8)
        #expect(imported.errors == 0)
    }

    @Test func `only the first five invalid lines are reported`() throws {
        let imported = try Imported([Samples.gazetteer + String(repeating: "x\n", count: 20)])
        #expect(imported.errors == 20)
        #expect(imported.invalidLines.map(\.number) == [10, 11, 12, 13, 14])
    }

    @Test func `a line without an end is an error`() throws {
        let imported = try Imported()
        let path = try imported.scratch.write(String(repeating: "x", count: 3 << 20), to: "long.txt")
        var places = PlaceImport(into: imported.folder)
        #expect(throws: PlacesError.self) { try places.run([path]) }
    }

    @Test func `a zip file is named as such`() throws {
        let scratch = try Scratch()
        let path = try scratch.write("PK\u{3}\u{4}xxx", to: "cities.zip")
        var places = PlaceImport(into: PlacesFolder(named: scratch("p")))
        let error = #expect(throws: PlacesError.self) { try places.run([path]) }
        #expect(error?.description.contains("unzip") == true)
    }

    @Test func `a file of gzip is named as such`() throws {
        let scratch = try Scratch()
        let path = try Self.write([0x1F, 0x8B, 8, 0, 1, 2, 3], to: scratch("cities.txt.gz"))
        var places = PlaceImport(into: PlacesFolder(named: scratch("p")))
        let error = #expect(throws: PlacesError.self) { try places.run([path]) }
        #expect(error?.description.contains("gunzip") == true)
    }

    @Test func `a line in another encoding is invalid`() throws {
        let scratch = try Scratch()
        // Latin-1 writes the letter in one byte.
        let bytes = Samples.gazetteer.unicodeScalars.flatMap { scalar -> [UInt8] in
            scalar == "ó" ? [0xF3] : Array(String(scalar).utf8)
        }
        let lines = bytes.split(separator: 10)
        let invalid = lines.indices.filter { lines[$0].contains(0xF3) }
        try #require(!invalid.isEmpty)
        var places = PlaceImport(into: PlacesFolder(named: scratch("p")))
        try places.run([try Self.write(bytes, to: scratch("latin1.txt"))])
        #expect(places.errors == Int64(invalid.count))
        #expect(try places.rows == Imported([Samples.gazetteer]).rows - Int64(invalid.count))
        #expect(places.invalidLines.map(\.number) == invalid.map { $0 + 1 })
    }

    @Test func `a header in another encoding is named`() throws {
        let scratch = try Scratch()
        let path = try Self.write(
            Array("name,latitude,longitude,stra".utf8) + [0xDF] + Array("e\nA,1,2,B\n".utf8), to: scratch("a.csv"))
        var places = PlaceImport(into: PlacesFolder(named: scratch("p")), options: Self.own)
        let error = #expect(throws: PlacesError.self) { try places.run([path]) }
        #expect(error?.description.contains("UTF-8") == true)
    }

    /// Writes bytes that are no text.
    private static func write(_ bytes: [UInt8], to path: String) throws -> String {
        let file = FileDescriptor(
            owning: try systemCall("opening \(path)") { open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644) })
        try systemCall("writing \(path)") { Glibc.write(file.number, bytes, bytes.count) }
        return path
    }

    @Test(arguments: [
        ("kitten", "sitting", 3), ("abcd", "abdc", 1), ("ab", "ba", 1), ("", "ab", 2), ("abc", "abc", 0),
        ("nijmegen", "nijmgen", 1), ("ca", "abc", 3),
    ])
    func `the number of typing errors is the optimal string alignment`(first: String, second: String, errors: Int) {
        let (a, b) = (Array(first.unicodeScalars), Array(second.unicodeScalars))
        #expect(SpellingDistance.between(a, b, atMost: 5) == errors)
        #expect(SpellingDistance.between(b, a, atMost: 5) == errors)
        #expect(SpellingDistance.between(a, b, atMost: errors - 1) == nil)
    }
}
