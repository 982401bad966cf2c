import Chronology
import Glibc
import Positioning
import Receivers
import Simulator
import SystemCalls

/// `make recognition`: line noise, and the binary logs of a folder at wrong baud rates, as a port
/// reads them. No protocol may be named, and nothing may be written.
@main
enum RecognitionReport {
    static func main() {
        var total = RecognisedLine.Counts()
        print("one hour of random bytes, and logs at each wrong rate", "bytes", "names", "writes", separator: "\t")
        for baud in BaudRateDetector.order { total += noise(at: baud) }
        let folder = CommandLine.arguments.dropFirst().first ?? "."
        var named = 0
        for log in logs(in: folder) {
            guard let bytes = try? read("\(folder)/\(log)"), isBinary(bytes) else { continue }
            named += play(bytes, from: 38_400, to: 38_400).names
            let counts = wrongRates(of: bytes)
            print(log, counts, separator: "\t")
            total += counts
        }
        print("total", total, separator: "\t")
        // Else the figures show nothing.
        print("logs that are named at the rate of their receiver: \(named)")
        exit(total.names + total.writes > 0 || named == 0 ? 1 : 0)
    }

    private static func noise(at baud: Int) -> RecognisedLine.Counts {
        var line = RecognisedLine(baud: baud)
        var random = RandomSource(seed: UInt64(baud), purpose: 9)
        for _ in 0..<3600 {
            var second: [UInt8] = []
            while second.count < baud / 10 {
                let word = random.next()
                for shift in stride(from: UInt64(0), to: 64, by: 8) { second.append(UInt8(word >> shift & 0xFF)) }
            }
            line.receive(second)
        }
        print("random bytes at \(baud) baud", line.counts, separator: "\t")
        return line.counts
    }

    /// Plays a log at each rate to a port at each other one.
    private static func wrongRates(of bytes: [UInt8]) -> RecognisedLine.Counts {
        var counts = RecognisedLine.Counts()
        for sender in BaudRateDetector.order {
            for listener in BaudRateDetector.order where listener != sender {
                counts += play(bytes, from: sender, to: listener)
            }
        }
        return counts
    }

    private static func play(_ bytes: [UInt8], from sender: Int, to listener: Int) -> RecognisedLine.Counts {
        var line = RecognisedLine(baud: listener)
        for start in stride(from: 0, to: bytes.count, by: sender / 10) {
            let sent = Array(bytes[start..<min(start + sender / 10, bytes.count)])
            line.receive(BaudRateMismatch.read(sent, sender: sender, listener: listener))
        }
        return line.counts
    }

    // MARK: Files

    private static func logs(in folder: String) -> [String] {
        ["recorded", "gpsd", "field"].flatMap { part in
            ((try? Directory.names(in: "\(folder)/\(part)")) ?? []).filter { !$0.hasSuffix(".gz") }.sorted()
                .map { "\(part)/\($0)" }
        }
    }

    /// Whether more than one byte in twenty is no text.
    private static func isBinary(_ bytes: [UInt8]) -> Bool {
        bytes.count { $0 > 126 || $0 < 32 && ![9, 10, 13].contains($0) } * 20 > bytes.count
    }

    private static func read(_ path: String) throws(SystemError) -> [UInt8] {
        let file = FileDescriptor(owning: try systemCall("opening \(path)") { open(path, O_RDONLY | O_CLOEXEC) })
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = Glibc.read(file.number, &buffer, buffer.count)
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
        }
    }
}

/// A configured port at a fixed rate, as the daemon reads it: no other program has it open, and
/// nothing forbids commands.
struct RecognisedLine: ~Copyable {
    /// What a port received, and what came of it.
    struct Counts: CustomStringConvertible {
        var bytes = 0
        /// The contents that were named, besides noise.
        var names = 0
        var writes = 0
        var description: String { "\(bytes)\t\(names)\t\(writes)" }

        static func += (sum: inout Counts, other: Counts) {
            sum.bytes += other.bytes
            sum.names += other.names
            sum.writes += other.writes
        }
    }

    private(set) var counts = Counts()
    private var session: ReceiverSession
    private var recognizer: LineRecognizer
    private var now = Instant.zero

    init(baud: Int) {
        var settings = SessionSettings()
        settings.isConfigured = true
        settings.baudRate = baud
        session = ReceiverSession(DeviceDescription(path: "/dev/ttyS0"), settings: settings)
        recognizer = LineRecognizer(baudRate: baud)
        var line = OpenedLine()
        line.baudRate = baud
        session.opened(line, at: now)
    }

    mutating func receive(_ bytes: [UInt8]) {
        now = now + .seconds(1)
        counts.bytes += bytes.count
        // A port reads at most this many bytes at once.
        for start in stride(from: 0, to: bytes.count, by: 4096) {
            let chunk = Array(bytes[start..<min(start + 4096, bytes.count)])
            session.beginRead(chunk.span.bytes, at: now)
            session.endRead(chunk.count, summary: ReadSummary(), at: now)
            recognizer.push(chunk.span.bytes, at: now)
            carryOut()
        }
        session.tick(at: now)
        carryOut()
        // Each name counts once per port.
        if counts.names == 0, recognizer.family != nil || isNamed { counts.names = 1 }
    }

    private var isNamed: Bool {
        switch recognizer.finding?.content {
        case nil, .noise: false
        default: true
        }
    }

    private mutating func carryOut() {
        var actions = session.takeActions()
        while !actions.isEmpty {
            for action in actions {
                if case .write = action { counts.writes += 1 }
                if action == .findHolders { session.holdersFound(.unused, at: now) }
            }
            actions = session.takeActions()
        }
    }
}
