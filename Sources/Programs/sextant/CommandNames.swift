import ArgumentParser

/// The names of the commands.
enum CommandNames {
    /// Checks that each command name on a command line exists. The library for arguments reports a
    /// wrong name as an unexpected argument, and ignores it after `help`.
    ///
    /// - Throws: An error that names similar commands, or all if none is similar.
    static func check(_ arguments: [String]) throws(CommandError) {
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
        let similar = known.filter { CommandNames.distance(word, $0) <= 2 }
            .min { CommandNames.distance(word, $0) < CommandNames.distance(word, $1) }
        let advice =
            similar.map { "did you mean: \(path) \($0)" } ?? "its commands are: \(known.joined(separator: " "))"
        self.init("\(path) has no command \"\(word)\"; \(advice)", exitStatus: .usage)
    }
}
