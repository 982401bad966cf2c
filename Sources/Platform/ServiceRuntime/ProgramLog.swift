import CLinux
import Glibc
import SystemCalls

/// Messages of a program: to the journal if standard error leads there, else to standard error.
package struct ProgramLog {
    /// The maximum size of a write that a pipe with free space accepts without blocking (PIPE_BUF).
    private static let maxLine = 4096

    private let name: String
    private let isSilent: Bool
    private let output: Int32
    private let toJournal: Bool

    /// Creates the log of a program.
    ///
    /// - Parameters:
    ///   - name: The name of the program, with which each line on standard error begins.
    ///   - isSilent: Whether nothing is written, as in a simulation.
    package init(name: String, isSilent: Bool = false) {
        self.name = name
        self.isSilent = isSilent
        output = STDERR_FILENO
        toJournal = Journal.isStandardErrorConnected
    }

    /// Creates a log that writes to a descriptor, for tests.
    init(name: String, to output: Int32) {
        self.name = name
        self.output = output
        (isSilent, toJournal) = (false, false)
    }

    /// Writes one line. Texts of other programs are made harmless.
    package func write(_ message: String, priority: Journal.Priority = .info) {
        guard !isSilent else { return }
        let message = TerminalText.sanitized(message)
        if toJournal, Journal.write(message, priority: priority) { return }
        guard acceptsLine else { return }
        // Each line is one write, so that lines of several processes on one terminal do not mix.
        let line = Array("\(name): \(message)".utf8.prefix(ProgramLog.maxLine - 1)) + [UInt8(ascii: "\n")]
        _ = line.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
    }

    /// Whether the output accepts a line without blocking. If its reader has stopped, the line
    /// is dropped so that the program continues.
    private var acceptsLine: Bool {
        var entry = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, 0) > 0
    }
}

/// A problem that occurs again and again, and is logged once.
package struct RepeatedProblem {
    private var last: String?

    /// Creates a value without a problem.
    package init() {}

    /// Records a problem. Returns whether to log it: it is another one than the last.
    package mutating func shouldLog(_ problem: String) -> Bool {
        defer { last = problem }
        return problem != last
    }

    /// Records that the problem is over: it is logged when it occurs again.
    package mutating func reset() { last = nil }
}
