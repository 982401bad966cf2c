import ArgumentParser
import SextantAPI
import Varlink

/// `sextant receivers`: lists the connected receivers and their states.
struct ReceiversCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receivers",
        abstract: "List the receivers with their identity, driver and state.",
        discussion: """
            Ports on which no receiver is confirmed follow, each with the reason; with --json, each is an object with \
            the member "unconfirmedPort". Exit with status 2 if there is no receiver.

            With --starts, list the last 20 starts of all receivers, and the median of each kind. A start ends with \
            the first fix, and is cold, warm, hot, or aided by the service.
            """)

    @Flag(help: "List the last starts with the time to the first fix.")
    var starts = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        if starts { return try printStarts() }
        let reply = try daemon.call(ReceiverMethods.list)
        let receivers = reply.receivers
        let ports = reply.unconfirmedPorts ?? []
        if output.isJSON {
            try JSONLineWriter.print(receivers)
            for port in ports { try JSONLineWriter.print(["unconfirmedPort": .object(port.members)]) }
        } else {
            let columns = StandardOutput.columns
            try StandardOutput.write(ReceiverListText(receivers: receivers).canvas(columns: columns))
            try StandardOutput.write(
                lines: ports.map { "\($0.name): no receiver: \($0.detail)" }.wrapped(to: columns))
        }
        guard receivers.isEmpty else { return }
        let reason = ports.first?.detail ?? "connect one, or name its port in /etc/sextant/sextant.toml"
        throw CommandError("sextantd has no receiver: \(reason)", exitStatus: .noResult)
    }

    private func printStarts() throws {
        let reply = try daemon.call(ReceiverMethods.getStarts, with: GetStartsParameters())
        guard !reply.starts.isEmpty else {
            throw CommandError(
                "no receiver has started yet, to its first fix; one that had a fix when its port was opened does not "
                    + "count", exitStatus: .noResult)
        }
        let text = StartListText(starts: reply.starts)
        if output.isJSON {
            try JSONLineWriter.print(reply.starts)
            for median in text.medians {
                let members: [String: JSONValue] = [
                    "kind": .string(median.kind.rawValue), "seconds": .double(median.seconds),
                ]
                try JSONLineWriter.print(["median": .object(members)])
            }
        } else {
            try StandardOutput.write(lines: text.lines(columns: StandardOutput.columns))
        }
    }
}

/// The starts of receivers as a table, with the median of each kind.
struct StartListText {
    var starts: [StartReport]

    /// The median of the times to the first fix, of each kind that occurs.
    var medians: [(kind: StartKind, seconds: Double)] {
        StartKind.allCases.compactMap { kind in
            let times = starts.filter { $0.kind == kind }.map(\.seconds).sorted()
            guard !times.isEmpty else { return nil }
            return (kind, (times[(times.count - 1) / 2] + times[times.count / 2]) / 2)
        }
    }

    func lines(columns: Int?) -> [String] {
        var table = TextTable(["FIRST FIX", "RECEIVER", "KIND", "AFTER", "GIVEN"], rightAligned: [3])
        for start in starts {
            table.add([
                TimeText.moment(start.time), start.receiver, start.kind.rawValue, TimeText.span(start.seconds),
                start.assisted.isEmpty ? "-" : start.assisted.joined(separator: ", "),
            ])
        }
        let medians = medians.map { "\($0.kind.rawValue) \(TimeText.span($0.seconds))" }
        return table.lines(columns: columns) + ["", "Medians: \(medians.joined(separator: ", "))"]
    }
}

/// The receivers as a table: one row per receiver, with its identity and problems below it.
struct ReceiverListText {
    var receivers: [Receiver]

    private static let heading = [
        "NAME", "STATE", "BAUD", "RATE", "FIXES", "SENTENCES", "DAMAGED", "SATELLITES", "PORT",
    ]

    /// Returns the table; its height is 0 if there is no receiver.
    ///
    /// - Parameter columns: The width of the terminal; nil for whole lines.
    func canvas(columns: Int?) -> Canvas {
        guard !receivers.isEmpty else { return Canvas(width: 0, height: 0) }
        var table = TextTable(ReceiverListText.heading, rightAligned: [2, 3, 4, 5, 6])
        for receiver in receivers {
            let styles = [Style.bold, ReceiverFormatter.state(receiver).style]
            table.add(cells(receiver), styles: styles, notes: notes(receiver))
        }
        return table.canvas(columns: columns)
    }

    private func cells(_ receiver: Receiver) -> [String] {
        let satellites = Satellite.merge(receiver.satellites)
        return [
            receiver.name, ReceiverFormatter.state(receiver).displayText, receiver.baud.map(String.init) ?? "-",
            ReceiverFormatter.rate(receiver) ?? "-", DecimalText.grouped(receiver.counts.fixes),
            DecimalText.grouped(receiver.counts.sentences),
            DecimalText.grouped(ReceiverFormatter.damaged(receiver.counts)),
            satellites.isEmpty ? "-" : "\(satellites.count(where: \.used)) of \(satellites.count)", receiver.port,
        ]
    }

    private func notes(_ receiver: Receiver) -> [String] {
        var lines: [String] = []
        let hardware = [
            receiver.product, receiver.usb.map { "USB \($0)" }, receiver.serialNumber.map { "serial number \($0)" },
        ]
        let details = hardware.compactMap { $0 }
        if !details.isEmpty { lines.append(details.joined(separator: " · ")) }
        if let identity = ReceiverFormatter.identity(receiver) { lines.append(identity) }
        if let driver = ReceiverFormatter.driver(receiver) { lines.append(driver) }
        if let corrections = ReceiverFormatter.corrections(receiver) { lines.append(corrections) }
        if receiver.simulated == true { lines.append("simulated: its positions are not real") }
        if !receiver.says.isEmpty {
            lines.append("reports: " + receiver.says.joined(separator: " · "))
        }
        if receivers.count > 1, let choice = ReceiverFormatter.role(receiver) { lines.append(choice) }
        if let detail = receiver.detail { lines.append(detail) }
        return lines
    }
}
