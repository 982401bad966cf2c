import Delivery
import Receivers

/// The changes made to each receiver and not yet restored, so that a start after a crash can
/// restore them.
///
/// The text form is a heading and one line per device. The fields are chip, protocol, asleep or
/// awake, own period in milliseconds, dynamics, error output and device identity. The error output
/// field states whether it was enabled. The identity may contain spaces:
///
///     sextant receivers 1
///     ublox8 18.0 asleep 1000 any plain usb:1546:01a8
struct ReceiverStateStore: Equatable {
    /// The maximum number of devices. The oldest entry is removed first.
    static let capacity = 64
    private static let heading = "sextant receivers 1"

    private var entries: [(identity: String, memory: ReceiverStateRecord)] = []

    init() {}

    subscript(identity: String) -> ReceiverStateRecord? { entries.first { $0.identity == identity }?.memory }

    /// Saves or removes an entry. Returns whether there is a change to save.
    mutating func remember(_ memory: ReceiverStateRecord?, for identity: String) -> Bool {
        guard self[identity] != memory, !identity.isEmpty, !identity.contains("\n") else { return false }
        entries.removeAll { $0.identity == identity }
        if let memory { entries.append((identity, memory)) }
        if entries.count > ReceiverStateStore.capacity {
            entries.removeFirst(entries.count - ReceiverStateStore.capacity)
        }
        return true
    }

    var text: String {
        entries.reduce(into: ReceiverStateStore.heading + "\n") {
            $0 += ReceiverStateStore.line($1.memory) + " \($1.identity)\n"
        }
    }

    /// Parses the text form. Returns `nil` if any part is invalid, because a wrong value would be
    /// written to a receiver.
    init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.first.map(String.init) == ReceiverStateStore.heading, lines.count <= ReceiverStateStore.capacity + 2
        else { return nil }
        for line in lines.dropFirst() where !line.isEmpty {
            let words = line.split(separator: " ", maxSplits: 6, omittingEmptySubsequences: false)
            guard words.count == 7, let memory = ReceiverStateStore.memory(words.map(String.init)) else { return nil }
            _ = remember(memory, for: String(words[6]))
        }
    }

    private static func line(_ memory: ReceiverStateRecord) -> String {
        let number = memory.protocolNumber.map { "\($0)" } ?? "-"
        let period = memory.initialPeriod.map { "\($0)" } ?? "-"
        let sleep = memory.isAsleep ? "asleep" : "awake"
        return
            "\(memory.chip.rawValue) \(number) \(sleep) \(period) \(memory.dynamics.rawValue) \(memory.outputsErrorEstimate ? "error" : "plain")"
    }

    private static func memory(_ words: [String]) -> ReceiverStateRecord? {
        guard let chip = ReceiverChip(rawValue: words[0]), let dynamics = Dynamics(rawValue: words[4]) else {
            return nil
        }
        guard ["asleep", "awake"].contains(words[2]), ["error", "plain"].contains(words[5]) else { return nil }
        var memory = ReceiverStateRecord(chip: chip, isAsleep: words[2] == "asleep")
        if words[1] != "-" {
            guard let number = Double(words[1]), (1...100).contains(number) else { return nil }
            memory.protocolNumber = number
        }
        if words[3] != "-" {
            guard let period = Int(words[3]), (1...60_000).contains(period) else { return nil }
            memory.initialPeriod = period
        }
        (memory.dynamics, memory.outputsErrorEstimate) = (dynamics, words[5] == "error")
        return memory
    }

    static func == (a: ReceiverStateStore, b: ReceiverStateStore) -> Bool { a.text == b.text }
}
