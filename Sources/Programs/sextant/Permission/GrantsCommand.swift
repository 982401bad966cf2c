import ArgumentParser
import SextantAPI

/// `sextant grants`: lists what decides about programs.
struct GrantsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grants",
        abstract: "List which programs may know the location, and who decided.",
        discussion: """
            First the decisions of "sextant grant" and of agents, then the rules of the configuration, the default and \
            the switch for the device. Users who may not decide see the programs of their own user only.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let reply = try daemon.call(PermissionMethods.list)
        if output.isJSON {
            try JSONLineWriter.print([reply])
        } else {
            try StandardOutput.write(lines: GrantTable(reply: reply, columns: StandardOutput.columns).lines)
        }
    }
}
