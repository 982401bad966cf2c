import Chronology
import NMEA
import Positioning

/// Assigns each line of a capture the instant at which it would have arrived, from the times in its
/// sentences.
///
/// Lines of one epoch arrive together. A new time of day advances the clock by the difference. A
/// step back, or a step of more than one hour, counts as a restart and advances the clock by one
/// second. So does the repetition of an epoch without a time. A step back within a burst (Trimble)
/// does not advance the clock. Neither does a step back to the previous epoch with a sentence type
/// that the epoch lacked: that sentence was late. A sentence type that the epoch lacked also takes
/// no time if its time is earlier, or more than an hour later: it contradicts the burst. Nor does a
/// time that stands alone, because the next one continues from the time before it.
///
/// A sentence without a time arrives with the sentence before it. At the start of a burst it does
/// not, because an idle line separates the bursts. If a capture begins with such a sentence, and
/// not in the middle of a line, that sentence is assumed to start every burst.
struct CaptureClock {
    private static let maxStep = 3_600_000
    /// The number of bytes searched for the time of a burst from its start. The longest known
    /// bursts have 4,000 bytes.
    static let maxBurst = 8192

    private(set) var now = Instant.zero
    private var stream = SentenceStream()
    private var time: TimeOfDay?
    /// The core sentences that reported ``time``.
    private var reporters: Set<Address> = []
    /// The previous time, and the sentences that reported it.
    private var previous: (time: TimeOfDay, reporters: Set<Address>)?
    private var untimed: Set<Address> = []
    /// Milliseconds of the last step forward; 0 before the first.
    private var usualStep = 0
    private var isFirst = true
    /// The sentence without a time that starts each burst.
    private var burstStart: Address?

    /// Returns the arrival time of a line before the core receives it, reading the following bytes
    /// if necessary.
    mutating func arrival(of line: RawSpan, followedBy rest: ArraySlice<UInt8> = []) -> Instant {
        var timings: [SentenceTiming] = []
        stream.push(line) { address, sentence in timings.append(SentenceTiming(of: sentence, from: address)) }
        for timing in timings {
            if isFirst { (isFirst, burstStart) = (false, timing.canStartBurst && line.isWhole ? timing.address : nil) }
            if timing.isCore, !standsAlone(timing.time, before: rest) {
                advance(to: timing.time, reportedBy: timing.address)
            }
            if timing.canStartBurst, timing.address == burstStart, let next = nextTimed(in: rest),
                !standsAlone(next.time, before: rest)
            {
                advance(to: next.time, reportedBy: next.address)
            }
        }
        // A line that is cut short: the capture begins in the middle of a burst.
        if timings.isEmpty && line.byteCount > 2 { isFirst = false }
        return now
    }

    /// How a sentence affects the timeline.
    private struct SentenceTiming {
        var address: Address
        var time: TimeOfDay?
        var isCore = false
        let canStartBurst: Bool

        init(of sentence: Sentence, from address: Address) {
            self.address = address
            if case .core(let time) = sentence.epochRole { (self.time, isCore) = (time, true) }
            canStartBurst =
                switch sentence {
                case .vtg, .gsa: true
                case .gsv(let gsv): gsv.sentenceIndex == 1
                default: false
                }
        }
    }

    /// Returns whether a time does not follow from the present one, while the next one does.
    private func standsAlone(_ reported: TimeOfDay?, before rest: ArraySlice<UInt8>) -> Bool {
        guard let reported, let time else { return false }
        let step = EpochAssembler.step(from: time, to: reported)
        let limit = usualStep > 0 ? usualStep * 3 / 2 : EpochAssembler.maxDelay
        guard step > limit || step < -EpochAssembler.sameBurstTolerance,
            let next = nextTimed(in: rest, otherThan: reported), let nextTime = next.time
        else { return false }
        if nextTime == time { return !reporters.contains(next.address) }
        let nextStep = EpochAssembler.step(from: time, to: nextTime)
        let stepFromReported = EpochAssembler.step(from: reported, to: nextTime)
        return nextStep > 0 && nextStep <= 2 * limit && (stepFromReported < 0 || nextStep <= stepFromReported)
    }

