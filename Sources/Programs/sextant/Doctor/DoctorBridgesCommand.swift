import ArgumentParser

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
        if !diagnosis.isHealthy { throw ExitCode(ExitStatus.noResult.rawValue) }
    }
}
