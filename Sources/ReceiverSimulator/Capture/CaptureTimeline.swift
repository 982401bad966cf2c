import Chronology

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
    private var firstAddress: ArraySlice<UInt8> = []

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
        let sentence = TimedSentence(bytes[line])
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
    }

    private mutating func begin(_ sentence: TimedSentence) {
        firstAddress = sentence.address
        time = sentence.time ?? time
    }

    /// Returns the time from the current part to a sentence that begins a new part; nil if the
    /// sentence belongs to the current part.
    private func step(to sentence: TimedSentence) -> Instant.Span? {
        guard let new = sentence.time, let time else {
            return sentence.isTimedKind && sentence.time == nil && sentence.address == firstAddress ? .seconds(1) : nil
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
struct TimedSentence {
    /// The address field: the text between `$` and the first comma.
    var address: ArraySlice<UInt8> = []
    /// The time of day in milliseconds; nil if the sentence contains none or is damaged.
    var time: Int?
    /// Whether sentences of this type contain a time.
    var isTimedKind = false

    init(_ line: ArraySlice<UInt8>) {
        guard let dollar = line.lastIndex(of: UInt8(ascii: "$")), TimedSentence.hasValidChecksum(line[(dollar + 1)...])
        else {
            return
        }
        let fields = line[(dollar + 1)...].prefix { $0 != UInt8(ascii: "*") && $0 >= 32 }
            .split(separator: UInt8(ascii: ","), maxSplits: 7, omittingEmptySubsequences: false)
        guard let address = fields.first, let index = TimedSentence.timeFieldIndex(of: address) else { return }
        self.address = address
        isTimedKind = true
        if index < fields.count { time = TimedSentence.milliseconds(fields[index]) }
    }

    /// Returns the index of the time field for a sentence type; nil for a type without time.
    private static func timeFieldIndex(of address: ArraySlice<UInt8>) -> Int? {
        if address.elementsEqual("PUBX".utf8) { return 2 }
        // A proprietary address may end like a standard one: PGRMC is not an RMC sentence.
        guard address.count == 5, address.first != UInt8(ascii: "P") || address.starts(with: "PQ".utf8) else {
            return nil
        }
        switch String(decoding: address.suffix(3), as: UTF8.self) {
        case "GGA", "RMC", "GNS", "GST", "GBS", "ZDA": return 1
        case "GLL": return 5
        default: return nil
        }
    }

    /// Returns whether the checksum is correct; true for a sentence without one.
    private static func hasValidChecksum(_ body: ArraySlice<UInt8>) -> Bool {
        guard let star = body.firstIndex(of: UInt8(ascii: "*")) else { return true }
        let checksum = UInt8(String(decoding: body[(star + 1)...].prefix(2), as: UTF8.self), radix: 16)
        return checksum == body[..<star].reduce(0, ^)
    }

    /// Parses `hhmmss` with up to three significant decimals; nil if the field has another format.
    private static func milliseconds(_ field: ArraySlice<UInt8>) -> Int? {
        let digits = Array(field)
        guard digits.count >= 6, digits[..<6].allSatisfy({ (48...57).contains($0) }) else { return nil }
        func pair(_ index: Int) -> Int { Int(digits[index] - 48) * 10 + Int(digits[index + 1] - 48) }
        guard pair(0) < 24, pair(2) < 60, pair(4) <= 60 else { return nil }
        var fraction = 0
        for index in 7..<10 {
            let digit = index < digits.count && (48...57).contains(digits[index]) ? Int(digits[index] - 48) : 0
            fraction = fraction * 10 + digit
        }
        return ((pair(0) * 60 + pair(2)) * 60 + pair(4)) * 1000
            + (digits.count > 6 && digits[6] == UInt8(ascii: ".") ? fraction : 0)
    }
}
