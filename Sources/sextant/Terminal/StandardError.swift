import Glibc

/// Standard error, where everything goes that is not the result: errors, progress, notes.
enum StandardError {
    /// Whether a person reads it.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes a line.
    static func line(_ text: String) {
        write(text + "\n")
    }

    /// Writes over the line the cursor is in: progress. Ends with an empty text.
    static func overwriteLine(_ text: String) {
        write("\r\u{1B}[K" + text)
    }

    private static func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            // There is nobody left to complain to.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
