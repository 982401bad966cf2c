import Chronology
import Wire

/// What was spent, for people: a row for each day, then a row for each program.
struct PowerTable {
    var power: GetPowerReply
    /// The day it is now, UTC.
    var today: CivilDate

    /// The lines.
    var lines: [String] {
        guard power.start.milliwatts != nil || !power.spent.isEmpty else {
            return ["Nothing has been spent yet: no receiver has been heard."]
        }
        return periods + [""] + spenders + [""] + estimates
    }

    private var periods: [String] {
        let heading = ["", "ENERGY", "MEAN POWER", "OPERATION", "SAVING", "SEARCH", "STANDBY", "CLOSED", "WAKEUPS"]
        var table = TextTable(heading, rightAligned: Set(1...8))
        for spending in power.spent { table.add(cells(spending, name: dayName(spending.day ?? ""))) }
        table.add(cells(power.start, name: "since start"))
        return table.lines
    }

    private func cells(_ spending: SpendingMessage, name: String) -> [String] {
        let times = [spending.operation, spending.saving, spending.search, spending.standby, spending.closed]
        return [name, PowerTable.joules(spending.joules), spending.milliwatts.map { Fixed.text($0, $0 < 10 ? 1 : 0) + " mW" } ?? "-"]
            + times.map { $0 > 0 ? TimeText.span($0) : "-" } + [spending.wakeups.map(Fixed.grouped) ?? "-"]
    }

    /// Who it was spent for over the days above; since the start where none are kept.
    private var spenders: [String] {
        let all = power.spent.isEmpty ? [power.start] : power.spent
        let whole = all.reduce(0) { $0 + $1.joules }
        var sums: [SpenderMessage] = []
        for spender in all.flatMap(\.spenders) {
            if let known = sums.firstIndex(where: { $0.isSame(as: spender) }) {
                sums[known].joules += spender.joules
            } else {
                sums.append(spender)
            }
        }
        var table = TextTable(["SHARE", "ENERGY", "FOR", "PROGRAM", "UNIT", "USER"], rightAligned: [0, 1])
        for spender in sums.sorted(by: { $0.joules > $1.joules }) {
            let share = whole > 0 ? Fixed.text(spender.joules / whole * 100, 1) + " %" : "-"
            table.add([
                share, PowerTable.joules(spender.joules), spender.purpose.words, ProgramWords.name(spender.program), spender.unit ?? "",
                spender.uid.map(ProgramWords.user) ?? "",
            ])
        }
        return table.lines
    }

    private var estimates: [String] {
        ["Energy is an estimate by data sheets, at a module's pin:"]
            + power.estimates.map { "  \(Columns.harmless($0.receiver)): \($0.chip), \(Columns.harmless($0.source))" }
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
        value < 100 ? Fixed.text(value, 1) + " J" : (Int(exactly: value.rounded()).map(Fixed.grouped) ?? "\(value)") + " J"
    }
}

extension SpenderMessage {
    /// Whether it is the same program with the same purpose.
    fileprivate func isSame(as other: SpenderMessage) -> Bool {
        purpose == other.purpose && program == other.program && unit == other.unit && uid == other.uid
    }
}

extension PurposeName {
    /// For people.
    var words: String {
        switch self {
        case .default, .automotiveNavigation, .otherNavigation, .fitness, .airborne, .monitors, .nobody, .receivers: rawValue
        case .question: "locate"
        case .others: "other programs"
        }
    }
}
