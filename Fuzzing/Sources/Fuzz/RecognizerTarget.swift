import Chronology
import Receivers

/// Fuzzes the recognition of lines without NMEA: frames and names must not depend on the sizes of
/// the reads, and memory is limited.
enum RecognizerTarget {
    static func run(_ input: UnsafeRawBufferPointer) {
        var whole = Recognized()
        whole.push(input.bytes)
        whole.push(input.bytes, at: .zero + .seconds(1))

        var digest = Digest()
        digest.put(input.bytes)
        var cuts = Cuts(digest)
        var cut = Recognized()
        cuts.forEachChunk(of: input.count) { cut.push(input.bytes.extracting($0)) }
        cuts.forEachChunk(of: input.count) { cut.push(input.bytes.extracting($0), at: .zero + .seconds(1)) }
        Invariant.check(cut.frames == whole.frames, "frames do not depend on cuts")
        Invariant.check(
            cut.line.finding == whole.line.finding, "the finding does not depend on cuts: \(String(describing: cut))")
        if whole.binary.family != nil {
            Invariant.check(whole.binary.frames > 1, "a protocol needs two frames")
        }
    }

    private struct Recognized {
        var line = LineRecognizer(baudRate: 9600)
        var binary = BinaryRecognizer()
        var frames = Digest()

        mutating func push(_ chunk: RawSpan, at now: Instant = .zero) {
            var frames = frames
            line.push(chunk, at: now) { frame in frames.put(frame.bytes.span.bytes) }
            binary.push(chunk, at: now)
            self.frames = frames
            Invariant.check(
                binary.heldBytes < BinaryRecognizer.maxHeldBytes, "\(binary.heldBytes) bytes wait for a frame")
            Invariant.check(binary.frames == line.frames && binary.family == line.family, "both recognise the same")
        }
    }
}
