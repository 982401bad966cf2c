import ArgumentParser
import Chronology

/// `sextant doctor`: the first thing that is wrong, and the command that mends it.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find the first thing that is wrong between receiver and position, and its mend.",
        discussion: """
            Where the daemon runs it is asked; else a port that nobody has is listened to. A port that another program has is never \
            opened, and nothing is ever written to one. Ends with 0 when all is well, with 2 when something was found.
            """,
        subcommands: [DoctorFenceCommand.self])

    @Option(help: ArgumentHelp("Look at this port (default: the most promising).", valueName: "path"), completion: .file())
    var device: String?

    @Option(help: ArgumentHelp("How long a port is listened to at most, where the daemon does not tell.", valueName: "time"))
    var listen = TimeArgument(seconds: 15)

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let observations = try DoctorProbe(daemon: daemon, device: device, patience: listen.span).observe()
        let diagnosis = Diagnosis(observations)
        if output.isJSON {
            try LineOutput.print(diagnosis.checks)
        } else {
            let look = Look.ofStandardOutput
            let width = look.hasStyles ? TerminalSize.ofStandardOutput.columns : TerminalSize.usual.columns
            try StandardOutput.write(lines: DoctorReport(checks: diagnosis.checks, width: width).canvas().lines(look))
        }
        if !diagnosis.isHealthy { throw ExitCode(ExitStatus.nothing.rawValue) }
    }
}
