import Glibc
import SystemCalls
import Systemd

/// Messages of a bridge: to the journal if standard error leads there, else to standard error.
struct BridgeLog {
    private let toJournal = Journal.isStandardErrorConnected

    /// Writes one line. Texts of other programs are made harmless.
    func write(_ message: String, priority: Journal.Priority = .info) {
        let message = TerminalText.sanitized(message)
        if toJournal, Journal.write(message, priority: priority) { return }
        let line = Array("sextant-bridge: \(message)\n".utf8)
        _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
