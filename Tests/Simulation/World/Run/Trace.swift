import Chronology
import Glibc

/// What happened in a run: a hash of everything, and the last lines as text if they are wanted.
struct Trace {
    /// What becomes of the lines.
    enum Output {
        /// Nobody reads them: only the hash is kept.
        case none
        /// The last ones are kept, for the report of a violation.
        case last(Int)
        /// All are printed.
        case standardOutput
    }

    private let output: Output
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var lines: [String] = []

    init(_ output: Output) { self.output = output }

    /// Whether somebody reads the lines. Those who write much text ask first.
    var isRead: Bool {
        if case .none = output { false } else { true }
    }

    /// Adds a line: the time in seconds, who, and what.
    mutating func add(_ now: Instant, _ actor: String, _ text: @autoclosure () -> String) {
        mix(UInt64(bitPattern: now.nanoseconds))
        guard isRead else { return }
        let line = "\(Trace.seconds(now)) \(actor) \(text())"
        switch output {
        case .none: break
        case .last(let count):
            lines.append(line)
            if lines.count >= 2 * count { lines.removeFirst(lines.count - count) }
        case .standardOutput: print(line)
        }
    }

    /// Adds bytes that the program has sent, or a number, to the hash.
    mutating func mix(_ bytes: [UInt8]) {
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    /// Adds a number to the hash.
    mutating func mix(_ number: UInt64) { hash = (hash ^ number) &* 0x100_0000_01B3 }

    /// Returns a time as seconds with six decimals.
    static func seconds(_ now: Instant) -> String {
        let micros = now.nanoseconds / 1000
        let rest = String(micros % 1_000_000)
        return "\(micros / 1_000_000).\(String(repeating: "0", count: 6 - rest.utf8.count))\(rest)"
    }
}
