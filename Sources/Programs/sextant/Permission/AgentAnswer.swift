import Permission

/// An answer of the user about a program.
struct AgentAnswer: Equatable {
    var authorization: AuthorizationChoice
    var accuracy = AccuracyAuthorization.full
    /// Whether the answer ends with the last session of the program.
    var isTemporary = false

    /// Parses the first line of a command: `always`, `whenInUse` or `denied`, then optionally
    /// `reduced` and `temporary`, separated by commas. Returns nil for any other text.
    init?(words line: String) {
        var words = line.split(separator: ",", omittingEmptySubsequences: false).map(AgentAnswer.trimmed)
        guard let choice = words.first.flatMap(AuthorizationChoice.init(rawValue:)) else { return nil }
        authorization = choice
        words.removeFirst()
        guard Set(words).count == words.count, words.allSatisfy({ $0 == "reduced" || $0 == "temporary" }) else {
            return nil
        }
        isTemporary = words.contains("temporary")
        guard words.contains("reduced") else { return }
        // Nothing to reduce: the command means something else.
        guard choice != .denied else { return nil }
        accuracy = .reduced
    }

    /// Parses letters that the user typed: one of `a` (always), `u` (while in use) and `d` (deny),
    /// with `r` (reduced) and `t` (only this time). Returns nil for any other text.
    init?(letters text: String) {
        let letters = AgentAnswer.trimmed(text[...]).lowercased().filter { $0 != " " }
        guard Set(letters).count == letters.count, letters.allSatisfy({ "audrt".contains($0) })
        else { return nil }
        let choices: [Character: AuthorizationChoice] = ["a": .always, "u": .whenInUse, "d": .denied]
        let chosen = letters.compactMap { choices[$0] }
        // "r" alone may mean "refuse".
        guard chosen.count == 1, let choice = chosen.first else { return nil }
        authorization = choice
        isTemporary = letters.contains("t")
        guard letters.contains("r") else { return }
        guard authorization != .denied else { return nil }
        accuracy = .reduced
    }

    private static func trimmed(_ text: Substring) -> String {
        let blanks: Set<Character> = [" ", "\t", "\r", "\r\n"]
        return String(text.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
    }

    /// The answer as text, such as "while in use, reduced to an area, only this time".
    var displayText: String {
        let choice =
            switch authorization {
            case .denied, .unknown: "denied"
            case .whenInUse: "while in use"
            case .always: "always"
            }
        return choice + (accuracy == .reduced ? ", reduced to an area" : "") + (isTemporary ? ", only this time" : "")
    }
}
