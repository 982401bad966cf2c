import Glibc
import NMEA

/// `SentenceBenchmark FEED PASSES ROUNDS`: frames, verifies and decodes every sentence of a file, over and over.
///
/// Prints one JSON object: sentences in the file, and nanoseconds per sentence of the quickest and the median round of `PASSES` passes.
/// Bytes come in chunks as from a port, so sentences that span two reads are measured too.
@main
enum Main {
    /// Bytes of one read: what the kernel's line buffer holds.
    static let chunk = 4096

    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let passes = Int(arguments[2]), let rounds = Int(arguments[3]), passes > 0, rounds > 0 else {
            fail("usage: SentenceBenchmark FEED PASSES ROUNDS")
        }
        guard let feed = contents(of: arguments[1]), !feed.isEmpty else { fail("\(arguments[1]): cannot be read") }

        let sentences = decode(feed, passes: 1)
        guard sentences > 0 else { fail("\(arguments[1]): holds no sentence") }
        var nanoseconds: [Double] = []
        nanoseconds.reserveCapacity(rounds)
        for _ in 0..<rounds {
            let start = now()
            let decoded = decode(feed, passes: passes)
            nanoseconds.append(Double(now() - start) / Double(decoded))
        }
        nanoseconds.sort()
        print("{\"sentences\":\(sentences),\"quickest\":\(nanoseconds[0]),\"median\":\(nanoseconds[rounds / 2])}")
    }

    /// The number of sentences decoded; a sum over what they hold keeps the optimiser from dropping the work.
    static func decode(_ feed: [UInt8], passes: Int) -> Int {
        var stream = SentenceStream()
        var decoded = 0
        for _ in 0..<passes {
            var start = 0
            while start < feed.count {
                let end = min(start + chunk, feed.count)
                stream.push(feed.span.bytes.extracting(start..<end)) { _, sentence in
                    if case .unknown = sentence { return }
                    decoded += 1
                }
                start = end
            }
        }
        return decoded
    }

    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    static func contents(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    static func fail(_ reason: String) -> Never {
        var line = reason + "\n"
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(1)
    }
}
