import Chronology
import Places
import TestSupport
import Testing
import Varlink

/// Conditions on attributes, in Core Spotlight's language.
@Suite struct IndexQueryTests {
    private static let now = UTCTime(milliseconds: 1_800_000_000_000)

    private static let item = try? IndexedItem(
        identifier: "17", domain: "orders", expiry: now.advanced(by: .seconds(60)),
        attributes: [
            "title": "Café Latte", "keywords": ["coffee", "Oat Milk"], "rating": 4, "fileSize": 1.5, "allDay": true,
            "dueDate": "2027-01-15T08:00:00.000Z",
        ])

    private func holds(_ text: String) throws -> Bool {
        try IndexQuery(text, at: Self.now).matches(try #require(Self.item))
    }

    @Test(arguments: [
        "title == 'Café Latte'", "title == \"Caf*\"", "title=='*atte'", "title == '*é L*'", "title == '*'",
        "title == 'cafe latte'cd", "title == 'LATTE'w || title == 'latte'cw", "** == 'oat'cw", "* == 'coffee'",
        "keywords == 'coffee' && keywords == '*milk'c", "keywords != 'tea'", "nothing != 'x'", "!(title == 'x')",
        "rating > 3", "rating >= 4 && rating <= 4", "rating == 4", "rating != 5", "fileSize < 2", "allDay == true",
        "InRange(rating, 4, 5)", "dueDate >= $time.iso(2027-01-15T08:00:00Z)", "dueDate < $time.now(86400)",
        "expirationDate > $time.now", "domainIdentifier == 'orders' && uniqueIdentifier == '17'",
        "(rating > 4 || title == 'C*') && !rating < 2", "title > 'A'", "title == 'Caf\\é Latte'",
    ])
    func `a condition that holds`(_ text: String) throws {
        #expect(try holds(text))
    }

    @Test(arguments: [
        "title == 'cafe latte'", "title == 'Latte'", "title == 'atte'cw", "title == '*x*'", "title == 'Café*Café*'",
        "rating > 4", "rating == '4'", "nothing > 1", "nothing == '*'", "allDay == false",
        "dueDate < $time.now(-86400)", "keywords != 'coffee'", "InRange(rating, 5, 9)", "title == 'x' && rating > 3",
        "title == ''", "!(rating > 3)",
    ])
    func `a condition that does not hold`(_ text: String) throws {
        #expect(try !holds(text))
    }

    @Test(arguments: [
        "", "title", "title ==", "title == 'x", "title == 'x'q", "title == x", "(title == 'x'", "title == 'x')",
        "title == 'x' rating > 3", "title == 'x' &&", "InRange(rating, 4)", "a == $time.iso(x)", "a == $time.now(x)",
        "a == 1e999", "\"\"", String(repeating: "(", count: 400), String(repeating: "!", count: 1024),
        (0..<33).map { "a == \($0)" }.joined(separator: " || "), "a == '" + String(repeating: "x", count: 1024) + "'",
    ])
    func `a text that is no condition is refused with a reason`(_ text: String) {
        let error = #expect(throws: IndexQuery.Invalid.self) { try IndexQuery(text, at: Self.now) }
        #expect(error?.description.contains("condition") == true)
    }

    @Test func `words that an item must have come from conditions that hold for it only then`() throws {
        let cases: [(String, [String])] = [
            ("title == 'Caf*'", ["caf"]), ("title == '*latte'cw && rating > 3", ["latte"]), ("title == '*latte*'", []),
            ("title == 'a' || rating > 3", []), ("!(title == 'a')", []), ("title != 'a'", []), ("path == 'a'", []),
            ("** == 'oat milk'cw", ["oat", "milk"]), ("rating > 3 && title == 'Oat m*'", ["oat", "m"]),
        ]
        for (text, words) in cases { #expect(try IndexQuery(text, at: Self.now).words == words, "\(text)") }
    }

    @Test func `random texts are read or refused, and compared in linear time`() throws {
        var generator = SeededGenerator(seed: 35)
        let parts = [
            "title", "**", "==", "!=", "<", "'a*'", "\"*b*\"cdw", "(", ")", "&&", "||", "!", "InRange(", ",", "4", "\\",
            "'",
            "$time.now(", "$time.iso(", "é", "\u{0}", " ", "\u{301}",
        ]
        let item = try #require(Self.item)
        for _ in 0..<5000 {
            let count = Int.random(in: 1...12, using: &generator)
            let text = (0..<count).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            guard let query = try? IndexQuery(text, at: Self.now) else { continue }
            _ = query.matches(item)
            _ = query.words
        }
        let long = String(repeating: "a", count: 16_000)
        let large = try IndexedItem(identifier: "a", attributes: ["title": .string(long)])
        let pattern = String(repeating: "a", count: 900)
        #expect(try !IndexQuery("title == '*\(pattern)b*'", at: Self.now).matches(large))
    }
}
