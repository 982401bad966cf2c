import Chronology

/// Recognises the binary protocol of a receiver by two whole frames within 3 s that cover more than
/// half of the bytes from the first one on.
///
/// Between the first and the last frame there must be 0.9 s. A receiver that sends both a binary
/// protocol and NMEA has sent its sentences by then.
///
/// One frame alone is no proof. In random bytes at 115,200 baud, TSIP has a false one every six
/// hours, Garmin every four days, and each other protocol every two months or more rarely. The
/// probability of two side by side is at most 2^-56 at each byte, which is once in 200,000 years. A
/// line at a wrong baud rate is not random, therefore both.
///
/// A value with bounded memory: at most one frame of the maximum length and 32 possible starts.
package struct BinaryRecognizer: Sendable {
    /// The time in which frames count together.
    package static let window = Instant.Span.seconds(3)
    /// The number of frames needed.
    static let needed = 2
    /// The time between them: most of the period of a receiver.
    static let minSpan = Instant.Span.milliseconds(900)
    /// The bytes that wait for the rest of a frame are fewer.
    package static let maxHeldBytes = FrameFormat.maxLength
    /// The maximum number of possible starts of a frame. It bounds the work per byte.
    private static let maxCandidates = 32

    /// A position at which a frame may begin.
    private struct Candidate: Sendable {
        var format: Int
        var start: Int
        /// The position at which it is examined again.
        var due: Int
    }

    /// The frames of one protocol in the current window.
    private struct Tally: Sendable {
        var frames = 0
        var bytes = 0
    }

    /// The recognised protocol; nil until then.
    package private(set) var family: BinaryProtocol?
    /// The number of frames since the start.
    package private(set) var frames = 0
    /// The number of bytes since the start.
    private var position = 0
    /// The bytes from the first candidate on.
    private var held: [UInt8] = []
    private var candidates: [Candidate] = []
    private var framer = DLEFramer()
    /// When the first frame of the window ended, and the position of its first byte.
    private var windowStart: (instant: Instant, position: Int)?
    private var tallies: [BinaryProtocol: Tally] = [:]

    /// Creates a recogniser at the start of a stream.
    package init() {}

    /// The number of bytes that wait for the rest of a frame.
    package var heldBytes: Int { held.count }

    /// Processes a chunk of any size and calls `onFrame` for each whole frame but those that end
    /// with DLE ETX.
    package mutating func push(_ chunk: RawSpan, at now: Instant, onFrame: (BinaryFrame) -> Void = { _ in }) {
        if let start = windowStart, now - start.instant > BinaryRecognizer.window {
            windowStart = nil
            tallies = [:]
        }
        chunk.withUnsafeBytes { bytes in
            for byte in bytes { push(byte, at: now, onFrame: onFrame) }
        }
        let unneeded = candidates.map(\.start).min().map { $0 - (position - held.count) } ?? held.count
        held.removeFirst(unneeded)
    }

    private mutating func push(_ byte: UInt8, at now: Instant, onFrame: (BinaryFrame) -> Void) {
        held.append(byte)
        position += 1
        if FrameFormat.mayBegin[Int(byte)] { addCandidates(byte) }
        if let frame = framer.push(byte) { count(frame.family, frame.length, at: now) }
        if !candidates.isEmpty, candidates.contains(where: { $0.due == position }) {
            examineCandidates(at: now, onFrame: onFrame)
        }
    }

    private mutating func addCandidates(_ byte: UInt8) {
        for (index, format) in FrameFormat.all.enumerated()
        where format.first[0] == byte && candidates.count < BinaryRecognizer.maxCandidates {
            candidates.append(Candidate(format: index, start: position - 1, due: position + 1))
        }
    }

    private mutating func examineCandidates(at now: Instant, onFrame: (BinaryFrame) -> Void) {
        var found: BinaryFrame?
        candidates = candidates.compactMap { candidate in
            guard candidate.due == position, found == nil else { return candidate }
            let format = FrameFormat.all[candidate.format]
            let bytes = held[(held.count - (position - candidate.start))...]
            switch format.progress(of: bytes) {
            case .invalid: return nil
            case .incomplete(let needed):
                return Candidate(format: candidate.format, start: candidate.start, due: candidate.start + needed)
            case .frame(let length):
                found = BinaryFrame(family: format.family, bytes: Array(bytes.prefix(length)))
                return nil
            }
        }
        guard let found else { return }
        // Nothing before the end of a frame begins another one.
        candidates.removeAll()
        count(found.family, found.bytes.count, at: now)
        onFrame(found)
    }

    private mutating func count(_ family: BinaryProtocol, _ length: Int, at now: Instant) {
        frames += 1
        let start = windowStart ?? (now, position - length)
        windowStart = start
        var tally = tallies[family] ?? Tally()
        tally.frames += 1
        tally.bytes += length
        tallies[family] = tally
        guard self.family == nil, tally.frames >= BinaryRecognizer.needed, tally.bytes * 2 > position - start.position,
            now - start.instant >= BinaryRecognizer.minSpan
        else { return }
        self.family = family
    }
}
