import ArgumentParser
import Wire

/// `sextant receivers`: lists the connected receivers and their states.
struct ReceiversCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receivers",
        abstract: "List the receivers with their identity, driver and state.",
        discussion: "Exit with status 2 if there is no receiver.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let receivers = try daemon.call(ReceiverMethods.list).receivers
        if output.isJSON {
            try JSONLineWriter.print(receivers)
        } else {
            try StandardOutput.write(ReceiverTable(receivers: receivers).canvas())
        }
        guard !receivers.isEmpty else {
            throw CommandError(
                "sextantd has no receiver: connect one, or name its port in /etc/sextant/sextant.toml",
                exitStatus: .noResult)
        }
    }
}
