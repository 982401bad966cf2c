import ArgumentParser
import Chronology
import Permission
import SextantAPI

/// The active requests and the states of the receivers as text.
struct ConsumerTable {
    var reply: Consumers
    /// The width of the terminal; nil for whole lines.
    var columns: Int?

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
                    ProgramFormatter.program(session.owner),
                    session.requirement.displayText + (session.ineffective == true ? " (does not count)" : ""),
                    session.purpose ?? "-",
                ])
            }
            lines += [""] + table.lines(columns: columns)
        }
        if let leases = reply.leases, !leases.isEmpty {
            var table = TextTable(["LEASE OF", "SINCE"])
            for lease in leases {
                let since = TimeText.moment(lease.since) + (lease.ending == true ? ", ends within 60 s" : "")
                table.add([ProgramFormatter.program(lease.owner), since])
            }
            lines += [""] + table.lines(columns: columns)
        }
        return lines
    }

    private func cells(_ consumer: Consumer) -> [String] {
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

extension Consumer {
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
        case .unknown: rawValue
        }
    }
}

extension PowerState {
    /// The power state as text; it follows the name of the receiver.
    fileprivate var displayText: String {
        switch self {
        case .operation: "runs continuously"
        case .saving: "runs, saving power between fixes"
        case .search: "searches for satellites"
        case .standby: "is asleep"
        case .closed: "is off: its port is closed"
        case .unknown: "is in an unknown state"
        }
    }
}

/// `sextant who`: lists the active requests and whether they keep a receiver on.
struct WhoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "who",
        abstract: "Show which programs request positions, since when, and whether they keep a receiver on.",
        discussion: """
            The kernel provides the user and the systemd unit; a program chooses its own name. A stream that is \
            silent because the device is stationary keeps no receiver on: the daemon only takes a periodic fix. \
            Below are the sessions that programs have declared, and the leases with which they count as in use.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let reply = try daemon.call(ManagerMethods.getConsumers)
        try output.print([reply], or: ConsumerTable(reply: reply, columns: StandardOutput.columns).lines)
    }
}
