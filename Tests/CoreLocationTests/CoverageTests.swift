import Foundation
import Testing

/// Compares `docs/core-location.md` with the tests and with the module.
@Suite struct CoverageTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Returns the text of all Swift files below a folder.
    private static func sources(_ folder: String) throws -> String {
        let files = FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)
        return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
    }

    /// Returns the cells of the table below a heading, row by row.
    private static func table(_ heading: String) throws -> [[String]] {
        let section = try text("docs/core-location.md").components(separatedBy: "\n## ").first { $0.hasPrefix(heading) }
        let rows = (section ?? "").split(separator: "\n").filter { $0.hasPrefix("|") }.dropFirst(2)
        return rows.map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    @Test func `every name of Apple's module is used in the signature tests`() throws {
        let sources = try Self.sources("Tests/CoreLocationSignatureTests")
        let words = Set(sources.matches(of: /\w+/).map { $0.output })
        // A member, a label, or a function that a delegate implements.
        let members = Set(
            sources.matches(of: /(?:\.|func )(\w+)|(\w+)(?: \w+)?:|(\w+)\(/).compactMap { $0.1 ?? $0.2 ?? $0.3 })
        let names = try Self.table("Names").flatMap { row in row.joined().matches(of: /`([^`]+)`/).map { $0.output.1 } }
        #expect(names.count > 250)
        for name in names {
            let missing = name.matches(of: /\w+/).map { $0.output }.filter { word in
                let used = word.first?.isUppercase == true || word.hasPrefix("kCL") ? words : members
                return word != "_" && !used.contains(word)
            }
            #expect(missing.isEmpty, "\(name) is not used in the signature tests")
        }
        print("\(names.count) names, \(try Self.table("Exceptions").count) exceptions")
    }

    @Test func `every behaviour has a named test`() throws {
        let listed = try Self.table("Behaviours").compactMap { Int($0.first ?? "") }
        #expect(listed == Array(1...33))
        let tests = try Self.sources("Tests/CoreLocationTests") + Self.sources("Tests/CoreLocationSignatureTests")
        let numbers = tests.matches(of: /@Test func `([0-9 and]+):/).flatMap { match in
            match.output.1.matches(of: /[0-9]+/).compactMap { Int($0.output) }
        }
        #expect(Set(listed).subtracting(numbers).isEmpty)
        print("\(Set(numbers).intersection(listed).count) of \(listed.count) behaviours have a test")
    }

    @Test func `33: nothing in the module is deprecated, and the signatures compile without warnings`() throws {
        let module = try Self.sources("Sources/Libraries/CoreLocation")
        #expect(module.contains("CLLocationManager") && !module.contains("deprecated"))
        let targets = try Self.text("Package.swift").components(separatedBy: ".testTarget(")
            .filter { $0.contains("\"CoreLocationSignatureTests\"") || $0.contains("\"CoreLocationSwift5Tests\"") }
        #expect(targets.count == 2)
        #expect(targets.allSatisfy { $0.contains("-warnings-as-errors") })
    }
}
