import Places
import TestSupport
import Testing

/// Random input for the parsers: no trap, no hang, and what is accepted is in its range.
@Suite struct RandomInputTests {
    private static let letters = Array("aZ09 ,.'\"\\*-(){}[]:\t\u{301}\u{e9}ßİ中ก\u{0}\u{FEFF}\u{202E}".unicodeScalars)

    private static func text(_ length: Int, _ random: inout SeededGenerator) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...length, using: &random) {
            scalars.append(letters.randomElement(using: &random) ?? "a")
        }
        return String(scalars)
    }

    @Test func `any text is a query with words or none, and the index accepts it`() throws {
        var random = SeededGenerator(seed: 7)
        let imported = try Imported()
        let search = PlaceSearch(try PlacesFile(imported.folder))
        for round in 0..<2000 {
            let text = Self.text(40, &random)
            guard let query = PlaceQuery(text) else { continue }
            #expect(!query.words.isEmpty && query.words.count <= PlaceQuery.maxWords)
            #expect(query.words.allSatisfy { PlaceQuery.words(of: $0) == [$0] }, "\(text)")
            guard round % 10 == 0 else { continue }
            _ = try search.matches(query, isComplete: true, limit: 5)
        }
    }

    /// Found by fuzzing: the first byte of a Chinese letter, without the rest.
    @Test func `bytes that are not UTF-8 are no letter of a name`() {
        let comparison = NameComparison(["r"])
        for name: [UInt8] in [[0xE6, 0x52], [0xD0, 0x52], [0xE6, 0x9D, 0x52], [0xE6]] {
            let isEqual = PlaceQuery.words(of: String(decoding: name, as: UTF8.self)) == ["r"]
            #expect(name.withUnsafeBytes { comparison.matchesAny(of: $0) } == isEqual, "\(name)")
        }
    }

    @Test func `a comparison finds exactly the names with equal words`() {
        var random = SeededGenerator(seed: 11)
        let letters = Array(
            "aAkKiI\u{130}\u{212A}é\u{301}e'-яЯи\u{306}й中가\u{1100}\u{1161}\u{11A8}각ά\u{1F71} \u{F900}豈豈".unicodeScalars)
        func name() -> String {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                scalars.append(letters.randomElement(using: &random) ?? "a")
            }
            return String(scalars)
        }
        for _ in 0..<20_000 {
            let words = PlaceQuery.words(of: name())
            guard !words.isEmpty else { continue }
            let names = [name(), name(), name()]
            let comparison = NameComparison(words)
            let isAny = Array(names.joined(separator: ",").utf8).withUnsafeBytes { comparison.matchesAny(of: $0) }
            // A mark of the next name must not join the comma.
            let parts = names.joined(separator: ",").unicodeScalars.split(separator: ",").map { String($0) }
            #expect(isAny == parts.contains { PlaceQuery.words(of: $0) == words }, "\(words) \(names)")
        }
    }

    @Test func `a letter of any script begins a word, as its category states`() {
        for value in UInt32(0)...0x1FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isPart =
                switch scalar.properties.generalCategory {
                case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
                    .decimalNumber, .letterNumber, .otherNumber, .privateUse:
                    true
                default: false
                }
            let lower = String(String.UnicodeScalarView(scalar.properties.lowercaseMapping.unicodeScalars.prefix(1)))
            let words = PlaceQuery.words(of: String(scalar))
            guard words != (isPart ? [lower] : []) else { continue }
            Issue.record("\(value) gives \(words)")
        }
    }

    @Test func `damaged lines of any format are counted`() throws {
        var random = SeededGenerator(seed: 8)
        let good = [Samples.gazetteer, Samples.divisions, Samples.countries].map { $0.split(separator: "\n") }
        for _ in 0..<10 {
            let texts = good.map { lines in
                lines.enumerated().map { number, line in
                    number < 2 || Bool.random(using: &random)
                        ? String(line) : Self.damaged(line, &random)
                }.joined(separator: "\n")
            }
            let imported = try Imported(texts)
            #expect(imported.rows >= 1)
            try PlacesFile(imported.folder).check()
        }
    }

    @Test func `damaged GeoJSON is an error or an area, never a trap`() throws {
        var random = SeededGenerator(seed: 9)
        let good = Samples.collection(
            Samples.square("\"iso_a2\": \"AA\", \"featurecla\": \"x\"", south: 49, north: 51, west: 4, east: 5),
            Samples.square("\"tzid\": \"Europe/Paris\"", south: 49, north: 51, west: 5, east: 6))
        for _ in 0..<30 {
            let text = "{" + Self.damaged(Substring(good.dropFirst()), &random)
            guard let imported = try? Imported([Samples.gazetteer, text]) else { continue }
            try PlacesFile(imported.folder).check()
            _ = try imported.placemark(50, 4.5)
        }
    }

    /// A text with one to three changes.
    private static func damaged(_ text: Substring, _ random: inout SeededGenerator) -> String {
        var scalars = Array(text.unicodeScalars)
        for _ in 0..<Int.random(in: 1...3, using: &random) where !scalars.isEmpty {
            let index = Int.random(in: 0..<scalars.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: scalars.remove(at: index)
            case 1: scalars.insert(letters.randomElement(using: &random) ?? "a", at: index)
            case 2: scalars[index] = letters.randomElement(using: &random) ?? "a"
            default: scalars.removeLast(scalars.count - index)
            }
        }
        var damaged = String.UnicodeScalarView()
        damaged.append(contentsOf: scalars)
        return String(damaged)
    }
}
