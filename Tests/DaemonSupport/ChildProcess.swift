import CLinux
import Glibc
import SystemCalls
import TestSupport

/// A program started by a test and killed at the latest when the object is released.
package final class ChildProcess {
    /// How a process ended.
    package enum End: Equatable {
        case code(Int32)
        case signal(Int32)
    }

    package let id: pid_t
    /// The file with the program's standard output and standard error.
    private let record: String
    private var end: End?

    /// - Parameters:
    ///   - arguments: program and arguments; a program without a slash is searched in PATH.
    ///   - environment: variables that override those of the tests.
    ///   - inherited: descriptors passed to the program, by their number in the program.
    ///   - record: file to which the output is appended.
    package init(
        _ arguments: [String], environment: [String: String] = [:], inherited: [Int32: Int32] = [:], record: String
    )
        throws
    {
        self.record = record
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, record, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        for (number, descriptor) in inherited { posix_spawn_file_actions_adddup2(&actions, descriptor, number) }
        var attributes = posix_spawnattr_t()
        ChildProcess.clearSignals(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var process = pid_t()
        let code = ChildProcess.withStrings(arguments) { arguments in
            ChildProcess.withStrings(ChildProcess.environment(with: environment)) { environment in
                guard let program = arguments[0] else { return EINVAL }
                return posix_spawnp(&process, program, &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw SystemError(code: code, operation: "starting \(arguments[0])") }
        id = process
    }

    /// The output so far.
    package var output: String { Scratch.text(of: record) }

    package var isRunning: Bool { reap() == nil }

    package func send(_ signal: Int32) {
        if reap() == nil { kill(id, signal) }
    }

    package func waitForEnd(within span: Duration = timeout) throws -> End {
        try waitUntil("the end of process \(id), with the output: \(output)", within: span) { reap() != nil }
        return end ?? .code(-1)
    }

    /// Kills the process.
    package func destroy() {
        guard reap() == nil else { return }
        kill(id, SIGKILL)
        var status: Int32 = 0
        while waitpid(id, &status, 0) == -1, errno == EINTR {}
        end = .signal(SIGKILL)
    }

    deinit { destroy() }

    private func reap() -> End? {
        var status: Int32 = 0
        guard end == nil, waitpid(id, &status, WNOHANG) == id else { return end }
        // The macros of wait(2): the low seven bits are the signal, the next byte is the exit code.
        end = status & 0x7F == 0 ? .code((status >> 8) & 0xFF) : .signal(status & 0x7F)
        return end
    }

    /// Clears the signal mask: other tests block signals in their threads, and a child must not
    /// inherit that.
    private static func clearSignals(_ attributes: inout posix_spawnattr_t) {
        posix_spawnattr_init(&attributes)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    }

    private static func environment(with own: [String: String]) -> [String] {
        var all: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let halves = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            all[String(halves[0])] = halves.count == 2 ? String(halves[1]) : ""
            entry += 1
        }
        for name in ["NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "WATCHDOG_USEC", "WATCHDOG_PID", "JOURNAL_STREAM"] {
            all[name] = nil
        }
        return all.merging(own) { $1 }.map { "\($0.key)=\($0.value)" }
    }

    private static func withStrings<R>(_ arguments: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
        let strings: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { strings.forEach { free($0) } }
        return body(strings)
    }
}
