import Chronology
import Receivers
import Store

/// The ledger as lines of the store, and back.
///
/// A line is time in a state ("state", "tracking"), time reckoned with a chip's figures ("chip", "ublox8"), times that the daemon woke
/// ("wakeups", of no receiver), or joules: the kind is what for ("default", "question", "nobody"), the name the program's user, unit or "-",
/// and own name, with blanks between. What is not understood is left out.
extension PowerLedger {
    /// The ledger of these lines.
    init(_ rows: [UsageRow]) {
        self.init()
        for row in rows where row.seconds.isFinite && row.joules.isFinite && row.seconds >= 0 && row.joules >= 0 && row.count >= 0 {
            var period = PowerPeriod()
            if row.kind == "wakeups" { period.wakeups = Double(row.count) } else { period.add(PowerUsage(row), of: row.receiver) }
            add(period, on: CivilDate(daysSince1970: row.day))
        }
    }

    /// The lines of some days.
    func rows(of wanted: some Collection<CivilDate>) -> [UsageRow] {
        wanted.flatMap { day -> [UsageRow] in
            guard let period = days[day] else { return [] }
            let date = day.daysSince1970
            let wakeups = UsageRow(
                day: date, receiver: "", kind: "wakeups", name: "", count: Int(exactly: period.wakeups.rounded()) ?? 0)
            return [wakeups] + period.receivers.flatMap { $0.value.rows(of: $0.key, on: date) }
        }
    }
}

extension PowerUsage {
    fileprivate init(_ row: UsageRow) {
        self.init()
        switch row.kind {
        case "state": if let state = PowerState(rawValue: row.name) { add(row.seconds, in: state) }
        case "chip": if let chip = ReceiverChip(rawValue: row.name) { add(row.seconds, reckonedAs: chip) }
        case "nobody": add(row.joules, for: .nobody)
        case "others": add(row.joules, for: .others)
        default:
            guard let purpose = Purpose(rawValue: row.kind), let program = Program(text: row.name) else { return }
            add(row.joules, for: .program(program, purpose))
        }
    }

    fileprivate func rows(of receiver: String, on day: Int) -> [UsageRow] {
        times.map { UsageRow(day: day, receiver: receiver, kind: "state", name: $0.key.rawValue, seconds: $0.value) }
            + figures.map { UsageRow(day: day, receiver: receiver, kind: "chip", name: $0.key.rawValue, seconds: $0.value) }
            + energy.map { consumer, joules in
                switch consumer {
                case .nobody: UsageRow(day: day, receiver: receiver, kind: "nobody", name: "", joules: joules)
                case .others: UsageRow(day: day, receiver: receiver, kind: "others", name: "", joules: joules)
                case .program(let program, let purpose):
                    UsageRow(day: day, receiver: receiver, kind: purpose.rawValue, name: program.text, joules: joules)
                }
            }
    }
}

extension Program {
    /// "1000 navigator.service navigator": systemd's names hold no blanks, the program's own may.
    fileprivate var text: String { "\(user) \(unit ?? "-") \(name)" }

    fileprivate init?(text: String) {
        let words = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, let user = UInt32(words[0]) else { return nil }
        self.init(user: user, unit: words[1] == "-" ? nil : String(words[1]), name: String(words[2]))
    }
}
