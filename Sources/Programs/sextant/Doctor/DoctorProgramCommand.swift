import ArgumentParser
import SextantAPI
import Varlink

/// `sextant doctor program`: reports why a program gets no location.
struct DoctorProgramCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "program",
        abstract: "Find out what a program may know, what decided, and how to change it.",
        discussion: """
            PROGRAM is \(ProgramName.help)

            Exit with status 0 if the program gets the full location, with 2 otherwise.
            """)

    @Argument(help: "The program, for example 998:navigator.service or alice (default: this one).")
    var program: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let program = try program.map { name throws(CommandError) in try ProgramName.textForm(of: name, at: daemon) }
        let reply = try daemon.call(PermissionMethods.explain, with: ExplainParameters(program: program))
        let diagnosis = ProgramDiagnosis(reply: reply, grants: try daemon.call(PermissionMethods.list))
        try DoctorReport.print(diagnosis.checks, asJSON: output.isJSON)
        if !diagnosis.isHealthy { throw ExitCode(ExitStatus.noResult.rawValue) }
    }
}
