import ArgumentParser
import Wire

/// `sextant receivers`: lists the connected receivers and their states.
struct ReceiversCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receivers",
        abstract: "List the receivers with their identity, driver and state.",
        discussion: """
            Ports on which no receiver is confirmed follow, each with the reason. Exit with status 2 if there is no \
            receiver.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let reply = try daemon.call(ReceiverMethods.list)
        let receivers = reply.receivers
        let ports = reply.unconfirmedPorts ?? []
        if output.isJSON {
            try JSONLineWriter.print(receivers)
        } else {
            try StandardOutput.write(ReceiverTable(receivers: receivers).canvas())
            try StandardOutput.write(lines: ports.map { "\($0.name): no receiver: \($0.detail)" })
        }
        guard receivers.isEmpty else { return }
        let reason = ports.first?.detail ?? "connect one, or name its port in /etc/sextant/sextant.toml"
        throw CommandError("sextantd has no receiver: \(reason)", exitStatus: .noResult)
    }
}
