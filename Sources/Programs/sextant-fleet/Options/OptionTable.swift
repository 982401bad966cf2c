import SystemCalls

/// A command line that is not valid.
struct UsageError: Error, Equatable {
    /// The mistake; nil if `getopt_long` has written it.
    var message: String?
}

/// The options of the program or of a subcommand: how they are read, and the text of `--help`.
struct OptionTable {
    /// One option.
    struct Entry {
        var name: StaticString
        /// What ``read(_:)`` passes for it.
        var code: Character
        /// The name of its value; nil for an option without one.
        var value: String?
        var help: String

        init(_ name: StaticString, _ code: Character, _ value: String? = nil, _ help: String) {
            self.name = name
            self.code = code
            self.value = value
            self.help = help
        }
    }

    /// The width of `--help` in columns.
    private static let width = 80
    private static let indent = 10

    var usage: String
    var abstract: String
    var discussion: String
    var entries: [Entry]

    /// Reads the options of this process, and passes the code and the value of each.
    func read(_ set: (Character, String) throws(UsageError) -> Void) throws(UsageError) {
        let options = LongOptions(
            entries.map { (name: $0.name, code: $0.code, hasValue: $0.value != nil) }
                + [(name: "help", code: OptionTable.help, hasValue: false)])
        while true {
            let found: (code: Character, value: String)?
            do throws(LongOptions.Failure) { found = try options.next() } catch {
                throw UsageError(message: error.message)
            }
            guard let found else { return }
            try set(found.code, found.value)
        }
    }

    /// The code of `--help`.
    static let help: Character = "h"

    /// The text of `--help`.
    var helpText: String {
        var lines = OptionTable.wrapped("Usage: " + usage, indent: 7)
        lines += ["", abstract, ""] + OptionTable.wrapped(discussion, indent: 0) + ["", "Options:"]
        for entry in entries + [Entry("help", OptionTable.help, "Show this help.")] {
            lines.append("  --\(entry.name)" + (entry.value.map { " \($0)" } ?? ""))
            lines += OptionTable.wrapped(String(repeating: " ", count: OptionTable.indent) + entry.help)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func wrapped(_ text: String, indent: Int = OptionTable.indent) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = String(text.prefix { $0 == " " })
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                (line, isEmpty) = (margin, true)
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return lines + [line]
    }
}

extension OptionTable.Entry {
    /// Creates an option without a value.
    init(_ name: StaticString, _ code: Character, _ help: String) { self.init(name, code, nil, help) }
}

/// Reads the values of options.
enum OptionValue {
    /// Returns a whole number in a range.
    static func integer(_ text: String, _ range: ClosedRange<Int>, of option: String) throws(UsageError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(message: "\(option) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns a number of metres in a range.
    static func metres(
        _ text: String, _ range: ClosedRange<Double>, of option: String
    ) throws(UsageError) -> Double {
        guard let number = Double(text), range.contains(number) else {
            let (low, high) = (Int(range.lowerBound), Int(range.upperBound))
            throw UsageError(message: "\(option) must be \(low) to \(high) metres")
        }
        return number
    }

    /// Returns a path, which is not empty: an empty one results from an unset variable in a script.
    static func path(_ text: String, of option: String) throws(UsageError) -> String {
        guard !text.isEmpty else { throw UsageError(message: "\(option) needs a path, but its value is empty") }
        return text
    }
}
