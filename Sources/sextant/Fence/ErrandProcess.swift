import CLinux
import Geofencing
import Glibc
import SystemCalls
import Varlink
import Wire

/// A shell that runs a command with an event in its environment and on its standard input.
struct ErrandProcess {
    let process: pid_t

    /// Starts it. Standard output and error are the caller's.
    init(_ command: String, _ run: EventErrands.Run, monitor: String) throws(CommandError) {
        let input = try ErrandProcess.file(holding: try ErrandProcess.line(run.event))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.number, STDIN_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This program takes its signals from a descriptor; the command shall have them as everybody has. A group of its own, so that it ends
        // with all that it has started.
        var (none, usual) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&usual)
        sigaddset(&usual, SIGPIPE)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        var process = pid_t()
        let arguments = ErrandProcess.copies(of: ["sh", "-c", command])
        let environment = ErrandProcess.copies(of: ErrandProcess.environment(run, monitor: monitor))
        defer { for text in arguments + environment { free(text) } }
        let code = posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments, environment)
        guard code == 0 else { throw .system("cannot run a shell", code) }
        self.process = process
    }

    /// How it ended, in words; nil when all was well. Nothing while it runs.
    func ending() -> (hasEnded: Bool, failure: String?) {
        var status: Int32 = 0
        guard waitpid(process, &status, WNOHANG) == process else { return (false, nil) }
        let signal = status & 0x7F
        if signal != 0 { return (true, "was ended by \(String(cString: strsignal(signal)).lowercased())") }
        let code = status >> 8 & 0xFF
        return (true, code == 0 ? nil : "ended with status \(code)")
    }

    /// Asks it, and all that it has started, to end.
    func end() {
        kill(-process, SIGTERM)
    }

    private static func line(_ event: EventMessage) throws(CommandError) -> [UInt8] {
        do {
            return try JSONValue(encoding: event).bytes + [10]
        } catch {
            throw CommandError("cannot write an event as JSON: \(error)")
        }
    }

    /// A file in memory to be read from its start: unlike a pipe it holds nobody up, whether the command reads it or not.
    private static func file(holding bytes: [UInt8]) throws(CommandError) -> FileDescriptor {
        let doing = "cannot hand an event to the command"
        do throws(SystemError) {
            let file = FileDescriptor(owning: try systemCall(doing) { linux_memory_file("sextant-event") })
            let written = try systemCall(doing) { write(file.number, bytes, bytes.count) }
            guard written == bytes.count else { throw SystemError(code: ENOSPC, doing: doing) }
            try systemCall(doing) { lseek(file.number, 0, SEEK_SET) }
            return file
        } catch {
            throw CommandError(error)
        }
    }

    /// What the command finds in its environment, beside this program's own.
    private static func environment(_ run: EventErrands.Run, monitor: String) -> [String] {
        let event = run.event
        var own = [
            "SEXTANT_MONITOR=\(monitor)", "SEXTANT_FENCE=\(event.identifier)", "SEXTANT_EVENT=\(event.id)",
            "SEXTANT_KIND=\(event.kind.rawValue)", "SEXTANT_STATE=\(event.state.rawValue)", "SEXTANT_DATE=\(event.date ?? event.recorded)",
            "SEXTANT_ATTEMPT=\(run.attempt)",
        ]
        if let place = event.location {
            own += ["SEXTANT_LATITUDE=\(place.latitude)", "SEXTANT_LONGITUDE=\(place.longitude)"]
            own.append("SEXTANT_ACCURACY=\(place.horizontalAccuracy)")
        }
        if let margin = event.margin { own.append("SEXTANT_MARGIN=\(margin)") }
        if let metadata = event.metadata {
            own.append("SEXTANT_METADATA=" + String(decoding: JSONValue.object(metadata).bytes, as: UTF8.self))
        }
        let names = Set(own.compactMap { $0.split(separator: "=").first.map(String.init) })
        return Environment.all.filter { !names.contains(String($0.prefix { $0 != "=" })) } + own
    }

    /// The texts as C has them, with nil after the last; to be freed.
    private static func copies(of texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { (text: String) in strdup(text) } + [nil]
    }
}
