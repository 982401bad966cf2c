import Glibc

/// A process that this program has started.
///
/// This program blocks its signals and reads them from a descriptor, and ignores SIGPIPE. The
/// process gets neither; other signals that this program ignores are ignored there too.
package struct SpawnedProcess: Sendable {
    /// How a process has ended.
    package enum End: Equatable, Sendable {
        /// With this exit status.
        case exited(status: Int32)
        /// By this signal.
        case terminated(signal: Int32)
    }

    /// The process ID. No other process gets it until ``end(waiting:)`` has returned the end.
    package let id: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments; the first one is its name.
    ///   - environment: Its environment as "name=value"; nil for that of this program.
    ///   - descriptors: The descriptors that it gets, each with its number there.
    ///   - hasOwnGroup: Whether it begins a process group, so that one signal ends it and all its
    ///     children.
    /// - Throws: `SystemError` if it cannot be started.
    package init(
        _ program: String, _ arguments: [String], environment: [String]? = nil,
        descriptors: [(number: Int32, child: Int32)], hasOwnGroup: Bool = false
    ) throws(SystemError) {
        // A program inherits ignored signals. While SIGCHLD is ignored, the kernel reports no end
        // of a child and keeps no exit status (wait(2)).
        signal(SIGCHLD, SIG_DFL)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, child) in descriptors { posix_spawn_file_actions_adddup2(&actions, number, child) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (noSignals, defaultSignals) = (sigset_t(), sigset_t())
        sigemptyset(&noSignals)
        sigemptyset(&defaultSignals)
        sigaddset(&defaultSignals, SIGPIPE)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setsigdefault(&attributes, &defaultSignals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let group = hasOwnGroup ? POSIX_SPAWN_SETPGROUP : 0
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))
        let words = SpawnedProcess.cStrings(of: arguments)
        let variables = environment.map(SpawnedProcess.cStrings)
        defer { for text in words + (variables ?? []) { free(text) } }
        var process = pid_t()
        let code =
            if let variables {
                posix_spawn(&process, program, &actions, &attributes, words, variables)
            } else {
                posix_spawn(&process, program, &actions, &attributes, words, environ)
            }
        guard code == 0 else { throw SystemError(code: code, operation: "cannot run \(program)") }
        id = process
    }

    /// Returns how the process has ended; nil while it runs. If its status is lost, because it was
    /// collected elsewhere, it has ended by the unknown signal 0.
    ///
    /// - Parameter waiting: Whether to wait for its end.
    package func end(waiting: Bool) -> End? {
        var status: Int32 = 0
        let ended = uninterrupted({ waitpid(id, &status, waiting ? 0 : WNOHANG) })
        if ended == -1, errno == ECHILD { return .terminated(signal: 0) }
        guard ended == id else { return nil }
        let signal = status & 0x7F
        return signal == 0 ? .exited(status: status >> 8 & 0xFF) : .terminated(signal: signal)
    }

    /// Returns the texts as a null-terminated array of C strings; the caller frees them.
    private static func cStrings(of texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { (text: String) in strdup(text) } + [nil]
    }
}
