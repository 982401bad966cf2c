import Chronology
import NMEA
import Positioning

/// When each part of a capture is due, derived from the times in its sentences.
///
/// A part contains the lines of one epoch. It ends before a sentence with a later time. In a stream
/// without times, it ends where its first sentence type repeats. Header lines, which begin with
/// `#`, are left out; all other bytes are kept unchanged.
package struct CaptureTimeline: Sendable, Equatable {
    /// A part of the capture.
    package struct Part: Sendable, Equatable {
        /// The byte range of the part in the capture.
        package var range: Range<Int>
        /// When the part is due, relative to the first part.
        package var due: Instant.Span
    }

    /// The parts, in order.
    package private(set) var parts: [Part] = []
    private var time: Int?
    /// The first sentence of the current part that reports the time of an epoch.
    private var first: SentenceTag?

    /// Splits a capture into parts.
    package init(_ bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 10).map { $0 + 1 } ?? bytes.count
            appendLine(start..<end, of: bytes)
            start = end
        }
    }

    /// The time from the first part to the last, plus one period.
    package var duration: Instant.Span {
        guard let last = parts.last else { return .zero }
        return last.due
            + (parts.count > 1 ? max(last.due - parts[parts.count - 2].due, .milliseconds(20)) : .seconds(1))
    }

    private mutating func appendLine(_ line: Range<Int>, of bytes: [UInt8]) {
        guard bytes[line.lowerBound] != UInt8(ascii: "#") else { return }
        let sentence = TimedSentence(bytes[line], isTimed: time != nil)
        guard let last = parts.last else {
            parts.append(Part(range: line, due: .zero))
            begin(sentence)
            return
        }
        if let step = step(to: sentence) {
            parts.append(Part(range: line, due: last.due + step))
            begin(sentence)
        } else if last.range.upperBound == line.lowerBound,
            last.range.count + line.count <= CaptureTimeline.maxPart
        {
            parts[parts.count - 1].range = last.range.lowerBound..<line.upperBound
        } else {
            parts.append(Part(range: line, due: last.due))
        }
        if time == nil { time = sentence.time }
        if first == nil { first = sentence.tag }
    }

    private mutating func begin(_ sentence: TimedSentence) {
        first = sentence.tag
        time = sentence.time ?? time
    }

    /// Returns the time from the current part to a sentence that begins a new part; nil if the
    /// sentence belongs to the current part.
    private func step(to sentence: TimedSentence) -> Instant.Span? {
        guard let new = sentence.time, let time else {
            return sentence.tag != nil && sentence.time == nil && sentence.tag == first ? .seconds(1) : nil
        }
        var difference = (new - time) % 86_400_000
        if difference > 43_200_000 { difference -= 86_400_000 }
        if difference < -43_200_000 { difference += 86_400_000 }
        // A time up to 10 s earlier is disorder within a burst; an even earlier time is another
        // recording.
        if difference <= 0 { return difference < -10_000 ? .seconds(1) : nil }
        return .milliseconds(Int64(difference))
    }

    /// Maximum size of a part in bytes. It divides a stream without any sentences.
    private static let maxPart = 8192
}

/// The timing information of a line.
private struct TimedSentence {
    /// The type of the sentence; nil if it does not report the time of an epoch, or is damaged.
    var tag: SentenceTag?
    /// The time of day in milliseconds; nil if the sentence contains none.
    var time: Int?

    /// Decodes the last sentence of a line.
    ///
    /// - Parameter isTimed: Whether an earlier sentence had a time. A maker's sentence that never
    ///   has one then starts no part.
    init(_ line: ArraySlice<UInt8>, isTimed: Bool) {
        guard let dollar = line.lastIndex(of: UInt8(ascii: "$")) else { return }
        let body = line[(dollar + 1)...].prefix { $0 != UInt8(ascii: "*") && $0 >= 32 }
        guard body.count <= Framer.maxLine, TimedSentence.isIntact(body, end: line[body.endIndex...]) else { return }
        let (address, sentence) = Sentence.decode(body.span.bytes)
        switch sentence.epochRole {
        case .core(nil):
            if isTimed, case .proprietary = sentence { return }
        case .core, .errors, .clock: break
        case .untimed, nil: return
        }
        tag = SentenceTag(sentence, from: address)
        time = sentence.epochRole?.time?.milliseconds
    }

    /// Returns whether the checksum after a body is correct; true if there is none.
    private static func isIntact(_ body: ArraySlice<UInt8>, end: ArraySlice<UInt8>) -> Bool {
        guard end.first == UInt8(ascii: "*") else { return true }
        return UInt8(String(decoding: end.dropFirst().prefix(2), as: UTF8.self), radix: 16)
            == Checksum.of(body.span.bytes)
    }
}
