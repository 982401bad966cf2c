import Chronology
import Delivery
import Glibc
import Permission
import Wire

/// The active requests and the states of the receivers as text.
struct ConsumerTable {
    var reply: GetConsumersReply
    /// The width of the terminal; nil for whole lines.
    var columns: Int?

    /// The lines of the output.
    var lines: [String] {
        var lines: [String] = []
        if !reply.consumers.contains(where: \.holds) { lines.append("No program keeps a receiver on.") }
        if !reply.consumers.isEmpty {
            var table = TextTable(
                ["HOLDS", "PROGRAM", "PID", "USER", "UNIT", "REQUEST", "SINCE", "DURATION"], rightAligned: [2, 7])
            for consumer in reply.consumers { table.add(cells(consumer)) }
            lines += table.lines(columns: columns)
        }
        return (lines + sessionLines + [""] + receiverLines).wrapped(to: columns)
    }

    /// The declared sessions and the leases, each below an empty line.
    private var sessionLines: [String] {
        var lines: [String] = []
        if let sessions = reply.sessions, !sessions.isEmpty {
            var table = TextTable(["SESSION OF", "REQUIRES", "PURPOSE"])
            for session in sessions {
                table.add([
                    ProgramFormatter.program(session.owner), session.requirement.displayText, session.purpose ?? "-",
                ])
            }
            lines += [""] + table.lines(columns: columns)
        }
        if let leases = reply.leases, !leases.isEmpty {
            var table = TextTable(["LEASE OF", "SINCE"])
            for lease in leases { table.add([ProgramFormatter.program(lease.owner), TimeText.moment(lease.since)]) }
            lines += [""] + table.lines(columns: columns)
        }
        return lines
    }

    private func cells(_ consumer: ConsumerMessage) -> [String] {
        [
            consumer.holds ? "yes" : "no", ProgramFormatter.name(consumer.program, purpose: consumer.purpose),
            consumer.pid.map(String.init) ?? "-",
            ProgramFormatter.user(consumer.uid), consumer.unit ?? "-", consumer.displayText,
            TimeText.moment(consumer.since),
            TimeText.span(consumer.seconds),
        ]
    }

    private var receiverLines: [String] {
        guard !reply.activities.isEmpty else { return ["No receiver has sent data."] }
        let lines = reply.activities.map {
            "\($0.receiver) \($0.state.displayText), for \(TimeText.span($0.seconds))"
        }
        return lines + (reply.allowsSleep ? [] : ["Receivers are never put to sleep: receivers.power is off."])
    }
}

extension ConsumerMessage {
    /// The request as a short text.
    fileprivate var displayText: String {
        var parts = [purpose.displayText]
        if let desiredAccuracy, desiredAccuracy != .best { parts.append(desiredAccuracy.rawValue) }
        if let interval { parts.append("every \(TimeText.span(interval))") }
        if let distanceFilter { parts.append("\(DecimalText.text(distanceFilter, decimals: 0)) m") }
        if significantChange { parts.append("significant changes") }
        if let receiver { parts.append("of \(receiver)") }
        if let application = owner.flatMap(ProgramID.init(stored:))?.namespace { parts.append("for \(application)") }
        if passive { parts.append("passive") }
        if silent { parts.append("silent: the device is stationary") }
        return parts.joined(separator: ", ")
    }
}

extension SessionRequirement {
    /// The requirement as the cell of a table.
    fileprivate var displayText: String {
        switch self {
        case .none: "nothing"
        case .whenInUse: "while in use"
        case .always: "always"
        }
    }
}

extension PowerStateName {
    /// The power state as text; it follows the name of the receiver.
    fileprivate var displayText: String {
        switch self {
        case .operation: "runs continuously"
        case .saving: "runs, saving power between fixes"
        case .search: "searches for satellites"
        case .standby: "is asleep"
        case .closed: "is off: its port is closed"
        }
    }
}

/// The names of programs and users.
enum ProgramFormatter {
    /// Returns the program's name, which the daemon may not have been able to read. The daemon
    /// itself follows the fences of a program that has ended.
    static func name(_ name: String?, purpose: PurposeName) -> String {
        if purpose == .monitors, (name ?? "").isEmpty { return "sextantd" }
        return name.map { $0.isEmpty ? "?" : $0 } ?? ""
    }

    /// Returns the user's name; its number if it has no name.
    static func user(_ number: Int) -> String { userName(number) ?? "\(number)" }

    /// Returns the user's name; "user 4242" if it has no name.
    static func subject(_ user: Int) -> String { userName(user) ?? "user \(user)" }

    /// Returns a program with its user's name, such as "navigator:navigator.service". The commands
    /// accept this form. Returns "user 4242" or "4242:map.service" if the user has no name.
    static func program(_ text: String) -> String {
        let digits = text.prefix { $0.isNumber }
        guard let user = Int(digits), ProgramID(stored: text) != nil else { return text }
        let rest = text.dropFirst(digits.count)
        return userName(user).map { $0 + rest } ?? (rest.isEmpty ? subject(user) : text)
    }

    /// Returns a sentence of the daemon with names of users, where it has "user 0" or "program 0",
    /// and with local times.
    static func sentence(_ text: String) -> String {
        var words: [String] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let end = word.lastIndex { !",;.".contains($0) }.map { word.index(after: $0) } ?? word.startIndex
            let (core, mark) = (String(word[..<end]), word[end...])
            let isName = ["user", "program"].contains(words.last) && core.first?.isNumber == true
            let name = isName ? program(core) : core
            let isTime = core.contains("T") && UTCTime(rfc3339: core) != nil
            words.append((isTime ? TimeText.moment(core) : name.contains(" ") ? core : name) + mark)
        }
        return words.joined(separator: " ")
    }

    private static func userName(_ number: Int) -> String? {
        uid_t(exactly: number).flatMap { getpwuid($0) }?.pointee.pw_name.map { String(cString: $0) }
    }
}
