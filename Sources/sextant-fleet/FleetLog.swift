import Glibc
import SystemCalls
import Systemd

/// Messages of the program: to the journal if standard error leads there, else to standard error.
/// They contain no coordinates.
struct FleetLog {
    private let isSilent: Bool
    private let toJournal = Journal.isStandardErrorConnected

    /// - Parameter isSilent: Whether nothing is written, as in a simulation.
    init(isSilent: Bool = false) { self.isSilent = isSilent }

    /// Writes one line. Texts of servers are made harmless.
    func write(_ message: String, priority: Journal.Priority = .info) {
        guard !isSilent else { return }
        let message = TerminalText.sanitized(message)
        if toJournal, Journal.write(message, priority: priority) { return }
        let line = Array("sextant-fleet: \(message)\n".utf8)
        _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
