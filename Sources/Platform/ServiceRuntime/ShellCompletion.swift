/// The scripts with which shells complete the options of a program.
package struct ShellCompletion {
    private let tables: [OptionTable]
    private let program: String

    /// - Parameter tables: The options of the program, or of each of its roles.
    package init(_ tables: [OptionTable]) {
        self.tables = tables
        program = tables.first?.program ?? ""
    }

    /// Returns the script for `bash`, `zsh` or `fish`; nil for another shell.
    package func script(for shell: String) -> String? {
        let lines =
            switch shell {
            case "bash": bash
            case "zsh": zsh
            case "fish": fish
            default: [String]()
            }
        return lines.isEmpty ? nil : lines.joined(separator: "\n") + "\n"
    }

    private var roles: [String] { tables.compactMap(\.role) }

    private func names(of completion: OptionTable.Completion) -> String? {
        let entries = tables.flatMap(\.entries).filter { $0.completion == completion }
        return entries.isEmpty ? nil : Set(entries.map { "--\($0.name)" }).sorted().joined(separator: " | ")
    }

    private var bash: [String] {
        let function = "_" + String(program.map { $0 == "-" ? "_" : $0 })
        let first = (roles + ["--help", "--version"]).joined(separator: " ")
        var lines = [
            "# Completion of the options of \(program) for bash.", "\(function)() {",
            "    local word=${COMP_WORDS[COMP_CWORD]} words='\(first)'", "    case ${COMP_WORDS[1]} in",
        ]
        for table in tables {
            let words = table.entries.map { "--\($0.name)" }.joined(separator: " ")
            lines.append("    \(table.role ?? "*")) words='\(words)' ;;")
        }
        lines += ["    esac", "    COMPREPLY=()", "    case ${COMP_WORDS[COMP_CWORD - 1]} in"]
        for (completion, flag) in [(OptionTable.Completion.files, "-f"), (.folders, "-d")] {
            guard let names = names(of: completion) else { continue }
            lines.append("    \(names)) mapfile -t COMPREPLY < <(compgen \(flag) -- \"$word\") ;;")
        }
        return lines + [
            "    *) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\") ;;", "    esac", "}",
            "complete -o filenames -F \(function) \(program)",
        ]
    }

    private var zsh: [String] {
        var lines = ["#compdef \(program)"]
        if !roles.isEmpty {
            lines += [
                "if (( CURRENT == 2 )); then compadd -- \(roles.joined(separator: " ")) --help --version; return; fi"
            ]
        }
        lines.append("case $words[2] in")
        for table in tables {
            lines.append("\(table.role ?? "*")) _arguments \\")
            lines += table.entries.map { entry in
                let files = entry.completion == .nothing ? "" : "_files"
                let value = entry.value.map { ":\(ShellCompletion.zshText($0)):\(files)" } ?? ""
                return "    '*--\(entry.name)[\(ShellCompletion.zshText(entry.help))]\(value)' \\"
            }
            lines.append("    ;;")
        }
        return lines + ["esac"]
    }

    /// Text within a specification of `_arguments` in single quotes.
    private static func zshText(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "'": result += "'\\''"
            case "\\", "[", "]", ":": result += "\\\(character)"
            default: result.append(character)
            }
        }
    }

    private var fish: [String] {
        var lines = ["# Completion of the options of \(program) for fish."]
        for role in roles { lines.append("complete -c \(program) -n __fish_use_subcommand -f -a \(role)") }
        for table in tables {
            let condition = table.role.map { " -n '__fish_seen_subcommand_from \($0)'" } ?? ""
            for entry in table.entries {
                let value = entry.value == nil ? "" : entry.completion == .nothing ? " -x" : " -r -F"
                let help = entry.help.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
                lines.append("complete -c \(program)\(condition) -l \(entry.name)\(value) -d '\(help)'")
            }
        }
        return lines
    }
}
