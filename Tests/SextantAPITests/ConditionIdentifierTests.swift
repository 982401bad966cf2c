import Locator
import Testing

@testable import SextantAPI

@Suite struct ConditionIdentifierTests {
    @Test(arguments: ["home", "Zuhause", "дом", "家", "🏠", "a b", "é", "e\u{301}", "بيت"])
    func `visible identifiers are accepted`(identifier: String) {
        #expect(ConditionIdentifier.problem(of: identifier) == nil)
    }

    @Test(
        arguments: [
            ("200B", "home\u{200B}"), ("202E", "\u{202E}home"), ("2066", "ho\u{2066}me"), ("200D", "ho\u{200D}me"),
            ("FEFF", "\u{FEFF}home"), ("00AD", "ho\u{AD}me"), ("2028", "ho\u{2028}me"), ("007F", "ho\u{7F}me"),
            ("0085", "ho\u{85}me"), ("E0041", "home\u{E0041}"), ("FE0F", "home\u{FE0F}"), ("3164", "\u{3164}"),
        ])
    func `invisible characters are refused by name`(code: String, identifier: String) throws {
        let problem = try #require(ConditionIdentifier.problem(of: identifier))
        #expect(problem.contains("U+\(code);"), "\(problem)")
    }

    @Test func `a condition with an invisible character is refused with the reason`() {
        var message = Condition(identifier: "home\u{200B}")
        message.circle = ConditionCircle(center: Point(latitude: 48, longitude: 11), radius: 100)
        let reason = "the identifier contains the invisible character U+200B; remove it"
        #expect(throws: MonitorError.invalidCondition(identifier: "home\u{200B}", reason: reason)) {
            try message.condition()
        }
    }
}
