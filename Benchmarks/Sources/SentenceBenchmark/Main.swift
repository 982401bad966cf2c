import Glibc
import NMEA

/// `SentenceBenchmark FEED PASSES ROUNDS`: decodes every sentence of a file repeatedly.
///
/// `parse`: verifies the checksum and decodes the fields of a sentence that is already framed, as
/// in the figures of other parsers. `stream`: frames and decodes raw bytes in chunks as from a
/// port, with sentences that span two reads. Prints one JSON object with nanoseconds per sentence
/// of the fastest and the median round of `PASSES` passes each.
@main
enum Main {
    /// Bytes of one read: the size of the kernel's line buffer.
    static let chunk = 4096

    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let passes = Int(arguments[2]), let rounds = Int(arguments[3]), passes > 0,
            rounds > 0
        else {
            fail("usage: SentenceBenchmark FEED PASSES ROUNDS")
        }
        guard let feed = contents(of: arguments[1]), !feed.isEmpty else { fail("cannot read \(arguments[1])") }

        let sentences = stream(feed, passes: 1)
        guard sentences > 0 else { fail("\(arguments[1]) has no sentence") }
        let bodies = Bodies(feed)
        let parsed = measure(rounds: rounds) { bodies.parse(passes: passes) }
        let streamed = measure(rounds: rounds) { stream(feed, passes: passes) }
        print(
            "{\"sentences\":\(sentences),\"parse\":\(parsed.fastest),\"parse_median\":\(parsed.median),"
                + "\"stream\":\(streamed.fastest),\"stream_median\":\(streamed.median)}")
    }

    /// Nanoseconds per sentence of the fastest and the median round.
    static func measure(rounds: Int, _ work: () -> Int) -> (fastest: Double, median: Double) {
        var nanoseconds: [Double] = []
        for _ in 0..<rounds {
            let start = now()
            let count = work()
            nanoseconds.append(Double(now() - start) / Double(count))
        }
        nanoseconds.sort()
        return (nanoseconds[0], nanoseconds[rounds / 2])
    }

    /// Frames, verifies and decodes the feed; returns the number of sentences, so that the
    /// optimizer cannot remove the work.
    static func stream(_ feed: [UInt8], passes: Int) -> Int {
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
