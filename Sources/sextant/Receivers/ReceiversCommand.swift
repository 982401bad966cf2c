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
        if output.isJSON {
            try JSONLineWriter.print(receivers)
        } else {
            try StandardOutput.write(ReceiverTable(receivers: receivers).canvas())
            let ports = reply.unconfirmedPorts ?? []
            try StandardOutput.write(lines: ports.map { "no receiver on \($0.detail)" })
        }
        guard !receivers.isEmpty else {
            throw CommandError(
                "sextantd has no receiver: connect one, or name its port in /etc/sextant/sextant.toml",
                exitStatus: .noResult)
        }
    }
}
