import ArgumentParser
import Wire

/// `sextant status`: what the daemon is doing.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "status", abstract: "Say what the daemon is doing.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let status = try daemon.call(DaemonMethod.getStatus, as: GetStatusReply.self).status
        if output.isJSON {
            try LineOutput.print([status])
        } else {
            try StandardOutput.write(lines: StatusText.lines(status))
        }
    }
}
