import Chronology
import SextantAPI

/// The energy report as text: one row per day, then one row per program.
struct PowerTable {
    var power: Power
    /// The current day, UTC.
    var today: CivilDate
    /// The width of the terminal; nil for whole lines.
    var columns: Int?

    /// The lines of the report.
    var lines: [String] {
        guard power.start.milliwatts != nil || !power.days.isEmpty else {
            return ["No energy has been used yet: no receiver has sent data."]
        }
        return (periods + [""] + consumerRows + [""] + estimates).wrapped(to: columns)
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
    /// The purpose as text.
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
