import Chronology
import Glibc
import TestSupport
import Testing

/// What a part of the daemon requested in simulated time, and when. `Tests/Timelines` has a file
/// for each case: a change of a deadline, a retry or an error path moves a line. After an intended
/// change, run the tests with `SEXTANT_WRITE_TIMELINES=1` and review the difference.
struct Timeline {
    private var lines: [(times: String, text: String)] = []

    /// Adds what was requested at an instant, and after how many seconds the next work is due.
    /// A line states all times of what is repeated.
    mutating func note(_ actions: [String], at now: Instant, next: Instant?) {
        guard !actions.isEmpty else { return }
        let due = next.map { ", next in \(Timeline.text($0 - now))" } ?? ""
        add(actions.joined(separator: "; ") + due, at: now)
    }

    /// Adds what happens outside.
    mutating func note(_ event: String, at now: Instant) { add("--- \(event)", at: now) }

    private mutating func add(_ text: String, at now: Instant) {
        let time = Timeline.text(now - .zero)
        if lines.last?.text == text {
            lines[lines.count - 1].times += " \(time)"
        } else {
            lines.append((time, text))
        }
    }

    /// Compares the lines with the file.
    func expect(_ name: String, location: SourceLocation = #_sourceLocation) throws {
        let path = "\(PackageFiles.package)/Tests/Timelines/\(name).txt"
        let found = lines.map { "\($0.times) \($0.text)" }
        if getenv("SEXTANT_WRITE_TIMELINES") != nil {
            guard let file = fopen(path, "w") else { throw TestFailure("\(path) cannot be written") }
            defer { fclose(file) }
            for line in found { fputs(line + "\n", file) }
            return
        }
        let expected = Scratch.text(of: path).split(separator: "\n").map(String.init)
        let first = zip(expected, found).prefix { $0 == $1 }.count
        let lines = (expected.dropFirst(first).first ?? "no line", found.dropFirst(first).first ?? "no line")
        #expect(
            found == expected,
            """
            \(path), line \(first + 1): expected
            \(lines.0)
            now
            \(lines.1)
            If that is intended, write the file again with SEXTANT_WRITE_TIMELINES=1, and review the difference.
            """, sourceLocation: location)
    }

    /// Seconds with three decimals.
    static func text(_ span: Instant.Span) -> String {
        let milliseconds = span.nanoseconds / 1_000_000
        return "\(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst())"
    }
}
