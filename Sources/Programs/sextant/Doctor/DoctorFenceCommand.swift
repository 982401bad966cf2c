import ArgumentParser
import Chronology
import SextantAPI
import SystemCalls
import Varlink

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
            stateProblem: try? client.call(ManagerMethods.getStatus, with: NoParameters()).status.state?.problem)
        try DoctorReport.print(diagnosis.checks, asJSON: options.output.isJSON)
        if !diagnosis.isHealthy { throw ExitCode(ExitStatus.noResult.rawValue) }
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
