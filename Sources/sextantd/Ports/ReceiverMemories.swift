import Delivery
import Receivers

/// What was done to each receiver and not taken back, so that a start after a crash can put it right.
///
/// Its text form is a heading and one line per device: chip, protocol, asleep or awake, own period in milliseconds, dynamics, whether the
/// error was asked for, and the device's identity, which may contain blanks:
///
///     sextant receivers 1
///     ublox8 18.0 asleep 1000 any plain usb:1546:01a8
struct ReceiverMemories: Equatable {
    /// Devices remembered at most; the one learned longest ago is forgotten first.
    static let capacity = 64
    private static let heading = "sextant receivers 1"

    private var entries: [(identity: String, memory: ReceiverMemory)] = []

    init() {}

    subscript(identity: String) -> ReceiverMemory? { entries.first { $0.identity == identity }?.memory }

    /// Keeps or forgets; returns whether anything changed that is worth saving.
    mutating func remember(_ memory: ReceiverMemory?, for identity: String) -> Bool {
        guard self[identity] != memory, !identity.isEmpty, !identity.contains("\n") else { return false }
        entries.removeAll { $0.identity == identity }
        if let memory { entries.append((identity, memory)) }
        if entries.count > ReceiverMemories.capacity { entries.removeFirst(entries.count - ReceiverMemories.capacity) }
        return true
    }

    var text: String {
        entries.reduce(into: ReceiverMemories.heading + "\n") { $0 += ReceiverMemories.line($1.memory) + " \($1.identity)\n" }
    }

    /// Reads the text form; nil when it is another. Nothing is guessed from a damaged text: a wrong word would be written to a receiver.
    init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.first.map(String.init) == ReceiverMemories.heading, lines.count <= ReceiverMemories.capacity + 2 else { return nil }
        for line in lines.dropFirst() where !line.isEmpty {
            let words = line.split(separator: " ", maxSplits: 6, omittingEmptySubsequences: false)
            guard words.count == 7, let memory = ReceiverMemories.memory(words.map(String.init)) else { return nil }
            _ = remember(memory, for: String(words[6]))
        }
    }

    private static func line(_ memory: ReceiverMemory) -> String {
        let number = memory.protocolNumber.map { "\($0)" } ?? "-"
        let period = memory.ownPeriod.map { "\($0)" } ?? "-"
        let sleep = memory.isAsleep ? "asleep" : "awake"
        return "\(memory.chip.rawValue) \(number) \(sleep) \(period) \(memory.dynamics.rawValue) \(memory.statesError ? "error" : "plain")"
    }

    private static func memory(_ words: [String]) -> ReceiverMemory? {
        guard let chip = ReceiverChip(rawValue: words[0]), let dynamics = Dynamics(rawValue: words[4]) else { return nil }
        guard ["asleep", "awake"].contains(words[2]), ["error", "plain"].contains(words[5]) else { return nil }
        var memory = ReceiverMemory(chip: chip, isAsleep: words[2] == "asleep")
        if words[1] != "-" {
            guard let number = Double(words[1]), (1...100).contains(number) else { return nil }
            memory.protocolNumber = number
        }
        if words[3] != "-" {
            guard let period = Int(words[3]), (1...60_000).contains(period) else { return nil }
            memory.ownPeriod = period
        }
        (memory.dynamics, memory.statesError) = (dynamics, words[5] == "error")
        return memory
    }

    static func == (a: ReceiverMemories, b: ReceiverMemories) -> Bool { a.text == b.text }
}
