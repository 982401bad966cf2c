import Glibc
import NMEA

struct TerminalCapabilities: Equatable, Sendable {
    /// Whether it supports styles at all; false if the output is not a terminal.
    var hasStyles: Bool
    var hasColours: Bool
    /// Whether it supports characters beyond ASCII.
    var hasUnicode: Bool

    /// No control sequences at all.
    static let plain = TerminalCapabilities(hasStyles: false, hasColours: false, hasUnicode: true)

    /// Reads the capabilities from the environment: `NO_COLOR` (no-color.org), `TERM`, and the
    /// locale variables in the order of locale(7). Without any locale it assumes UTF-8: containers
    /// and services set none, and modern terminals support it.
    init(isTerminal: Bool, environment: (String) -> String?) {
        hasStyles = isTerminal && environment("TERM") != "dumb"
        hasColours = hasStyles && (environment("NO_COLOR") ?? "").isEmpty
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
        hasUnicode = locale.map { $0.lowercased().filter { $0 != "-" }.contains(part: "utf8") } ?? true
    }

    private init(hasStyles: Bool, hasColours: Bool, hasUnicode: Bool) {
        self.hasStyles = hasStyles
        self.hasColours = hasColours
        self.hasUnicode = hasUnicode
    }

    static var ofStandardOutput: TerminalCapabilities {
        TerminalCapabilities(isTerminal: StandardOutput.isTerminal, environment: Environment.value)
    }
}

/// The environment of this process.
enum Environment {
    /// Returns the value of a variable; nil if it is not set.
    static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// All variables as "name=value", for a child process.
    static var all: [String] {
        var all: [String] = []
        var index = environ
        while let entry = index.pointee {
            all.append(String(cString: entry))
            index += 1
        }
        return all
    }
}

/// The columns and rows of a terminal.
struct TerminalSize: Equatable, Sendable {
    var columns: Int
    var rows: Int

    /// The assumed size of a terminal that reports none.
    static let assumed = TerminalSize(columns: 80, rows: 24)
    /// The maximum plausible size; larger values are ignored.
    private static let maxPlausible = 1000

    static var ofStandardOutput: TerminalSize {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return assumed
        }
        return TerminalSize(columns: min(Int(size.ws_col), maxPlausible), rows: min(Int(size.ws_row), maxPlausible))
    }
}

/// The style of a character. The colours are the terminal's own sixteen, so that they match the
/// user's theme.
struct Style: Hashable, Sendable {
    /// Foreground colours with their ECMA-48 SGR numbers.
    enum Colour: Int, Sendable {
        case red = 31
        case green = 32
        case yellow = 33
        case blue = 34
        case magenta = 35
        case cyan = 36
        case brightGreen = 92
    }

    var colour: Colour?
    var isBold = false
    var isDim = false
    var isReversed = false

    static let plain = Style()
    static let bold = Style(isBold: true)
    static let dim = Style(isDim: true)
    static let heading = Style(colour: .cyan, isBold: true)
    static let good = Style(colour: .green)
    static let warning = Style(colour: .yellow)
    static let bad = Style(colour: .red, isBold: true)

    /// Returns the control sequence that sets exactly this style.
    func sequence(colours: Bool) -> String {
        var codes = ["0"]
        if isBold { codes.append("1") }
        if isDim { codes.append("2") }
        if isReversed { codes.append("7") }
        if colours, let colour { codes.append(String(colour.rawValue)) }
        return "\u{1B}[\(codes.joined(separator: ";"))m"
    }
}
