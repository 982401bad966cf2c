import Chronology
import Locator
import NMEA

/// Fuzzes the core: bodies, one per line, with pauses between them.
///
/// A line that begins with a byte of 0x80 or more follows a pause of n x n milliseconds, where n is
/// the low seven bits of the byte (0 to 16 s). 0xFF closes and opens the port. All other lines
/// arrive in one chunk with the lines before them.
enum EpochsTarget {
    static func run(_ input: UnsafeRawBufferPointer) {
        var digest = Digest()
        digest.put(input.bytes)
        // Half of the inputs are also counted independently; the others are processed a second time
        // in chunks.
        let isCounted = digest.value & 1 == 0
        var whole = Receiver(digest, isCounted: isCounted)
        forEachBurst(in: input) { pause, bytes in
            whole.wait(pause)
            whole.receive(bytes.span.bytes)
        }
        whole.finish()

        guard !isCounted else { return }
        var cut = Receiver(digest, isCounted: false)
        var cuts = Cuts(digest)
        forEachBurst(in: input) { pause, bytes in
            cut.wait(pause)
            cuts.forEachChunk(of: bytes.count) { cut.receive(bytes.span.bytes.extracting($0)) }
        }
        cut.finish()
        Invariant.check(cut.fixes == whole.fixes, "fixes do not depend on cuts: \(cut.fixes), not \(whole.fixes)")
    }

    /// An action between two bursts.
    enum Pause {
        case milliseconds(Int64)
        case reopening

        init(_ byte: UInt8) {
            let step = Int64(byte & 0x7F)
            self = byte == 0xFF ? .reopening : .milliseconds(step * step)
        }
    }

    /// Passes each burst and the pause before it to a closure.
    private static func forEachBurst(
        in input: UnsafeRawBufferPointer, _ handle: (Pause, [UInt8]) -> Void
    ) {
        var burst: [UInt8] = []
        burst.reserveCapacity(input.count * 2 + 16)
        var pause = Pause.milliseconds(0)
        SentenceBodies.forEach(in: input) { line in
            var body = line
            if let first = line.first, first >= 0x80 {
                if !burst.isEmpty { handle(pause, burst) }
                burst.removeAll(keepingCapacity: true)
                pause = Pause(first)
                body = UnsafeRawBufferPointer(rebasing: line[1...])
            }
            SentenceBodies.append(body, to: &burst)
        }
        handle(pause, burst)
    }
}