    /// Returns the next core sentence with another time if it has a time.
    private func nextTimed(in rest: ArraySlice<UInt8>, otherThan time: TimeOfDay? = nil) -> SentenceTiming? {
        var stream = stream
        var found: SentenceTiming?
        var left = rest.prefix(CaptureClock.maxBurst)
        while found == nil, !left.isEmpty {
            let line = left.prefix(1 + (left.firstIndex(of: 10) ?? left.endIndex) - left.startIndex)
            left = left.dropFirst(line.count)
            stream.push(line.span.bytes) { address, sentence in
                let timing = SentenceTiming(of: sentence, from: address)
                if found == nil && timing.isCore && (time == nil || timing.time != time) { found = timing }
            }
        }
        return found?.time == nil ? nil : found
    }

    private mutating func advance(to reported: TimeOfDay?, reportedBy address: Address) {
        guard let reported else {
            if !untimed.insert(address).inserted {
                now = now + .seconds(1)
                untimed = [address]
            }
            return
        }
        untimed.removeAll()
        guard let time, time != reported else {
            self.time = reported
            reporters.insert(address)
            return
        }
        var delta = reported.milliseconds - time.milliseconds
        if delta < -Int(UTCTime.millisecondsPerDay) / 2 {
            delta += Int(UTCTime.millisecondsPerDay)
        } else if delta > Int(UTCTime.millisecondsPerDay) / 2 {
            delta -= Int(UTCTime.millisecondsPerDay)
        }
        if delta < 0 && delta >= -EpochAssembler.sameBurstTolerance { return }
        if let previous, reported == previous.time, !previous.reporters.contains(address) { return }
        if (delta < 0 || delta > CaptureClock.maxStep) && reporters.insert(address).inserted { return }
        previous = (time, reporters)
        (self.time, reporters) = (reported, [address])
        let isStep = delta > 0 && delta <= CaptureClock.maxStep
        if isStep { usualStep = delta }
        now = now + .milliseconds(isStep ? Int64(delta) : 1000)
    }
}

extension RawSpan {
    /// Whether the line begins with the start of a sentence.
    fileprivate var isWhole: Bool {
        byteCount > 0 && unsafeLoad(fromByteOffset: 0, as: UInt8.self) == UInt8(ascii: "$")
    }
}

/// The header lines of a capture that describe its origin: `# Name: value`, one per line.
public struct CaptureHeader: Sendable, Equatable {
    /// The keys and values in file order, unchanged.
    public private(set) var entries: [(key: String, value: String)] = []
    /// The length of the header in bytes.
    public private(set) var length = 0

    /// Reads the leading lines that begin with `#`.
    public init(_ bytes: some Collection<UInt8>) {
        var rest = bytes[...]
        while rest.first == UInt8(ascii: "#") {
            let line = rest.prefix { $0 != 10 && $0 != 13 }
            rest = rest.dropFirst(line.count).drop { $0 == 13 }
            if rest.first == 10 { rest = rest.dropFirst() }
            length = bytes.distance(from: bytes.startIndex, to: rest.startIndex)
            read(String(decoding: line.dropFirst(), as: UTF8.self))
        }
    }

    /// Returns the value of a key, ignoring letter case; nil if the key is absent.
    public subscript(key: String) -> String? {
        entries.first { $0.key.lowercased() == key.lowercased() }?.value
    }

    /// The recording date from `# Date:`. A date without a time means noon, so that every time of
    /// day is nearest to that day. Nil if the key is absent or not a date.
    public var date: UTCTime? {
        guard let value = self["Date"] else { return nil }
        return UTCTime(dayOrMoment: value) ?? UTCTime(dayOrMoment: String(value.prefix(10)))
    }

    private mutating func read(_ line: String) {
        guard let mark = line.firstIndex(where: { $0 == ":" || $0 == "=" }) else { return }
        let key = line[..<mark].trimmed
        let value = line[line.index(after: mark)...].trimmed
        if !key.isEmpty { entries.append((key, value)) }
    }

    /// Returns whether both headers hold the same entries in the same order.
    public static func == (a: CaptureHeader, b: CaptureHeader) -> Bool {
        a.length == b.length && a.entries.elementsEqual(b.entries) { $0.key == $1.key && $0.value == $1.value }
    }
}

extension UTCTime {
    /// Parses an RFC 3339 time, or a date without a time, which means noon.
    public init?(dayOrMoment text: String) {
        guard let moment = UTCTime(rfc3339: text) else { return nil }
        let isBare = !text.contains { $0 == "T" || $0 == "t" || $0 == " " }
        self = isBare ? UTCTime(milliseconds: moment.milliseconds + UTCTime.millisecondsPerDay / 2) : moment
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var text = self
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
