import ArgumentParser
import Wire

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
            try JSONLineWriter.print(ports.map(UnconfirmedPortLine.init))
        } else {
            let columns = StandardOutput.columns
            try StandardOutput.write(ReceiverTable(receivers: receivers).canvas(columns: columns))
            try StandardOutput.write(
                lines: ports.map { "\($0.name): no receiver: \($0.detail)" }.wrapped(to: columns))
        }
        guard receivers.isEmpty else { return }
        let reason = ports.first?.detail ?? "connect one, or name its port in /etc/sextant/sextant.toml"
        throw CommandError("sextantd has no receiver: \(reason)", exitStatus: .noResult)
    }
}

/// A port on which no receiver is confirmed, as a line of JSON.
private struct UnconfirmedPortLine: Encodable {
    var unconfirmedPort: UnconfirmedPortMessage

    init(_ port: UnconfirmedPortMessage) { unconfirmedPort = port }
}
