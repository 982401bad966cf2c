import ArgumentParser
import Chronology
import Wire

/// `sextant power`: what was spent, and for whom.
struct PowerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "power",
        abstract: "Say what the receivers have spent, in which states, and for whom.",
        discussion: """
            Energy is an estimate: the time in each state by the figures of the receiver's data sheet, which is named beneath. Programs \
            share it by what each would need alone: up to the most modest need all pay alike, beyond it the rest, and so on. What is \
            spent while nobody asks is nobody's. Days are those of UTC, kept for \(Self.longest) days. Ends with status 2 when the \
            receiver asked for has spent nothing.
            """)

    /// Days that the daemon keeps.
    static let longest = 60

    @Option(help: ArgumentHelp("How many days, today counted (1 to \(longest)).", valueName: "number"))
    var days = 7

    @Option(help: ArgumentHelp("Of this receiver alone, by its name.", valueName: "name"))
    var receiver: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard (1...PowerCommand.longest).contains(days) else {
            throw ValidationError("--days is 1 to \(PowerCommand.longest), not \(days)")
        }
    }

    func run() throws {
        let wish = GetPowerParameters(days: days, receiver: receiver)
        let power = try daemon.call(DaemonMethod.getPower, wish, as: GetPowerReply.self)
        if let receiver, power.spent.isEmpty, power.start.milliwatts == nil {
            throw CommandError(
                "nothing is known to have been spent by a receiver \"\(receiver)\"; for those there are: sextant power", .nothing)
        }
        if output.isJSON {
            try LineOutput.print([power])
        } else {
            try StandardOutput.write(lines: PowerTable(power: power, today: Clock.utc.date).lines)
        }
    }
}
