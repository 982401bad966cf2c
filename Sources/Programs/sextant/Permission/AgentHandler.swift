import Chronology
import Glibc
import SextantAPI
import SextantServiceAPI
import SystemCalls

/// Runs a command that asks the user, for one program at a time, and sends its answer.
struct AgentHandler: LiveOutput {
    static var signals: [Int32] { [SIGCHLD] }

    private let command: String
    private let replier: AgentReplier
    private var queue = AgentQueue()
    private var run: AgentCommandRun?
    private var connectionMessages = ConnectionMessages()

    init(command: String, replier: AgentReplier) {
        self.command = command
        self.replier = replier
    }

    var deadline: Instant? { earliest(queue.deadline, run?.killDeadline) }

    mutating func show(_ events: [DaemonFeed.Event], at now: Instant) throws(CommandError) {
        for event in events { process(event, at: now) }
        run?.killIfDue(at: now)
        if let run, let result = run.result() {
            self.run = nil
            // Without a current program it needs no answer any more.
            if let asked = queue.finish(), try !report(result, about: asked) { queue.postpone(asked, at: now) }
        }
        // The next command starts when the last one has ended, even a terminated one: two dialogs
        // at the same time could be confused.
        guard run == nil, let next = queue.beginNext(at: now) else { return }
        run = try AgentCommandRun(command: command, about: next)
    }

    private mutating func process(_ event: DaemonFeed.Event, at now: Instant) {
        switch event {
        case .agent(let reply):
            if let asked = reply.request { queue.add(asked) }
            if let asked = reply.withdrawn.flatMap({ queue.withdraw($0) }) {
                AgentText.printWithdrawn(asked)
                run?.terminate(at: now)
            }
        case .disconnected:
            if queue.removeAll() != nil { run?.terminate(at: now) }
            connectionMessages.report(event)
        case .connected, .hung, .replied: connectionMessages.report(event)
        case .update, .receivers, .visit, .heading, .beacons, .monitor, .sentences: break
        }
    }

    /// Sends the answer of a command, or prints why there is none. Returns false if the user has to
    /// be asked again.
    private func report(
        _ result: AgentCommandRun.Result, about asked: AgentRequest
    ) throws(CommandError) -> Bool {
        switch result {
        case .answer(let answer): return try replier.send(answer, about: asked)
        case .failure(let reason):
            AgentText.printRetry(asked, because: "the command \(reason)")
            return false
        }
    }

    mutating func end() { run?.terminate(at: HostClock.now) }
}

/// One run of the command of an agent, with its output in memory.
final class AgentCommandRun {
    /// What the command answered.
    enum Result: Equatable {
        case answer(AgentAnswer)
        /// It gave no answer, for this reason.
        case failure(String)
    }

    /// The maximum length of the first line in bytes.
    private static let maxLineLength = 200
    /// The time between SIGTERM and SIGKILL: the next command waits for the end of this one.
    private static let terminationTimeout = Instant.Span.seconds(5)

    /// When a command that got SIGTERM is killed; nil if it got none.
    private(set) var killDeadline: Instant?
    private let process: HandlerProcess
    private let output: FileDescriptor

    init(command: String, about asked: AgentRequest) throws(CommandError) {
        output = try HandlerProcess.memoryFile(containing: [])
        process = try HandlerProcess(
            command: command, input: asked, variables: AgentCommandRun.variables(of: asked), output: output.number)
    }

    /// Returns the environment variables of a program. Absent values are empty, so that a variable
    /// of this program's own environment is not mistaken for one of them.
    static func variables(of asked: AgentRequest) -> [String] {
        [
            "SEXTANT_PROGRAM=\(asked.program)", "SEXTANT_APPLICATION=\(asked.application ?? "")",
            "SEXTANT_REQUIREMENT=\(asked.requirement.rawValue)", "SEXTANT_PURPOSE=\(asked.purpose ?? "")",
            "SEXTANT_USAGE_DESCRIPTION=\(asked.usageDescription ?? "")", "SEXTANT_NUMBER=\(asked.number)",
        ]
    }

    /// Returns the result; nil while the command runs.
    func result() -> Result? {
        let (hasEnded, failure) = process.exitResult()
        guard hasEnded else { return nil }
        if let failure { return .failure(failure) }
        var bytes = [UInt8](repeating: 0, count: AgentCommandRun.maxLineLength)
        let count = uninterrupted { pread(output.number, &bytes, bytes.count, 0) }
        let text = String(decoding: bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard let answer = AgentAnswer(words: text) else {
            return .failure("printed \"\(text)\", which is not a valid answer")
        }
        return .answer(answer)
    }

    /// Sends SIGTERM to the command and all its children.
    func terminate(at now: Instant) {
        killDeadline = killDeadline ?? now + AgentCommandRun.terminationTimeout
        process.terminate()
    }

    /// Sends SIGKILL to a command that has ignored SIGTERM.
    func killIfDue(at now: Instant) {
        guard let killDeadline, killDeadline <= now else { return }
        self.killDeadline = now + AgentCommandRun.terminationTimeout
        process.kill()
    }
}
