import Chronology
import Permission
import SextantAPI

/// What an agent prints.
enum AgentText {
    /// The answers that the user can type.
    static let choices =
        "Type a letter and press Enter: [a]lways, while in [u]se, [d]eny. Add r to it for [r]educed to an area, "
        + "and t for only this [t]ime: ur, ut, dt."

    /// Returns the lines that ask the user about a program.
    ///
    /// - Parameter waiting: The number of programs that wait behind it.
    static func lines(about asked: AgentRequest, waiting: Int) -> [String] {
        let need =
            switch asked.requirement {
            case .always: "at any time"
            case .whenInUse, .none, .unknown: "while it is in use"
            }
        var lines = [
            "", "May this program know the location \(need)?", "  program      \(asked.program)",
        ]
        if let user = ProgramID(stored: asked.program)?.user {
            lines.append("  user         \(ProgramFormatter.user(Int(user)))")
        }
        if let application = asked.application { lines.append("  application  \(application)") }
        if let text = asked.purpose { lines.append("  purpose      \(quoted(text)), as the program states it") }
        if let text = asked.usageDescription {
            lines.append("  usage        \(quoted(text)), as the program states it")
        }
        if waiting > 0 { lines.append("  waiting      \(waiting) more") }
        return lines + [choices]
    }

    /// Returns the text of a program in quotation marks that it cannot end, and without the blanks
    /// with which it could imitate a line of its own.
    static func quoted(_ text: String) -> String {
        "\"" + text.split(whereSeparator: \.isWhitespace).joined(separator: " ").replacing("\"", with: "'") + "\""
    }

    /// Prints that a program needs no answer any more.
    static func printWithdrawn(_ asked: AgentRequest) {
        StandardError.line(
            "sextant: \(asked.program) needs no answer any more: it was answered elsewhere, or the program has ended")
    }

    /// Prints that there is no answer about a program, so that the user is asked again.
    static func printRetry(_ asked: AgentRequest, because reason: String) {
        let delay = TimeText.span(AgentQueue.retryInterval.seconds)
        StandardError.line("sextant: no answer about \(asked.program): \(reason); it is asked about again in \(delay)")
    }

    /// Prints that this program serves as an agent.
    static func printStart() {
        StandardError.line("sextant: waiting for programs that request the location; Ctrl-C ends the agent")
    }
}
