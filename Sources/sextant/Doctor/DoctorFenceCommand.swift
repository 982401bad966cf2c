import ArgumentParser
import Chronology
import Varlink
import Wire

/// `sextant doctor fence`: why a fence has not fired.
struct DoctorFenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fence",
        abstract: "Say why a fence has not fired: everything that an event needs, and the first thing that is missing.",
        discussion: "Ends with 0 when nothing stands in the way of the next event, with 2 when something does.")

    @Argument(help: "The fence.")
    var name: String

    @OptionGroup var options: FenceOptions

    func run() throws {
        let (monitor, record) = try options.record(of: name)
        let monitors = try options.monitors()
        let around = try options.daemon.call(
            DaemonMethod.nearestConditions, NearestParameters(name: monitor, count: 1, program: options.owner), as: NearestReply.self)
        let diagnosis = FenceDiagnosis(
            record: record, monitor: monitors.first { $0.name == monitor }, accuracy: around.location?.horizontalAccuracy, now: Clock.utc)
        if options.output.isJSON {
            try LineOutput.print(diagnosis.checks)
        } else {
            let look = Look.ofStandardOutput
            let width = look.hasStyles ? TerminalSize.ofStandardOutput.columns : TerminalSize.usual.columns
            try StandardOutput.write(lines: DoctorReport(checks: diagnosis.checks, width: width).canvas().lines(look))
        }
        if !diagnosis.isHealthy { throw ExitCode(ExitStatus.nothing.rawValue) }
    }
}
