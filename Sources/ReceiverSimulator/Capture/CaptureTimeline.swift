import Chronology

/// When each part of a capture is due, told by the times inside its own sentences.
///
/// A part is the lines of one epoch: it ends where a timed sentence states a later time, or, in a stream without times, where the
/// sentence it began with comes again. Lines that begin with `#` are headers and are left out; all else is kept byte for byte.
public struct CaptureTimeline: Sendable, Equatable {
    /// A part of the capture.
    public struct Cue: Sendable, Equatable {
        /// Where its bytes lie in the capture.
        public var range: Range<Int>
        /// When it is due, since the first part.
        public var due: Instant.Span
    }

    /// The parts, in order.
    public private(set) var cues: [Cue] = []
    private var time: Int?
    private var opener: ArraySlice<UInt8> = []

    /// Finds the parts of a capture.
    public init(_ bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 10).map { $0 + 1 } ?? bytes.count
            take(bytes, start..<end)
            start = end
        }
    }

    /// The length from the first part to the last, and one period more.
    public var duration: Instant.Span {
        guard let last = cues.last else { return .zero }
        return last.due + (cues.count > 1 ? max(last.due - cues[cues.count - 2].due, .milliseconds(20)) : .seconds(1))
    }

    private mutating func take(_ bytes: [UInt8], _ line: Range<Int>) {
        guard bytes[line.lowerBound] != UInt8(ascii: "#") else { return }
        let sentence = TimedSentence(bytes[line])
        guard let last = cues.last else {
            cues.append(Cue(range: line, due: .zero))
            begin(sentence)
            return
        }
        if let step = step(to: sentence) {
            cues.append(Cue(range: line, due: last.due + step))
            begin(sentence)
        } else if last.range.upperBound == line.lowerBound, last.range.count + line.count <= CaptureTimeline.greatestPart {
            cues[cues.count - 1].range = last.range.lowerBound..<line.upperBound
        } else {
            cues.append(Cue(range: line, due: last.due))
        }
        if time == nil { time = sentence.time }
    }

    private mutating func begin(_ sentence: TimedSentence) {
        opener = sentence.address
        time = sentence.time ?? time
    }

    /// How long after the part at hand a sentence begins a new one; nil when it belongs to it.
    private func step(to sentence: TimedSentence) -> Instant.Span? {
        guard let new = sentence.time, let time else {
            return sentence.isTimedKind && sentence.time == nil && sentence.address == opener ? .seconds(1) : nil
        }
        var difference = (new - time) % 86_400_000
        if difference > 43_200_000 { difference -= 86_400_000 }
        if difference < -43_200_000 { difference += 86_400_000 }
        // A few seconds back is disorder within a burst; further back is another recording.
        if difference <= 0 { return difference < -10_000 ? .seconds(1) : nil }
        return .milliseconds(Int64(difference))
    }

    /// Bytes in a part, so that a stream without any sentence is still played in pieces.
    private static let greatestPart = 8192
}

/// A line as far as its timing goes.
struct TimedSentence {
    /// Between `$` and the first comma.
    var address: ArraySlice<UInt8> = []
    /// Milliseconds of the day, where the sentence states them and is not damaged.
    var time: Int?
    /// Whether sentences of this kind have a time.
    var isTimedKind = false

    init(_ line: ArraySlice<UInt8>) {
        guard let dollar = line.lastIndex(of: UInt8(ascii: "$")), TimedSentence.isIntact(line[(dollar + 1)...]) else { return }
        let fields = line[(dollar + 1)...].prefix { $0 != UInt8(ascii: "*") && $0 >= 32 }
            .split(separator: UInt8(ascii: ","), maxSplits: 7, omittingEmptySubsequences: false)
        guard let address = fields.first, let place = TimedSentence.timePlace(address) else { return }
        self.address = address
        isTimedKind = true
        if place < fields.count { time = TimedSentence.milliseconds(fields[place]) }
    }

    /// The field that holds the time, by the kind of the sentence; nil for a kind without.
    private static func timePlace(_ address: ArraySlice<UInt8>) -> Int? {
        if address.elementsEqual("PUBX".utf8) { return 2 }
        // A proprietary address may end like a standard one: PGRMC is no RMC.
        guard address.count == 5, address.first != UInt8(ascii: "P") || address.starts(with: "PQ".utf8) else { return nil }
        switch String(decoding: address.suffix(3), as: UTF8.self) {
        case "GGA", "RMC", "GNS", "GST", "GBS", "ZDA": return 1
        case "GLL": return 5
        default: return nil
        }
    }

    private static func isIntact(_ body: ArraySlice<UInt8>) -> Bool {
        guard let star = body.firstIndex(of: UInt8(ascii: "*")) else { return true }
        let stated = UInt8(String(decoding: body[(star + 1)...].prefix(2), as: UTF8.self), radix: 16)
        return stated == body[..<star].reduce(0, ^)
    }

    /// `hhmmss` with up to three decimals that count; nil when it is not that.
    private static func milliseconds(_ field: ArraySlice<UInt8>) -> Int? {
        let digits = Array(field)
        guard digits.count >= 6, digits[..<6].allSatisfy({ (48...57).contains($0) }) else { return nil }
        func pair(_ at: Int) -> Int { Int(digits[at] - 48) * 10 + Int(digits[at + 1] - 48) }
        guard pair(0) < 24, pair(2) < 60, pair(4) <= 60 else { return nil }
        var fraction = 0
        for place in 7..<10 {
            let digit = place < digits.count && (48...57).contains(digits[place]) ? Int(digits[place] - 48) : 0
            fraction = fraction * 10 + digit
        }
        return ((pair(0) * 60 + pair(2)) * 60 + pair(4)) * 1000 + (digits.count > 6 && digits[6] == UInt8(ascii: ".") ? fraction : 0)
    }
}
