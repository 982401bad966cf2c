import Chronology
import Glibc
import Permission
import SextantAPI
import SextantServiceAPI
import SystemCalls
import Varlink
import VarlinkClient

/// Asks the user on the terminal, one program at a time.
///
/// Answers are lines, not single keys: a key that the user presses for another reason must not
/// allow a program the location. For the same reason, text that was typed before a program is shown
/// does not count.
struct AgentTerminal: LiveOutput {

    /// The maximum length of a line in bytes. The rest is discarded.
    private static let maxLineLength = 200

    private let replier: AgentReplier
    private var queue = AgentQueue()
    private var connectionMessages = ConnectionMessages()
    private var hasStarted = false
    private var typed: [UInt8] = []
    /// The complete line that was typed last.
    private var line: String?
    private var hasInputEnded = false

    init(replier: AgentReplier) {
        self.replier = replier
    }

    /// Standard input is read once the daemon has accepted the agent: a refusal is the more useful
    /// message where the input has ended too.
    var descriptors: [Int32] { hasInputEnded || !hasStarted ? [] : [STDIN_FILENO] }
    /// A line, or the end of the input, is handled with the next turn.
    var deadline: Instant? { line != nil || hasInputEnded ? .zero : queue.deadline }

    private static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    mutating func show(_ events: [DaemonFeed.Event], at now: Instant) throws(CommandError) {
        for event in events { try process(event) }
        if let line {
            self.line = nil
            try answer(line, at: now)
        }
        try showNext(at: now)
        guard !hasInputEnded else {
            throw CommandError(
                "standard input has ended, so the user cannot answer; without a terminal, use: sextant agent --exec "
                    + "COMMAND")
        }
    }

    private mutating func process(_ event: DaemonFeed.Event) throws(CommandError) {
        switch event {
        case .agent(let reply):
            if !hasStarted { AgentText.printStart() }
            hasStarted = true
            if let asked = reply.request { queue.add(asked) }
            if let asked = reply.withdrawn.flatMap({ queue.withdraw($0) }) { AgentText.printWithdrawn(asked) }
        case .disconnected:
            _ = queue.removeAll()
            connectionMessages.report(event)
        case .connected, .hung, .replied: connectionMessages.report(event)
        case .update, .receivers, .visit, .heading, .beacons, .monitor, .sentences: break
        }
    }

    private mutating func answer(_ text: String, at now: Instant) throws(CommandError) {
        guard let asked = queue.current else { return StandardError.line("sextant: there is nothing to answer now") }
        guard let answer = AgentAnswer(letters: text) ?? AgentAnswer(words: text) else {
            return try StandardOutput.write(lines: [AgentText.choices])
        }
        _ = queue.finish()
        if try !replier.send(answer, about: asked) { queue.postpone(asked, at: now) }
    }

    private mutating func showNext(at now: Instant) throws(CommandError) {
        guard let next = queue.beginNext(at: now) else { return }
        if AgentTerminal.isTerminal { tcflush(STDIN_FILENO, TCIFLUSH) }
        typed = []
        let lines = AgentText.lines(about: next, waiting: queue.waitingCount)
        try StandardOutput.write(lines: lines.wrapped(to: StandardOutput.columns))
    }

    mutating func readsQuitRequest() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = uninterrupted { read(STDIN_FILENO, &bytes, bytes.count) }
        guard count > 0 else {
            hasInputEnded = true
            return AgentTerminal.isTerminal
        }
        typed += bytes.prefix(count)
        // Of several lines only the first counts: the others were typed before their program was
        // shown.
        if let end = typed.firstIndex(of: UInt8(ascii: "\n")) {
            line = String(decoding: typed[..<end].prefix(AgentTerminal.maxLineLength), as: UTF8.self)
            typed = []
        }
        if typed.count > AgentTerminal.maxLineLength { typed = Array(typed.prefix(AgentTerminal.maxLineLength)) }
        return false
    }

}

/// Sends answers to the daemon on a separate connection: serving as an agent occupies its own.
struct AgentReplier {
    let daemon: DaemonOptions

    /// Sends an answer, and prints what was answered, or that the daemon needs no answer any more.
    ///
    /// - Returns: false if the daemon did not take the answer, so that it has to be given again.
    func send(_ answer: AgentAnswer, about asked: AgentRequest) throws(CommandError) -> Bool {
        let parameters = AnswerParameters(
            number: asked.number, authorization: answer.authorization,
            accuracy: answer.accuracy, temporary: answer.isTemporary ? true : nil)
        do throws(ClientError) {
            let client = try BlockingClient.connect(path: daemon.socket)
            _ = try client.call(AgentMethods.answer, with: parameters, timeout: .seconds(10))
        } catch {
            if case .failed(_, let reply) = error, reply.name == Interface.agent.error(named: "NoSuchRequest") {
                AgentText.printWithdrawn(asked)
                return true
            }
            AgentText.printRetry(asked, because: "the answer was not saved: \(CommandError(daemon: error))")
            return false
        }
        try StandardOutput.write(lines: ["\(asked.program): \(answer.displayText)"])
        return true
    }
}

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
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return "\"" + String(line.map { $0 == "\"" ? "'" : $0 }) + "\""
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
