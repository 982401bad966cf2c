import ArgumentParser
import Chronology

/// `sextant doctor`: finds the first problem and the command that fixes it.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find the first problem between receiver and position, and how to fix it.",
        discussion: """
            If the daemon runs, query it; otherwise read a port that no other program has open. Never open a port \
            that another program has open, and write to a port only with --probe. A receiver that sleeps because no \
            request needs it, and one that has just started, are no problem. Exit with status 0 if no problem was \
            found, with 2 otherwise, which a monitoring system takes as critical.
            """,
        subcommands: [DoctorFenceCommand.self, DoctorProgramCommand.self, DoctorBridgesCommand.self])

    @Option(
        help: ArgumentHelp("Check this port (default: the most likely one).", valueName: "path"), completion: .file())
    var device: String?

    @Option(
        help: ArgumentHelp(
            "Maximum time to read a port, or to wait for a state to end that should be brief.",
            valueName: "time"))
    var timeout = TimeArgument(seconds: 15)

    @Option(
        help: ArgumentHelp(
            "Write questions to this port at each baud rate, and report what answers; for a port that stays silent.",
            valueName: "path"),
        completion: .file())
    var probe: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        if let probe {
            let checks = try PortPolling(path: probe).run()
            try DoctorReport.print(checks, asJSON: output.isJSON)
            if checks.contains(where: { $0.state == .wrong }) { throw ExitCode(ExitStatus.noResult.rawValue) }
            return
        }
        let observations = try DoctorProbe(daemon: daemon, device: device, timeout: timeout.span).observe()
        let diagnosis = Diagnosis(observations)
        try DoctorReport.print(diagnosis.checks, asJSON: output.isJSON)
        if !diagnosis.isHealthy { throw ExitCode(ExitStatus.noResult.rawValue) }
    }
}
