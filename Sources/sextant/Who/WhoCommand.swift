import ArgumentParser
import Wire

/// `sextant who`: everything that keeps a receiver on now.
struct WhoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "who",
        abstract: "Say who asks for positions now, since when, and whether a receiver is on for it.",
        discussion: """
            The user and the systemd unit are the kernel's word; the name of a program is its own. A stream that is silent because the device \
            rests keeps no receiver on: it is only looked at now and then.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let reply = try daemon.call(DaemonMethod.getConsumers, as: GetConsumersReply.self)
        if output.isJSON {
            try LineOutput.print([reply])
        } else {
            try StandardOutput.write(lines: ConsumerTable(reply: reply).lines)
        }
    }
}
