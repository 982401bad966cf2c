import ArgumentParser
import SextantAPI
import SystemCalls
import Varlink

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
        subcommands: [
            DoctorFenceCommand.self, DoctorProgramCommand.self, DoctorBridgesCommand.self, DoctorMotionCommand.self,
        ])

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
            return try DoctorReport.print(try PortPolling(path: probe).run(), asJSON: output.isJSON)
        }
        let observations = try DoctorProbe(daemon: daemon, device: device, timeout: timeout.span).observe()
        let diagnosis = Diagnosis(observations)
        try DoctorReport.print(diagnosis.checks, asJSON: output.isJSON)
    }
}

/// `sextant doctor program`: reports why a program gets no location.
struct DoctorProgramCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "program",
        abstract: "Find out what a program may know, what decided, and how to change it.",
        discussion: """
            PROGRAM is \(ProgramName.help)

            Exit with status 0 if the program gets the full location and its sessions count, with 2 otherwise.
            """)

    @Argument(help: "The program, for example 998:navigator.service or alice (default: this one).")
    var program: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let program = try program.map { name throws(CommandError) in try ProgramName.textForm(of: name, at: daemon) }
        let reply = try daemon.call(PermissionMethods.explain, with: ExplainParameters(program: program))
        let diagnosis = ProgramDiagnosis(
            reply: reply, grants: try daemon.call(PermissionMethods.list),
            consumers: try? daemon.call(ManagerMethods.getConsumers))
        try DoctorReport.print(diagnosis.checks, asJSON: output.isJSON)
    }
}

/// `sextant doctor fence`: reports why a fence has recorded no event.
struct DoctorFenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fence",
        abstract: "Find out why a fence has recorded no event: check every precondition in order.",
        discussion: "Exit with status 0 if nothing prevents the next event, with 2 otherwise.")

    @Argument(help: "Name of the fence.")
    var name: String

    @OptionGroup var options: FenceOptions

    func run() throws {
        let client = try FenceClient(options)
        let (monitor, record) = try client.record(of: name)
        let monitors = try client.monitors()
        let diagnosis = FenceDiagnosis(
            record: record, monitor: monitors.first { $0.name == monitor },
            accuracy: try accuracy(near: monitor, from: client), now: HostClock.utc,
            stateProblem: try? client.call(ManagerMethods.getStatus, with: NoParameters()).status.state?.problem,
            motion: try? client.call(ManagerMethods.getMotionSources, with: NoParameters()))
        try DoctorReport.print(diagnosis.checks, asJSON: options.output.isJSON)
    }

    /// Returns the horizontal accuracy of the current position in metres; nil if there is none, or
    /// if this program may not know it.
    private func accuracy(near monitor: String, from client: FenceClient) throws(CommandError) -> Double? {
        let parameters = NearestParameters(name: monitor, count: 1, program: client.owner)
        do throws(CommandError) {
            return try client.call(MonitorMethods.nearest, with: parameters).location?.horizontalAccuracy
        } catch {
            guard error.exitStatus == .notPermitted else { throw error }
            return nil
        }
    }
}

/// `sextant doctor bridges`: checks what programs with other protocols need.
struct DoctorBridgesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bridges",
        abstract: "Check the port of gpsd, GeoClue and chrony, for programs that use other protocols.",
        discussion: """
            A bridge that is not enabled is no problem. Exit with status 0 if no problem was found, with 2 otherwise.
            """)

    @OptionGroup var output: OutputOptions

    func run() throws {
        let diagnosis = BridgeDiagnosis(observations: BridgeProbe().observe())
        try DoctorReport.print(diagnosis.checks, asJSON: output.isJSON)
    }
}
