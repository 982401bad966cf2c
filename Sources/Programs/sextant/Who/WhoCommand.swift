import ArgumentParser
import SextantAPI

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
        if output.isJSON {
            try JSONLineWriter.print([reply])
        } else {
            try StandardOutput.write(lines: ConsumerTable(reply: reply, columns: StandardOutput.columns).lines)
        }
    }
}
