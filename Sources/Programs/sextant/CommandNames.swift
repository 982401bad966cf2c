import ArgumentParser

enum CommandNames {
    /// Checks that each command name on a command line exists. The library for arguments reports a
    /// wrong name as an unexpected argument, and ignores it after `help`.
    ///
    /// - Throws: An error that names similar commands, or all if none is similar.
    static func check(_ arguments: [String]) throws(CommandError) {
        try checkPlaces(arguments)
        var command: any ParsableCommand.Type = Sextant.self
        var path = "sextant"
        for word in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
            let known = command.configuration.subcommands
            guard !known.isEmpty, command.configuration.defaultSubcommand == nil, !word.hasPrefix("-") else { return }
            guard let next = known.first(where: { $0._commandName == word }) else {
                throw CommandError(unknown: word, of: path, known: known.map { $0._commandName })
            }
            command = next
            path += " " + word
        }
    }

    /// Checks that no option of a command comes before it.
    private static func checkPlaces(_ arguments: [String]) throws(CommandError) {
        guard let option = arguments.first, option.hasPrefix("--"), !rootOptions.contains(option),
            let index = arguments.firstIndex(where: { word in
                Sextant.configuration.subcommands.contains { $0._commandName == word }
            })
        else { return }
        let line = ["sextant", arguments[index]] + arguments[..<index] + arguments[(index + 1)...]
        let text = line.map { ShellText.quoted($0) }.joined(separator: " ")
        throw CommandError("\(option) follows the command: \(text)", exitStatus: .usage)
    }

    private static let rootOptions = [
        "--", "--help", "--help-hidden", "--version", "--generate-completion-script", "--experimental-dump-help",
    ]

    /// The commands for words that other programs and their users have for the same, by the
    /// command before them.
    private static let synonyms = [
        "sextant": [
            "satellites": "sky", "position": "locate", "location": "locate", "monitor": "watch", "follow": "watch",
            "ports": "receivers", "geofence": "fence", "permissions": "grants",
            "allow": "grant", "deny": "grant", "nmea": "tail", "sentences": "tail", "energy": "power",
            "battery": "power", "clients": "who", "clock": "time", "search": "find", "address": "where",
            "check": "doctor", "diagnose": "doctor", "test": "doctor", "version": "--version",
            "completion": "--generate-completion-script bash", "devices": "receivers",
        ],
        "sextant fence": [
            "delete": "remove", "rm": "remove", "create": "add", "new": "add", "ls": "list", "load": "import",
            "save": "export", "follow": "watch", "events": "watch", "map": "show",
        ],
    ]

    /// Returns the command that a wrong name most likely means; nil if none is similar.
    static func suggestion(for word: String, of path: String, known: [String]) -> String? {
        let synonyms = CommandNames.synonyms[path] ?? [:]
        let candidates = known.map { ($0, $0) } + synonyms.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
        return candidates.map { (command: $0.1, distance: distance(word, $0.0)) }
            .filter { $0.distance <= 2 }
            .min { $0.distance < $1.distance }?.command
    }

    /// Returns the arguments so that `help` after a command with commands shows the help of that
    /// command, as before it.
    static func withHelpFirst(_ arguments: [String]) -> [String] {
        var command: any ParsableCommand.Type = Sextant.self
        for (index, word) in arguments.enumerated() {
            if word == "help" { return [word] + arguments[..<index] + arguments[(index + 1)...] }
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }),
                !next.configuration.subcommands.isEmpty, next.configuration.defaultSubcommand == nil
            else { break }
            command = next
        }
        return arguments
    }

    /// Returns how many characters to insert, remove or replace to change one word into the other
    /// (Levenshtein distance).
    static func distance(_ first: String, _ second: String) -> Int {
        let second = Array(second)
        var row = Array(0...second.count)
        for (index, character) in first.enumerated() {
            var next = [index + 1]
            for (column, other) in second.enumerated() {
                next.append(min(row[column] + (character == other ? 0 : 1), row[column + 1] + 1, next[column] + 1))
            }
            row = next
        }
        return row[second.count]
    }
}

extension CommandError {
    fileprivate init(unknown word: String, of path: String, known: [String]) {
        let similar = CommandNames.suggestion(for: word, of: path, known: known)
        let advice =
            similar.map { "did you mean: \(path) \($0)" } ?? "its commands are: \(known.joined(separator: " "))"
        self.init("\(path) has no command \"\(word)\"; \(advice)", exitStatus: .usage)
    }
}
