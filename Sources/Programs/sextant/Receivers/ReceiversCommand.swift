import ArgumentParser
import Locator
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
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
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
