@preconcurrency import CLinux
@preconcurrency import Glibc

/// A command line that is not valid.
package struct UsageError: Error, Sendable, Equatable {
    /// The exit status: EX_USAGE of sysexits(3).
    package static let exitCode: CInt = 64

    package let message: String

    package init(message: String) { self.message = message }
}

/// The options of a program, or of one of its roles: how they are read with `getopt_long` (decision
/// 0013), and the text of `--help`.
package struct OptionTable {
    /// What a shell completes as the value of an option.
    package enum Completion { case nothing, files, folders }

    /// One option.
    package struct Entry {
        /// The name, without hyphens.
        package let name: StaticString
        /// The name of the value; nil for an option without one.
        package let value: String?
        package let completion: Completion
        package let help: String

        /// Creates an option whose value is a path.
        package init(_ name: StaticString, _ value: String?, _ completion: Completion, _ help: String) {
            self.name = name
            self.value = value
            self.completion = completion
            self.help = help
        }

        package init(_ name: StaticString, _ value: String, _ help: String) {
            self.init(name, value, .nothing, help)
        }

        /// Creates an option without a value.
        package init(_ name: StaticString, _ help: String) { self.init(name, nil, .nothing, help) }
    }

    /// What the command line asks for.
    package enum Request: Equatable {
        /// To run with the options that were passed. The operands are the arguments that are no
        /// options.
        case run(operands: [String])
        /// To print a text.
        case show(String)
    }

    package let program: String
    /// The first argument, if the program has several roles.
    package let role: String?
    /// Whether help and completion show the role.
    package let isListed: Bool
    /// What follows the program and the role in the line that shows the usage.
    package let usage: String
    package let abstract: String
    package let discussion: String
    /// All options, with those of every program.
    package let entries: [Entry]

    package init(
        program: String, role: String? = nil, isListed: Bool = true, usage: String, abstract: String,
        discussion: String, entries: [Entry]
    ) {
        self.program = program
        self.role = role
        self.isListed = isListed
        self.usage = usage
        self.abstract = abstract
        self.discussion = discussion
        self.entries = entries + [Entry("version", "Show the version."), Entry("help", "Show this help.")]
    }

    package var command: String { role.map { "\(program) \($0)" } ?? program }

    /// What is printed after a mistake.
    package var hint: String { "see '\(command) --help'" }

    /// Reads the options of this process, after the name of the role.
    ///
    /// - Parameters:
    ///   - version: The text of `--version`.
    ///   - set: Gets the name and the value of each option; the value is empty if it has none.
    /// - Throws: ``UsageError`` for an option that is not known, a missing value, a value that is
    ///   not UTF-8 text, and what `set` throws.
    package func read(
        version: String, _ set: (String, String) throws(UsageError) -> Void
    ) throws(UsageError) -> Request {
        let known = entries.enumerated().map { index, entry in
            option(
                name: UnsafeRawPointer(entry.name.utf8Start).assumingMemoryBound(to: CChar.self),
                has_arg: entry.value == nil ? no_argument : required_argument, flag: nil,
                val: OptionTable.firstCode + CInt(index))
        }
        optind = role == nil ? 1 : 2
        while true {
            // With the colon, a missing value has a code of its own and getopt_long writes nothing.
            let code = getopt_long(CommandLine.argc, CommandLine.unsafeArgv, ":h", known + [option()], nil)
            let index = Int(code - OptionTable.firstCode)
            guard code != -1 else { return .run(operands: try OptionTable.operands()) }
            if code == CInt(UInt8(ascii: "h")) { return .show(helpText) }
            guard entries.indices.contains(index) else { throw OptionTable.mistake(code) }
            // A path with other bytes would name another file.
            guard let value = optarg.map({ String(validatingCString: $0) }) ?? "" else {
                throw UsageError(message: "the value of --\(entries[index].name) is not UTF-8 text")
            }
            switch entries[index].name.description {
            case "help": return .show(helpText)
            case "version": return .show(version + "\n")
            case let name: try set(name, value)
            }
        }
    }

    /// The first code of an option, above the characters that `getopt_long` returns itself.
    private static let firstCode: CInt = 256

    private static func operands() throws(UsageError) -> [String] {
        var operands: [String] = []
        for index in Int(optind)..<max(Int(optind), Int(CommandLine.argc)) {
            guard let text = CommandLine.unsafeArgv[index].flatMap({ String(validatingCString: $0) }) else {
                throw UsageError(message: "an argument is not UTF-8 text")
            }
            operands.append(text)
        }
        return operands
    }

    /// The mistake for which `getopt_long` has returned a code.
    private static func mistake(_ code: CInt) -> UsageError {
        let last = CommandLine.unsafeArgv[max(0, Int(optind) - 1)].map { String(cString: $0) } ?? ""
        if code == CInt(UInt8(ascii: ":")) { return UsageError(message: "\(last) needs a value") }
        if optopt >= firstCode { return UsageError(message: "\(last): the option has no value") }
        let name = optopt == 0 ? last : "-\(Character(Unicode.Scalar(UInt8(truncatingIfNeeded: optopt))))"
        return UsageError(message: "unknown or ambiguous option '\(name)'")
    }
}

extension OptionTable {
    /// The width of `--help` in columns, and the column of the texts.
    private static let width = 80
    private static let indent = 18

    /// The text of `--help`.
    package var helpText: String {
        var lines = OptionTable.wrapped("\(command) \(usage)", after: "Usage: ", indent: 7)
        for paragraph in [abstract, discussion] { lines += [""] + OptionTable.wrapped(paragraph, after: "", indent: 0) }
        lines += ["", "Options:"]
        for entry in entries {
            let name = "\(entry.name)" == "help" ? "-h, --help" : "--\(entry.name)"
            lines += OptionTable.row(name + (entry.value.map { " \($0)" } ?? ""), entry.help)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    static func row(_ name: String, _ text: String) -> [String] {
        let start = "  " + name
        guard start.count < indent - 1 else { return [start] + wrapped(text, after: "", indent: indent) }
        return wrapped(text, after: start, indent: indent)
    }

    private static func wrapped(_ text: String, after start: String, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = start + margin.dropFirst(start.count)
        for word in text.split(separator: " ") {
            if line.count <= indent {
                line += word
            } else if line.count + 1 + word.count <= width {
                line += " " + word
            } else {
                lines.append(line)
                line = margin + word
            }
        }
        return lines + [line]
    }
}

/// Reads the values of options.
package enum OptionValue {
    /// Returns a whole number in a range.
    package static func integer(
        _ text: String, _ range: ClosedRange<Int>, of option: String
    ) throws(UsageError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(message: "--\(option) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns a number in a range.
    ///
    /// - Parameter unit: The plural of the unit, such as "metres".
    package static func number(
        _ text: String, _ range: ClosedRange<Double>, _ unit: String, of option: String
    ) throws(UsageError) -> Double {
        guard let number = Double(text), range.contains(number) else {
            let (low, high) = (Int(range.lowerBound), Int(range.upperBound))
            throw UsageError(message: "--\(option) must be \(low) to \(high) \(unit)")
        }
        return number
    }

    /// Returns a path, which is not empty: an empty one results from an unset variable in a script.
    package static func path(_ text: String, of option: String) throws(UsageError) -> String {
        guard !text.isEmpty else { throw UsageError(message: "--\(option) needs a path, but its value is empty") }
        return text
    }
}
