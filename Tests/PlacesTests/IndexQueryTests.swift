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
            "comment": "a*b", "dueDate": "2027-01-15T08:00:00.000Z",
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
        "title ==[cd] 'cafe*'", "title ==[c] 'cafe*'d", "comment == 'a\\*b'", "comment > 'a'",
        "title == 'Caf? ?atte'", "title == '??t?'cw || title == '*?f? *'", "title == '?*' && title == '*L??t?'",
        "comment == 'a?b' && comment < 'b?'", "title == '*a?t*'",
    ])
    func `a condition that holds`(_ text: String) throws {
        #expect(try holds(text))
    }

    @Test(arguments: [
        "title == 'cafe latte'", "title == 'Latte'", "title == 'atte'cw", "title == '*x*'", "title == 'Café*Café*'",
        "rating > 4", "rating == '4'", "nothing > 1", "nothing == '*'", "allDay == false",
        "dueDate < $time.now(-86400)", "keywords != 'coffee'", "InRange(rating, 5, 9)", "title == 'x' && rating > 3",
        "title == ''", "!(rating > 3)", "title == 'Caf\\*'", "rating ==[c] '4'",
        "title == 'Café Latte?'", "title == '?afé?Latt'", "title == '*a?t'", "title == '*??????????*?'",
        "title == 'Caf\\?*'",
    ])
    func `a condition that does not hold`(_ text: String) throws {
        #expect(try !holds(text))
    }

    @Test(arguments: [
        "", "title", "title ==", "title == 'x", "title == 'x'q", "title == x", "(title == 'x'", "title == 'x')",
        "title == 'x' rating > 3", "title == 'x' &&", "InRange(rating, 4)", "a == $time.iso(x)", "a == $time.now(x)",
        "a == 1e999",
        "a ==[c] 4", "a ==[x] 'b'", "a ==[c 'b'", "\"\"",
        String(repeating: "(", count: 400), String(repeating: "!", count: 1024),
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
            ("title == 'Oat m?l'", ["oat", "m"]), ("title == '?at'", []),
        ]
        for (text, words) in cases { #expect(try IndexQuery(text, at: Self.now).words == words, "\(text)") }
    }

    private static func condition(_ depth: Int, _ generator: inout SeededGenerator) -> String {
        func one(_ choices: [String]) -> String { choices.randomElement(using: &generator) ?? "" }
        switch depth > 0 ? Int.random(in: 0..<5, using: &generator) : 4 {
        case 0: return "(\(condition(depth - 1, &generator)) || \(condition(depth - 1, &generator)))"
        case 1: return "(\(condition(depth - 1, &generator)) && \(condition(depth - 1, &generator)))"
        case 2: return "!\(condition(depth - 1, &generator))"
        default:
            let attribute = one(["title", "**", "keywords", "rating", "dueDate", "nothing", "InRange(rating, 1, 4)"])
            guard !attribute.hasPrefix("InRange") else { return attribute }
            let texts = ["'a*'", "\"*e\\*\"cdw", "'*é L*'", "'?*t?'", "'\u{0}'c"]
            let value = one(texts + ["4", "-1.5e3", "true", "$time.now(-5)"])
            return "\(attribute) \(one(["==", "!=", "<", "<=", ">", ">=", "=="])) \(value)"
        }
    }

    @Test func `random texts are read or refused, and a negation has the opposite result`() throws {
        var generator = SeededGenerator(seed: 35)
        let item = try #require(Self.item)
        var results: [Bool] = []
        for number in 0..<4000 {
            var text = Self.condition(3, &generator)
            let isIntact = number % 2 == 0
            if !isIntact, let index = text.indices.randomElement(using: &generator) { text.remove(at: index) }
            guard let query = try? IndexQuery(text, at: Self.now) else {
                #expect(!isIntact, "\(text)")
                continue
            }
            results.append(query.matches(item))
            #expect(try IndexQuery("!(\(text))", at: Self.now).matches(item) != results.last, "\(text)")
        }
        #expect(results.count > 2000 && Set(results).count == 2)
    }

    @Test func `a long text is compared in linear time`() throws {
        let long = String(repeating: "a", count: 16_000)
        let large = try IndexedItem(identifier: "a", attributes: ["title": .string(long)])
        for pattern in [String(repeating: "a", count: 900), String(repeating: "?", count: 900)] {
            #expect(try !IndexQuery("title == '*\(pattern)b*'", at: Self.now).matches(large))
            #expect(try IndexQuery("title == '*\(pattern)*'", at: Self.now).matches(large))
        }
    }

    @Test func `marks are ignored on Latin letters of both cases, and alone`() throws {
        let item = try IndexedItem(
            identifier: "a", attributes: ["title": "Ångström Łódź Việt e\u{301} Ώ", "comment": "Straße"])
        func holds(_ text: String) throws -> Bool { try IndexQuery(text, at: Self.now).matches(item) }
        #expect(try holds("title == 'Angstrom Lodz Viet e *'d"))
        #expect(try holds("title == '*łodz VIÊT*'cd"))
        #expect(try !holds("title == 'Angstrom*'"))
        #expect(try holds("comment == 'straße'cd") && !holds("comment == 'strase'cd"))
    }
}
