import ArgumentParser
import Chronology
import SextantAPI
import SystemCalls

/// The energy report as text: one row per day, then one row per program.
struct PowerTable {
    var power: Power
    /// The current day, UTC.
    var today: CivilDate
    /// The width of the terminal; nil for whole lines.
    var columns: Int?

    var lines: [String] {
        guard power.start.milliwatts != nil || !power.days.isEmpty else {
            return (["No energy has been used yet: no receiver has sent data."] + beacons).wrapped(to: columns)
        }
        return (periods + [""] + consumerRows + [""] + estimates + beacons).wrapped(to: columns)
    }

    /// What the reception of beacons has used, which is not that of a receiver.
    private var beacons: [String] {
        power.beacons.map {
            [
                "Bluetooth beacons, since start: \(PowerTable.joules($0.joules)), \(TimeText.span($0.seconds)) of "
                    + "reception at 28 mW"
            ]
        } ?? []
    }

    private var periods: [String] {
        let heading = ["", "ENERGY", "MEAN POWER", "OPERATION", "SAVING", "SEARCH", "STANDBY", "CLOSED", "WAKEUPS"]
        var table = TextTable(heading, rightAligned: Set(1...8))
        for report in power.days { table.add(cells(report, name: dayName(report.day ?? ""))) }
        table.add(cells(power.start, name: "since start"))
        return table.lines(columns: columns)
    }

    private func cells(_ report: EnergyReport, name: String) -> [String] {
        let times = [report.operation, report.saving, report.search, report.standby, report.closed]
        return [
            name, PowerTable.joules(report.joules),
            report.milliwatts.map { DecimalText.text($0, decimals: $0 < 10 ? 1 : 0) + " mW" } ?? "-",
        ]
            + times.map { $0 > 0 ? TimeText.span($0) : "-" } + [report.wakeups.map(DecimalText.grouped) ?? "-"]
    }

    /// The rows of the consumers over the days above; since the start if no days are kept.
    private var consumerRows: [String] {
        let all = power.days.isEmpty ? [power.start] : power.days
        let total = all.reduce(0) { $0 + $1.joules }
        var totals: [EnergyConsumer] = []
        for consumer in all.flatMap(\.consumers) {
            if let index = totals.firstIndex(where: { $0.isSame(as: consumer) }) {
                totals[index].joules += consumer.joules
            } else {
                totals.append(consumer)
            }
        }
        var table = TextTable(["SHARE", "ENERGY", "PURPOSE", "PROGRAM", "UNIT", "USER"], rightAligned: [0, 1])
        for consumer in totals.sorted(by: { $0.joules > $1.joules }) {
            let share = total > 0 ? DecimalText.text(consumer.joules / total * 100, decimals: 1) + " %" : "-"
            table.add([
                share, PowerTable.joules(consumer.joules), consumer.purpose.displayText,
                ProgramFormatter.name(consumer.program, purpose: consumer.purpose),
                consumer.unit ?? "",
                consumer.uid.map(ProgramFormatter.user) ?? "",
            ])
        }
        return table.lines(columns: columns)
    }

    private var estimates: [String] {
        ["Energy is estimated from data sheets, at the module's supply pin:"]
            + power.estimates.map { "  \($0.receiver): \($0.chip), \($0.source)" }
    }

    private func dayName(_ day: String) -> String {
        guard let date = UTCTime(rfc3339: day + "T00:00:00Z")?.date else { return day }
        switch today.daysSince1970 - date.daysSince1970 {
        case 0: return "today"
        case 1: return "yesterday"
        default: return TimeText.day(date)
        }
    }

    private static func joules(_ value: Double) -> String {
        value < 100
            ? DecimalText.text(value, decimals: 1) + " J"
            : (Int(exactly: value.rounded()).map(DecimalText.grouped) ?? "\(value)") + " J"
    }
}

extension EnergyConsumer {
    /// Whether it is the same program with the same purpose.
    fileprivate func isSame(as other: EnergyConsumer) -> Bool {
        purpose == other.purpose && program == other.program && unit == other.unit && uid == other.uid
    }
}

extension Purpose {
    var displayText: String {
        switch self {
        case .default, .automotiveNavigation, .otherNavigation, .fitness, .airborne, .heading, .receivers, .unknown:
            rawValue
        case .monitors: "fences"
        case .nobody: "no request"
        case .oneShot: "locate"
        case .others: "other programs"
        }
    }
}

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

            Motion sources, if there are any, follow as a table, and with --json on a second line.
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
        // An earlier daemon has no motion sources.
        let motion = try? daemon.call(ManagerMethods.getMotionSources)
        if output.isJSON {
            try JSONLineWriter.print([power])
            if let motion, !motion.sources.isEmpty { try JSONLineWriter.print([motion]) }
        } else {
            let columns = StandardOutput.columns
            var lines = PowerTable(power: power, today: HostClock.utc.date, columns: columns).lines
            if let motion, !motion.sources.isEmpty {
                lines += [""] + MotionTable(motion, now: HostClock.utc).lines(columns: columns)
            }
            try StandardOutput.write(lines: lines)
        }
    }
}
