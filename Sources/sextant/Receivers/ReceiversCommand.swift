import ArgumentParser
import Wire

/// `sextant receivers`: what is plugged in and how it does.
struct ReceiversCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receivers",
        abstract: "List the receivers: what they are, how they are spoken to, and how they do.",
        discussion: "Ends with status 2 when there is none.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let receivers = try daemon.call(DaemonMethod.listReceivers, as: ReceiversReply.self).receivers
        if output.isJSON {
            try LineOutput.print(receivers)
        } else {
            let canvas = ReceiverTable(receivers: receivers).canvas()
            try StandardOutput.write(lines: canvas.lines(.ofStandardOutput))
        }
        guard !receivers.isEmpty else {
            throw CommandError("sextantd knows of no receiver: plug one in, or name its port in /etc/sextant/sextant.toml", .nothing)
        }
    }
}
