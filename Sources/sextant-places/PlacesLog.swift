import Glibc
import SystemCalls
import Systemd

/// Messages of the service: to the journal if standard error leads there, else to standard error.
struct PlacesLog {
    private let toJournal = Journal.isStandardErrorConnected

    /// Writes one line. Texts of other programs are made harmless.
    func write(_ message: String, priority: Journal.Priority = .info) {
        let message = TerminalText.sanitized(message)
        if toJournal, Journal.write(message, priority: priority) { return }
        let line = Array("sextant-places: \(message)\n".utf8)
        _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
