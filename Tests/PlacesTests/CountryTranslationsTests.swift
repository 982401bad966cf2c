import Geodesy
import Glibc
import Places
import SystemCalls
import TestSupport
import Testing

@Suite struct CountryTranslationsTests {
    /// Returns a catalogue with sorted messages, in the format of GNU gettext.
    private static func catalog(_ messages: [(String, String)]) -> [UInt8] {
        func word(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let count = messages.count
        var bytes = [0x9504_12DE, 0, count, 28, 28 + count * 8, 0, 0].flatMap(word)
        var data: [UInt8] = []
        for text in messages.map(\.0) + messages.map(\.1) {
            bytes += word(text.utf8.count) + word(28 + count * 16 + data.count)
            data += Array(text.utf8) + [0]
        }
        return bytes + data
    }

    private static let german = catalog([("", "header"), ("Bolivia", "Bolivien"), ("Netherlands", "Niederlande")])

    @Test func `messages are found, and others have no translation`() throws {
        let catalog = try #require(MessageCatalog(CountryTranslationsTests.german))
        #expect(catalog.translation(of: "Netherlands") == "Niederlande")
        #expect(catalog.translation(of: "Bolivia") == "Bolivien")
        for other in ["A", "Netherland", "Z"] { #expect(catalog.translation(of: other) == nil) }
    }

    @Test func `a damaged catalogue gives no error`() {
        let bytes = CountryTranslationsTests.german
        for length in 0..<bytes.count {
            _ = MessageCatalog(Array(bytes.prefix(length)))?.translation(of: "Netherlands")
        }
        var random = SeededGenerator(seed: 16)
        for _ in 0..<20_000 {
            var damaged = bytes
            for _ in 0..<3 {
                damaged[Int.random(in: 4..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = MessageCatalog(damaged)?.translation(of: "Netherlands")
        }
    }

    @Test func `a country has its name in the language, and its common name before the formal one`() throws {
        let scratch = try Scratch()
        let list = try scratch.write(
            """
            {"3166-1":[{"alpha_2":"NL","name":"Netherlands"},
            {"alpha_2":"BO","common_name":"Bolivia","name":"Bolivia, Plurinational State of"}]}
            """, to: "list.json")
        let path = scratch("de/LC_MESSAGES/iso_3166-1.mo")
        try Directory.makeParent(of: path)
        let bytes = CountryTranslationsTests.german
        let file = try #require(fopen(path, "w"))
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count && fclose(file) == 0)
        let translations = CountryTranslations(list: list, catalogs: scratch.path)
        #expect(translations.name("NL", in: "de") == "Niederlande")
        #expect(translations.name("BO", in: "de") == "Bolivien")
        for (code, language) in [("NL", "fr"), ("XX", "de"), ("NL", "../de"), ("NL", "")] {
            #expect(translations.name(code, in: language) == nil)
        }
        let imported = try Imported()
        let nijmegen = try #require(Coordinate(latitude: 51.8425, longitude: 5.8528))
        let mark = try Geocoder(try PlacesFile(imported.folder), translations: translations).placemark(
            at: nijmegen, language: "de")
        #expect(mark?.country == "Niederlande")
    }
}
