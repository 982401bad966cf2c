import CLinux
import Glibc
import Logging
import ServiceRuntime
import SystemCalls

/// Writes log messages to the journal with structured fields if standard error leads there,
/// otherwise to standard error.
///
/// Messages quote names of devices, programs and files. The journal shows a message with control
/// characters as a number of bytes only.
struct DaemonLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    /// The level of all loggers, which the configuration sets. The daemon has one thread.
    nonisolated(unsafe) private static var level = Logger.Level.info
    var logLevel: Logger.Level {
        get { DaemonLog.level }
        set { DaemonLog.level = newValue }
    }
    private let toJournal = Journal.isStandardErrorConnected

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = (event.metadata ?? [:]).merging(metadata) { own, _ in own }
        let pairs = fields.sorted { $0.key < $1.key }.map {
            (name: DaemonLog.fieldName($0.key), value: TerminalText.sanitized("\($0.value)"))
        }
        let message = TerminalText.sanitized("\(event.message)")
        if toJournal, Journal.write(message, priority: event.level.priority, fields: pairs) { return }
        // Each line is one write, so that lines of several processes on one terminal do not mix.
        let line = Array(
            "sextantd: \(event.level == .info ? "" : "\(event.level): ")\(message)\n".utf8.prefix(
                DaemonLog.maxLine))
        guard acceptsLine else { return }
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// The metadata key of the identifier of a message (systemd.journal-fields(7)).
    static let messageID = "message_id"

    private static func fieldName(_ key: String) -> String {
        key == messageID ? "MESSAGE_ID" : "SEXTANT_\(key.uppercased())"
    }

    /// The maximum size of a write that a pipe with free space accepts without blocking (PIPE_BUF).
    private static let maxLine = 4096

    /// Whether standard error accepts a line without blocking. If its reader has stopped, the line
    /// is dropped so that the service continues.
    private var acceptsLine: Bool {
        var standardError = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        return poll(&standardError, 1, 0) > 0
    }
}

extension Logger.Level {
    fileprivate var priority: Journal.Priority {
        switch self {
        case .trace, .debug: .debug
        case .info: .info
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        case .critical: .critical
        }
    }
}
