import Chronology
import Receivers
import StateStore

/// Conversion between the energy history and the rows of the store.
///
/// A row has one of these kinds:
///
/// - "state": the time in a state, such as "tracking".
/// - "chip": the time estimated with the figures of a chip, such as "ublox8".
/// - "wakeups": the number of wakeups of the daemon, without a receiver.
/// - "others": joules of programs that have no rows of their own.
/// - A purpose ("default", "oneShot", "heading", "nobody"): joules. The name is the program's user,
///   unit or "-", and own name, separated by spaces.
///
/// Unknown rows are ignored.
extension EnergyHistory {
    init(_ rows: [UsageRow]) {
        self.init()
        for row in rows
        where row.seconds.isFinite && row.joules.isFinite && row.seconds >= 0 && row.joules >= 0 && row.count >= 0 {
            var period = EnergyUse()
            if row.kind == "wakeups" {
                period.wakeups = Double(row.count)
            } else {
                period.add(ReceiverEnergyUse(row), of: row.receiver)
            }
            add(period, on: CivilDate(daysSince1970: row.day))
        }
    }

    /// Returns the rows of the given days.
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

extension ReceiverEnergyUse {
    fileprivate init(_ row: UsageRow) {
        self.init()
        switch row.kind {
        case "state": if let state = ReceiverPowerState(rawValue: row.name) { add(row.seconds, in: state) }
        case "chip": if let chip = ReceiverChip(rawValue: row.name) { add(row.seconds, countedAs: chip) }
        case "nobody": add(row.joules, for: .nobody)
        case "others": add(row.joules, for: .others)
        default:
            guard let purpose = ConsumerPurpose(rawValue: row.kind), let program = Program(text: row.name) else {
                return
            }
            add(row.joules, for: .program(program, purpose))
        }
    }

    fileprivate func rows(of receiver: String, on day: Int) -> [UsageRow] {
        secondsByState.map {
            UsageRow(day: day, receiver: receiver, kind: "state", name: $0.key.rawValue, seconds: $0.value)
        }
            + secondsByChip.map {
                UsageRow(day: day, receiver: receiver, kind: "chip", name: $0.key.rawValue, seconds: $0.value)
            }
            + joulesByConsumer.map { consumer, joules in
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
    /// "1000 navigator.service navigator". Names of systemd units contain no spaces; the program's
    /// own name may.
    fileprivate var text: String { "\(user) \(unit ?? "-") \(name)" }

    fileprivate init?(text: String) {
        let fields = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, let user = UInt32(fields[0]) else { return nil }
        self.init(user: user, unit: fields[1] == "-" ? nil : String(fields[1]), name: String(fields[2]))
    }
}
