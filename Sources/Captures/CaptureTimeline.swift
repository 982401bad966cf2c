import Chronology
import NMEA

/// Gives the lines of a capture the instants at which they would have arrived, by the times that its sentences state.
///
/// Lines of one epoch arrive together. A new time of day moves the clock on by the step it makes; a step back, or one of over an hour, is
/// taken for a restart and counts as one second, as does an untimed epoch that repeats. A step back within a burst, as Trimble's makes,
/// takes no time, nor does one to the epoch before with a sentence that it has not had: that came late.
///
/// What states no time arrives with what came before it, except at the head of a burst, which on a line a silence parts from the burst
/// before. A capture that opens with such a sentence, and not in the middle of a line, is taken to open with the head of its bursts.
struct CaptureTimeline {
    private static let longestStep = 3_600_000
    /// Milliseconds that the times of one burst may differ by (Trimble R1 and R2).
    private static let sameBurst = 60
    /// Bytes looked ahead from the head of a burst for its time: the longest bursts known have 4,000.
    private static let longestBurst = 8192

    private(set) var now = Instant.zero
    private var probe = SentenceStream()
    private var time: TimeOfDay?
    /// The core sentences that have stated it.
    private var stating: Set<Address> = []
    /// The time before, and those that stated it.
    private var before: (time: TimeOfDay, stating: Set<Address>)?
    private var untimed: Set<Address> = []
    private var isFirst = true
    /// The sentence without a time that each burst begins with.
    private var head: Address?

    /// Looks at a line before it is fed to the core, and at what follows it if need be; returns when it arrives.
    mutating func arrival(of line: RawSpan, followedBy rest: ArraySlice<UInt8> = []) -> Instant {
        var heard: [Mention] = []
        probe.push(line) { address, sentence in heard.append(Mention(address, sentence)) }
        for mention in heard {
            if isFirst { (isFirst, head) = (false, mention.canBeHead && line.isWhole ? mention.address : nil) }
            if mention.isCore { step(mention.address, mention.time) }
            if mention.canBeHead, mention.address == head, let next = nextTimed(in: rest) { step(next.address, next.time) }
        }
        // A line cut short: the capture opens in the middle of a burst.
        if heard.isEmpty && line.byteCount > 2 { isFirst = false }
        return now
    }

    /// What a sentence has to do with the time.
    private struct Mention {
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
            case .proprietary(let own) where own.isSolution: time = own.time
            case .vtg, .gsa: (isCore, canBeHead) = (false, true)
            case .gsv(let gsv): (isCore, canBeHead) = (false, gsv.index == 1)
            default: isCore = false
            }
        }
    }

    /// The first core sentence to come, if it states a time.
    private func nextTimed(in rest: ArraySlice<UInt8>) -> Mention? {
        var scout = probe
        var found: Mention?
        var left = rest.prefix(CaptureTimeline.longestBurst)
        while found == nil, !left.isEmpty {
            let line = left.prefix(1 + (left.firstIndex(of: 10) ?? left.endIndex) - left.startIndex)
            left = left.dropFirst(line.count)
            scout.push(line.span.bytes) { address, sentence in
                let mention = Mention(address, sentence)
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
        if delta < -Int(UTCTime.day) / 2 { delta += Int(UTCTime.day) } else if delta > Int(UTCTime.day) / 2 { delta -= Int(UTCTime.day) }
        if delta < 0 && delta >= -CaptureTimeline.sameBurst { return }
        if let before, stated == before.time, !before.stating.contains(address) { return }
        before = (time, stating)
        (self.time, stating) = (stated, [address])
        let isStep = delta > 0 && delta <= CaptureTimeline.longestStep
        now = now + .milliseconds(isStep ? Int64(delta) : 1000)
    }
}

extension RawSpan {
    /// Whether a line begins with its sentence.
    fileprivate var isWhole: Bool { byteCount > 0 && unsafeLoad(fromByteOffset: 0, as: UInt8.self) == UInt8(ascii: "$") }
}
