import CLinux
import Chronology
import Glibc
import SextantAPI
import SystemCalls
import Varlink

/// A shell that runs a command with an object in its environment and on its standard input.
struct HandlerProcess {
    private let process: SpawnedProcess

    /// Starts the command. It inherits standard error.
    ///
    /// - Parameters:
    ///   - input: The message on its standard input, as JSON.
    ///   - variables: The environment variables of the object, as "name=value".
    ///   - output: A file for its standard output; nil for the one of this program.
    init(
        command: String, input: some Message, variables: [String], output: Int32? = nil
    ) throws(CommandError) {
        let input = try HandlerProcess.memoryFile(containing: JSONFormat.line(input) + [10])
        let descriptors = [(input.number, STDIN_FILENO)] + (output.map { [($0, STDOUT_FILENO)] } ?? [])
        do throws(SystemError) {
            process = try SpawnedProcess(
                "/bin/sh", ["sh", "-c", command], environment: HandlerProcess.environment(with: variables),
                descriptors: descriptors, hasOwnGroup: true)
        } catch {
            throw CommandError(error)
        }
    }

    /// Returns whether the command has ended and why it failed; `failure` is nil after exit status
    /// 0.
    func exitResult() -> (hasEnded: Bool, failure: String?) {
        switch process.end(waiting: false) {
        case nil: (false, nil)
        case .exited(let status)?: (true, status == 0 ? nil : "exited with status \(status)")
        case .terminated(let signal)?:
            (true, "was terminated by signal: \(String(cString: strsignal(signal)).lowercased())")
        }
    }

    /// Sends SIGTERM to the command and all its children.
    func terminate() {
        Glibc.kill(-process.id, SIGTERM)
    }

    /// Sends SIGKILL to the command and all its children.
    func kill() {
        Glibc.kill(-process.id, SIGKILL)
    }

    /// Returns a memory file positioned at its start. Unlike a pipe it never blocks, even if the
    /// other side does not read it.
    static func memoryFile(containing bytes: [UInt8]) throws(CommandError) -> FileDescriptor {
        let operation = "cannot create a file in memory for the command"
        do throws(SystemError) {
            let file = FileDescriptor(owning: try systemCall(operation) { linux_memory_file("sextant-command") })
            let written = try systemCall(operation) { write(file.number, bytes, bytes.count) }
            guard written == bytes.count else { throw SystemError(code: ENOSPC, operation: operation) }
            try systemCall(operation) { lseek(file.number, 0, SEEK_SET) }
            return file
        } catch {
            throw CommandError(error)
        }
    }

    /// Returns the environment of the command: this program's own and these variables.
    private static func environment(with variables: [String]) -> [String] {
        let names = Set(variables.compactMap { $0.split(separator: "=").first.map(String.init) })
        return Environment.all.filter { !names.contains(String($0.prefix { $0 != "=" })) } + variables
    }
}

extension HandlerProcess {
    init(command: String, run: EventHandlerQueue.Run, monitor: String) throws(CommandError) {
        try self.init(
            command: command, input: run.event, variables: HandlerProcess.variables(of: run, monitor: monitor))
    }

    private static func variables(of run: EventHandlerQueue.Run, monitor: String) -> [String] {
        let event = run.event
        var variables = [
            "SEXTANT_MONITOR=\(monitor)", "SEXTANT_FENCE=\(event.identifier)", "SEXTANT_EVENT=\(event.id)",
            "SEXTANT_KIND=\(event.kind.rawValue)", "SEXTANT_STATE=\(event.state.rawValue)",
            "SEXTANT_DATE=\(event.date ?? event.recorded)",
            "SEXTANT_ATTEMPT=\(run.attempt)",
        ]
        if let place = event.location {
            variables += ["SEXTANT_LATITUDE=\(place.latitude)", "SEXTANT_LONGITUDE=\(place.longitude)"]
            variables.append("SEXTANT_ACCURACY=\(place.horizontalAccuracy)")
        }
        if let margin = event.margin { variables.append("SEXTANT_MARGIN=\(margin)") }
        if let metadata = event.metadata {
            variables.append("SEXTANT_METADATA=" + String(decoding: JSONValue.object(metadata).bytes, as: UTF8.self))
        }
        return variables
    }
}

/// Runs a command for each event of a monitor and acknowledges the events that it has handled.
struct HandlerOutput: LiveOutput {
    static var signals: [Int32] { [SIGCHLD] }

    private var queue: EventHandlerQueue
    private let acknowledger: EventAcknowledger
    /// Whether to print failures only.
    private let isQuiet: Bool
    private var reportsWaiting: Bool
    private var process: HandlerProcess?
    private var connectionMessages = ConnectionMessages()

    init(queue: EventHandlerQueue, acknowledger: EventAcknowledger, isQuiet: Bool) {
        self.queue = queue
        self.acknowledger = acknowledger
        self.isQuiet = isQuiet
        reportsWaiting = !isQuiet
    }

    var deadline: Instant? { earliest(queue.deadline, acknowledger.deadline) }

    mutating func show(_ events: [DaemonFeed.Event], at now: Instant) throws(CommandError) {
        for event in events { try process(event) }
        try acknowledger.retry(at: now)
        if let process {
            let (hasEnded, failure) = process.exitResult()
            if hasEnded {
                self.process = nil
                try perform(queue.commandEnded(failure: failure, at: now))
            }
        }
        while let step = queue.advance(to: now) { try perform(step) }
    }

    private mutating func process(_ event: DaemonFeed.Event) throws(CommandError) {
        switch event {
        case .monitor(let reply):
            if let monitor = reply.monitor {
                FenceWatchCommand.printProblems(of: monitor)
                if reportsWaiting { FenceWatchCommand.reportWaiting(monitor) }
                reportsWaiting = false
                try acknowledger.retryPending(monitor)
            }
            if let event = reply.event, queue.add(event) { try acknowledger.acknowledge(event.id) }
        case .connected, .disconnected, .hung, .replied: connectionMessages.report(event)
        case .update, .receivers, .visit, .heading, .beacons, .agent, .sentences: break
        }
    }

    private mutating func perform(_ step: EventHandlerQueue.Step?) throws(CommandError) {
        switch step {
        case .run(let run):
            process = try HandlerProcess(command: queue.command, run: run, monitor: queue.monitor)
            if !isQuiet { StandardError.line("sextant: running the command for: \(FenceFormatter.event(run.event))") }
        case .terminate: process?.terminate()
        case .kill: process?.kill()
        case .handled(let event): try acknowledger.acknowledge(event)
        case .failed(let run, let reason, let retry):
            let eventName = "\(run.event.identifier) \(run.event.kind.rawValue)"
            StandardError.line(
                "sextant: the command for \"\(eventName)\" \(reason); next attempt in \(TimeText.span(retry.seconds))")
        case nil: break
        }
    }

    /// Ends the running command. Its event is not acknowledged, so the daemon delivers it again.
    mutating func end() {
        process?.terminate()
    }
}
