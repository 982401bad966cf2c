import CLinux
import Chronology
import Glibc
import Logging
import Permission
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

/// Limits messages about programs in the log to one per program, kind and hour. A program can ask
/// for the location any number of times.
struct ProgramNotices {
    /// What a message is about.
    enum Kind: Hashable {
        /// The program got no location, or a reduced one.
        case refusal
        /// The program began a lease.
        case lease
        /// The program was refused a lease.
        case leaseRefusal
        /// The program ended a lease at once.
        case briefLease
    }

    private struct Subject: Hashable {
        var program: ProgramID
        var kind: Kind
    }

    /// The time between two messages about the same.
    private static let interval = Instant.Span.seconds(3600)
    /// The maximum number of messages about the programs of a user in this time: a user can have
    /// any number of programs.
    private static let maxPerUser = 64
    private static let maxOfAll = 4096

    private var last: [Subject: Instant] = [:]

    /// Whether to write a message now. It counts as written.
    mutating func admits(_ kind: Kind, about program: ProgramID, at now: Instant) -> Bool {
        let subject = Subject(program: program, kind: kind)
        if let written = last[subject], now - written < ProgramNotices.interval { return false }
        last = last.filter { now - $0.value < ProgramNotices.interval }
        guard last.count < ProgramNotices.maxOfAll,
            last.keys.count(where: { $0.program.user == program.user }) < ProgramNotices.maxPerUser
        else { return false }
        last[subject] = now
        return true
    }
}

/// The message identifiers of the journal about programs, for `journalctl MESSAGE_ID=`.
/// `systemd/sextant.catalog` explains each.
enum JournalMessageID: String, CaseIterable {
    case grant = "5c0d7d3f9d0e4d0f8a4c6cf2b1e0a101"
    case denial = "5c0d7d3f9d0e4d0f8a4c6cf2b1e0a102"
    case enable = "5c0d7d3f9d0e4d0f8a4c6cf2b1e0a103"
    case disable = "5c0d7d3f9d0e4d0f8a4c6cf2b1e0a104"
    case limit = "5c0d7d3f9d0e4d0f8a4c6cf2b1e0a105"
    case agentAnswer = "5c0d7d3f9d0e4d0f8a4c6cf2b1e0a106"
    case revocation = "5c0d7d3f9d0e4d0f8a4c6cf2b1e0a107"
    case forgetting = "5c0d7d3f9d0e4d0f8a4c6cf2b1e0a108"
    case refusal = "5c0d7d3f9d0e4d0f8a4c6cf2b1e0a109"
    case lease = "5c0d7d3f9d0e4d0f8a4c6cf2b1e0a10a"
    case conditionLimit = "5c0d7d3f9d0e4d0f8a4c6cf2b1e0a10b"

    fileprivate func added(to fields: Logger.Metadata) -> Logger.Metadata {
        fields.merging([DaemonLog.messageID: .string(rawValue)]) { $1 }
    }
}

extension Logger {
    /// Logs a normal event of interest with a message identifier and fields.
    func notice(_ message: Message, _ id: JournalMessageID, _ fields: Metadata) {
        notice(message, metadata: id.added(to: fields))
    }

    /// Logs a warning with a message identifier and fields.
    func warning(_ message: Message, _ id: JournalMessageID, _ fields: Metadata) {
        warning(message, metadata: id.added(to: fields))
    }
}
