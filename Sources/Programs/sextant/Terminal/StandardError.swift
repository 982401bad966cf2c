import Glibc
import SystemCalls

/// Standard error, for everything that is not the result: errors, progress, notes.
enum StandardError {
    /// Whether standard error is a terminal.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes a line.
    static func line(_ text: String) {
        write(ASCIIFallback.text(TerminalText.sanitized(text)) + "\n")
    }

    /// Overwrites the current line to show progress. An empty text clears it.
    static func overwriteLine(_ text: String) {
        write("\r\u{1B}[K" + TerminalText.sanitized(text))
    }

    private static func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                uninterrupted { Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
            }
            // A write error on standard error cannot be reported.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
