import Glibc

/// What a terminal can show.
struct Look: Equatable, Sendable {
    /// Styles of any kind; false where the output is no terminal.
    var hasStyles: Bool
    /// Colours.
    var hasColours: Bool
    /// Characters beyond ASCII.
    var hasUnicode: Bool

    /// No control sequences at all.
    static let plain = Look(hasStyles: false, hasColours: false, hasUnicode: true)

    /// What the environment says of a terminal: `NO_COLOR` (no-color.org), `TERM`, and the locale as locale(7) ranks its variables. Where no
    /// locale is set at all UTF-8 is taken for granted: containers and services set none, and terminals of today understand it.
    init(isTerminal: Bool, environment: (String) -> String?) {
        hasStyles = isTerminal && environment("TERM") != "dumb"
        hasColours = hasStyles && (environment("NO_COLOR") ?? "").isEmpty
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
        hasUnicode = locale.map { $0.lowercased().contains("utf-8") || $0.lowercased().contains("utf8") } ?? true
    }

    private init(hasStyles: Bool, hasColours: Bool, hasUnicode: Bool) {
        (self.hasStyles, self.hasColours, self.hasUnicode) = (hasStyles, hasColours, hasUnicode)
    }

    /// That of standard output.
    static var ofStandardOutput: Look {
        Look(isTerminal: StandardOutput.isTerminal, environment: Environment.value)
    }
}

/// The environment of this process.
enum Environment {
    /// A variable's value; nil where it is not set.
    static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Every variable as "name=value", for a program that is started.
    static var all: [String] {
        var all: [String] = []
        var at = environ
        while let entry = at.pointee {
            all.append(String(cString: entry))
            at += 1
        }
        return all
    }
}
