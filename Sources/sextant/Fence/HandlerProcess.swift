import CLinux
import Geofencing
import Glibc
import SystemCalls
import Varlink
import Wire

/// A shell that runs a command with an event in its environment and on its standard input.
struct HandlerProcess {
    let process: pid_t

    /// Starts the command. It inherits standard output and standard error.
    init(command: String, run: EventHandlerQueue.Run, monitor: String) throws(CommandError) {
        let input = try HandlerProcess.memoryFile(containing: try HandlerProcess.line(run.event))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.number, STDIN_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This program blocks its signals and reads them from a descriptor; the command gets the
        // default signal state. The command gets its own process group, so that one signal ends it
        // and all its children.
        var (noSignals, defaultSignals) = (sigset_t(), sigset_t())
        sigemptyset(&noSignals)
        sigemptyset(&defaultSignals)
        sigaddset(&defaultSignals, SIGPIPE)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setsigdefault(&attributes, &defaultSignals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        var process = pid_t()
        let arguments = HandlerProcess.cStrings(of: ["sh", "-c", command])
        let environment = HandlerProcess.cStrings(of: HandlerProcess.environment(run, monitor: monitor))
        defer { for text in arguments + environment { free(text) } }
        let code = posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments, environment)
        guard code == 0 else { throw .system("cannot run /bin/sh", code: code) }
        self.process = process
    }

    /// Returns whether the command has ended and why it failed; `failure` is nil after exit status
    /// 0.
    func exitResult() -> (hasEnded: Bool, failure: String?) {
        var status: Int32 = 0
        guard uninterrupted({ waitpid(process, &status, WNOHANG) }) == process else { return (false, nil) }
        let signal = status & 0x7F
        if signal != 0 { return (true, "was terminated by signal: \(String(cString: strsignal(signal)).lowercased())") }
        let code = status >> 8 & 0xFF
        return (true, code == 0 ? nil : "exited with status \(code)")
    }

    /// Sends SIGTERM to the command and all its children.
    func terminate() {
        Glibc.kill(-process, SIGTERM)
    }

    /// Sends SIGKILL to the command and all its children.
    func kill() {
        Glibc.kill(-process, SIGKILL)
    }

    private static func line(_ event: EventMessage) throws(CommandError) -> [UInt8] {
        do {
            return try JSONValue(encoding: event).bytes + [10]
        } catch {
            throw CommandError("cannot encode an event as JSON: \(error)")
        }
    }

    /// Returns a memory file positioned at its start. Unlike a pipe it never blocks, even if the
    /// command does not read it.
    private static func memoryFile(containing bytes: [UInt8]) throws(CommandError) -> FileDescriptor {
        let operation = "cannot pass an event to the command"
        do throws(SystemError) {
            let file = FileDescriptor(owning: try systemCall(operation) { linux_memory_file("sextant-event") })
            let written = try systemCall(operation) { write(file.number, bytes, bytes.count) }
            guard written == bytes.count else { throw SystemError(code: ENOSPC, operation: operation) }
            try systemCall(operation) { lseek(file.number, 0, SEEK_SET) }
            return file
        } catch {
            throw CommandError(error)
        }
    }

    /// Returns the environment of the command: this program's own and the variables of the event.
    private static func environment(_ run: EventHandlerQueue.Run, monitor: String) -> [String] {
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
        let names = Set(variables.compactMap { $0.split(separator: "=").first.map(String.init) })
        return Environment.all.filter { !names.contains(String($0.prefix { $0 != "=" })) } + variables
    }

    /// Returns the texts as a null-terminated array of C strings; the caller frees them.
    private static func cStrings(of texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { (text: String) in strdup(text) } + [nil]
    }
}
