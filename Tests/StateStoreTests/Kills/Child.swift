import Glibc
import SystemCalls

/// A program started by a test, with its output.
final class Child {
    private let process: pid_t
    private let output: FileDescriptor
    private var isGone = false

    /// - Parameter words: program and arguments; a program without a slash is searched in PATH.
    init(_ words: [String]) throws {
        var pipes: [Int32] = [0, 0]
        try systemCall("making a pipe") { pipe(&pipes) }
        output = FileDescriptor(owning: pipes[0])
        let end = FileDescriptor(owning: pipes[1])
        _ = fcntl(pipes[0], F_SETFD, FD_CLOEXEC)
        _ = fcntl(pipes[1], F_SETFD, FD_CLOEXEC)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, end.number, STDOUT_FILENO)
        let strings: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { strings.forEach { free($0) } }
        var process = pid_t()
        let code = posix_spawnp(&process, words[0], &actions, nil, strings, environ)
        self.process = process
        guard code == 0 else {
            isGone = true
            throw SystemError(code: code, operation: "starting \(words[0])")
        }
    }

    /// Returns the next output, at most `count` bytes; empty when the program has ended.
    func read(_ count: Int = 4096) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        let got = Glibc.read(output.number, &buffer, count)
        return Array(buffer.prefix(max(0, got)))
    }

    /// Returns all remaining output.
    func readAll() -> [UInt8] {
        var all: [UInt8] = []
        while case let bytes = read(), !bytes.isEmpty { all += bytes }
        return all
    }

    /// Kills the program.
    func destroy() {
        guard !isGone else { return }
        kill(process, SIGKILL)
        _ = status()
    }

    /// Waits for the program to end; returns 0 on success.
    func status() -> Int32 {
        guard !isGone else { return -1 }
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        isGone = true
        return status
    }

    deinit { destroy() }

    /// Runs a program to its end; returns whether it succeeded.
    static func run(_ words: String...) -> Bool {
        guard let child = try? Child(words) else { return false }
        _ = child.readAll()
        return child.status() == 0
    }
}
