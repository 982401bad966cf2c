import Glibc
import Locator
import Receivers
import SystemCalls

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

    private var entries: [(identity: String, record: ReceiverStateRecord)] = []

    init() {}

    subscript(identity: String) -> ReceiverStateRecord? { entries.first { $0.identity == identity }?.record }

    /// Saves or removes an entry. Returns whether there is a change to save.
    mutating func store(_ record: ReceiverStateRecord?, for identity: String) -> Bool {
        guard self[identity] != record, !identity.isEmpty, !identity.contains("\n") else { return false }
        entries.removeAll { $0.identity == identity }
        if let record { entries.append((identity, record)) }
        if entries.count > ReceiverStateStore.capacity {
            entries.removeFirst(entries.count - ReceiverStateStore.capacity)
        }
        return true
    }

    var text: String {
        entries.reduce(into: ReceiverStateStore.heading + "\n") {
            $0 += ReceiverStateStore.line($1.record) + " \($1.identity)\n"
        }
    }

    /// Parses the text form. Returns `nil` if any part is invalid, because a wrong value would be
    /// written to a receiver.
    init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.first.map(String.init) == ReceiverStateStore.heading, lines.count <= ReceiverStateStore.capacity + 2
        else { return nil }
        for line in lines.dropFirst() where !line.isEmpty {
            let fields = line.split(separator: " ", maxSplits: 6, omittingEmptySubsequences: false)
            guard fields.count == 7, let record = ReceiverStateStore.record(fields.map(String.init)) else { return nil }
            _ = store(record, for: String(fields[6]))
        }
    }

    private static func line(_ record: ReceiverStateRecord) -> String {
        let number = record.protocolNumber.map { "\($0)" } ?? "-"
        let period = record.initialPeriod.map { "\($0)" } ?? "-"
        let sleep = record.isAsleep ? "asleep" : "awake"
        let output = record.outputsErrorEstimate ? "error" : "plain"
        return "\(record.chip.rawValue) \(number) \(sleep) \(period) \(record.dynamics.rawValue) \(output)"
    }

    private static func record(_ fields: [String]) -> ReceiverStateRecord? {
        guard let chip = ReceiverChip(rawValue: fields[0]), let dynamics = Dynamics(rawValue: fields[4]) else {
            return nil
        }
        guard ["asleep", "awake"].contains(fields[2]), ["error", "plain"].contains(fields[5]) else { return nil }
        var record = ReceiverStateRecord(chip: chip, isAsleep: fields[2] == "asleep")
        if fields[1] != "-" {
            guard let number = Double(fields[1]), (1...100).contains(number) else { return nil }
            record.protocolNumber = number
        }
        if fields[3] != "-" {
            guard let period = Int(fields[3]), (1...60_000).contains(period) else { return nil }
            record.initialPeriod = period
        }
        (record.dynamics, record.outputsErrorEstimate) = (dynamics, fields[5] == "error")
        return record
    }

    static func == (a: ReceiverStateStore, b: ReceiverStateStore) -> Bool { a.text == b.text }
}

/// The file that keeps ``ReceiverStateStore`` between runs. Only the port manager writes it.
struct ReceiverStateFile {
    private let file: AtomicFile

    init(path: String) { file = AtomicFile(path: path) }

    /// Loads the saved state, empty if there is no file. An invalid file is renamed for later
    /// inspection and reported in `notice`.
    func load() throws(SystemError) -> (states: ReceiverStateStore, notice: String?) {
        do throws(SystemError) {
            let text = String(decoding: try file.contents(), as: UTF8.self)
            if let states = ReceiverStateStore(text: text) { return (states, nil) }
        } catch {
            guard error.code == ENOENT else { throw error }
            return (ReceiverStateStore(), nil)
        }
        _ = rename(file.path, file.path + ".damaged")
        return (
            ReceiverStateStore(), "\(file.path) is damaged and was renamed; power-cycle any receiver that stays asleep"
        )
    }

    /// Replaces the file as a whole.
    func save(_ states: ReceiverStateStore) throws(SystemError) { try file.replace(with: states.text) }
}
