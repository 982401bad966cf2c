import ArgumentParser
import Chronology
import SextantAPI
import SystemCalls

/// `sextant power`: shows the energy use of the receivers.
struct PowerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "power",
        abstract: "Show the receivers' energy use, by power state and by program.",
        discussion: """
            Energy is an estimate: the time in each power state times the power in the receiver's data sheet, which \
            is listed below the table. Programs share it by what each would need alone. All share the power up to \
            the smallest need equally, the others share the power up to the next need, and so on. Energy without any \
            request is listed as no request. Days are UTC and are kept for \(Self.maxDays) days. Exit with status 2 \
            if the selected receiver has used no energy.
            """)

    /// The number of days that the daemon keeps.
    static let maxDays = 60

    @Option(help: ArgumentHelp("Number of days including today (1 to \(maxDays)).", valueName: "number"))
    var days = 7

    @Option(help: ArgumentHelp("Show only this receiver, by name.", valueName: "name"))
    var receiver: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard (1...PowerCommand.maxDays).contains(days) else {
            throw ValidationError("--days must be 1 to \(PowerCommand.maxDays), not \(days)")
        }
    }

    func run() throws {
        let parameters = GetPowerParameters(days: days, receiver: receiver)
        let power = try daemon.call(ManagerMethods.getPower, with: parameters)
        if let receiver, power.days.isEmpty, power.start.milliwatts == nil {
            throw CommandError(
                "no energy is recorded for a receiver \"\(receiver)\"; list all receivers with: sextant power",
                exitStatus: .noResult)
        }
        if output.isJSON {
            try JSONLineWriter.print([power])
        } else {
            let table = PowerTable(power: power, today: HostClock.utc.date, columns: StandardOutput.columns)
            try StandardOutput.write(lines: table.lines)
        }
    }
}
