import Chronology
import NMEA

/// Assigns each line of a capture the instant at which it would have arrived, from the times in its
/// sentences.
///
/// Lines of one epoch arrive together. A new time of day advances the clock by the difference. A
/// step back, or a step of more than one hour, counts as a restart and advances the clock by one
/// second. So does the repetition of an epoch without a time. A step back within a burst (Trimble)
/// does not advance the clock. Neither does a step back to the previous epoch with a sentence type
/// that the epoch lacked: that sentence was late.
///
/// A sentence without a time arrives with the sentence before it. At the start of a burst it does
/// not, because an idle line separates the bursts. If a capture begins with such a sentence, and
/// not in the middle of a line, that sentence is assumed to start every burst.
struct CaptureClock {
    private static let maxStep = 3_600_000
    /// The largest difference in milliseconds between times within one burst (Trimble R1 and R2).
    private static let sameBurst = 60
    /// The number of bytes searched for the time of a burst from its start. The longest known
    /// bursts have 4,000 bytes.
    private static let maxBurst = 8192

    private(set) var now = Instant.zero
    private var probe = SentenceStream()
    private var time: TimeOfDay?
    /// The core sentences that reported ``time``.
    private var stating: Set<Address> = []
    /// The previous time, and the sentences that reported it.
    private var before: (time: TimeOfDay, stating: Set<Address>)?
    private var untimed: Set<Address> = []
    private var isFirst = true
    /// The sentence without a time that starts each burst.
    private var head: Address?

    /// Returns the arrival time of a line before the core receives it, reading the following bytes
    /// if necessary.
    mutating func arrival(of line: RawSpan, followedBy rest: ArraySlice<UInt8> = []) -> Instant {
        var heard: [SentenceTiming] = []
        probe.push(line) { address, sentence in heard.append(SentenceTiming(address, sentence)) }
        for mention in heard {
            if isFirst { (isFirst, head) = (false, mention.canBeHead && line.isWhole ? mention.address : nil) }
            if mention.isCore { step(mention.address, mention.time) }
            if mention.canBeHead, mention.address == head, let next = nextTimed(in: rest) {
                step(next.address, next.time)
            }
        }
        // A line that is cut short: the capture begins in the middle of a burst.
        if heard.isEmpty && line.byteCount > 2 { isFirst = false }
        return now
    }

    /// The part that a sentence plays in the timeline.
    private struct SentenceTiming {
        var address: Address
        var time: TimeOfDay?
        var isCore = true
        var canBeHead = false

        init(_ address: Address, _ sentence: Sentence) {
            self.address = address
            switch sentence {
            case .gga(let gga): time = gga.time
            case .rmc(let rmc): time = rmc.time
            case .gll(let gll): time = gll.time
            case .gns(let gns): time = gns.time
            case .pubx00(let pubx): time = pubx.time
            case .proprietary(let own) where own.isCompleteSolution: time = own.time
            case .vtg, .gsa: (isCore, canBeHead) = (false, true)
            case .gsv(let gsv): (isCore, canBeHead) = (false, gsv.sentenceIndex == 1)
            default: isCore = false
            }
        }
    }

    /// Returns the next core sentence if it has a time.
    private func nextTimed(in rest: ArraySlice<UInt8>) -> SentenceTiming? {
        var scout = probe
        var found: SentenceTiming?
        var left = rest.prefix(CaptureClock.maxBurst)
        while found == nil, !left.isEmpty {
            let line = left.prefix(1 + (left.firstIndex(of: 10) ?? left.endIndex) - left.startIndex)
            left = left.dropFirst(line.count)
            scout.push(line.span.bytes) { address, sentence in
                let mention = SentenceTiming(address, sentence)
                if found == nil && mention.isCore { found = mention }
            }
        }
        return found?.time == nil ? nil : found
    }

    private mutating func step(_ address: Address, _ stated: TimeOfDay?) {
        guard let stated else {
            if !untimed.insert(address).inserted {
                now = now + .seconds(1)
                untimed = [address]
            }
            return
        }
        untimed.removeAll()
        guard let time, time != stated else {
            self.time = stated
            stating.insert(address)
            return
        }
        var delta = stated.milliseconds - time.milliseconds
        if delta < -Int(UTCTime.millisecondsPerDay) / 2 {
            delta += Int(UTCTime.millisecondsPerDay)
        } else if delta > Int(UTCTime.millisecondsPerDay) / 2 {
            delta -= Int(UTCTime.millisecondsPerDay)
        }
        if delta < 0 && delta >= -CaptureClock.sameBurst { return }
        if let before, stated == before.time, !before.stating.contains(address) { return }
        before = (time, stating)
        (self.time, stating) = (stated, [address])
        let isStep = delta > 0 && delta <= CaptureClock.maxStep
        now = now + .milliseconds(isStep ? Int64(delta) : 1000)
    }
}

extension RawSpan {
    /// Whether the line begins with the start of a sentence.
    fileprivate var isWhole: Bool {
        byteCount > 0 && unsafeLoad(fromByteOffset: 0, as: UInt8.self) == UInt8(ascii: "$")
    }
}
