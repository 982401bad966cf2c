import CLinux
import Glibc
import SystemCalls
import Varlink

/// A shell that runs a command with an object in its environment and on its standard input.
struct HandlerProcess {
    let process: pid_t

    /// Starts the command. It inherits standard error.
    ///
    /// - Parameters:
    ///   - input: The object on its standard input, as JSON.
    ///   - variables: The environment variables of the object, as "name=value".
    ///   - output: A file for its standard output; nil for the one of this program.
    init(
        command: String, input: some Encodable, variables: [String], output: Int32? = nil
    ) throws(CommandError) {
        let input = try HandlerProcess.memoryFile(containing: try HandlerProcess.line(input))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.number, STDIN_FILENO)
        if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
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
        let environment = HandlerProcess.cStrings(of: HandlerProcess.environment(with: variables))
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

    private static func line(_ object: some Encodable) throws(CommandError) -> [UInt8] {
        do {
            return try JSONValue(encoding: object).bytes + [10]
        } catch {
            throw CommandError("cannot encode the input of the command as JSON: \(error)")
        }
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

    /// Returns the texts as a null-terminated array of C strings; the caller frees them.
    private static func cStrings(of texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { (text: String) in strdup(text) } + [nil]
    }
}
