import Chronology
import NMEA
import Positioning

/// An epoch that is over.
struct ClosedEpoch: Sendable {
    /// Its one fix, with or without a position.
    let fix: Fix
    /// Whether it was settled, and told, before.
    let isTold: Bool
}

/// Sentences in, fixes out: the pure middle of one receiver's road, and what it has learned on the way.
struct EpochPipeline: Sendable {
    /// Texts kept of what the receiver says of itself.
    static let mostTexts = 12

    private var assembler = EpochAssembler()
    private var sky = SkyAssembler()
    private var maker = FixMaker()
    private var settled = SettledFix()
    private(set) var epochs = 0
    private(set) var fixes = 0
    /// The last epoch with a position, and when it ended.
    private(set) var lastFix: (fix: Fix, at: Instant)?
    /// When it ended.
    var lastFixAt: Instant? { lastFix?.at }
    /// The last epoch.
    private(set) var lastEpoch: Fix?
    private(set) var antenna: TXT.Antenna?
    private(set) var texts: [String] = []
    /// What it is, as far as it has told.
    private(set) var identity = ReceiverIdentity()

    init(_ calendar: Calendar) {
        maker.calendar = calendar
    }

    var period: Int? { assembler.period }
    var deadline: Instant? { assembler.deadline }
    var clockStandsStill: Bool { assembler.clockStandsStill }

    func skyView(at now: Instant) -> SkyView { sky.view(at: now) }

    /// Bytes have come, whatever is in them.
    mutating func heard(at now: Instant, _ emit: (ClosedEpoch) -> Void) {
        if let epoch = assembler.heard(at: now) { emit(finish(epoch)) }
    }

    /// Takes one sentence in.
    mutating func take(_ address: Address, _ sentence: Sentence, at now: Instant, _ emit: (ClosedEpoch) -> Void) {
        if let epoch = assembler.close(before: address, sentence, at: now) { emit(finish(epoch)) }
        note(address, sentence, at: now)
        if let epoch = assembler.take(address, sentence, at: now) { emit(finish(epoch)) }
    }

    /// Lets time pass; silence may have ended an epoch.
    mutating func tick(at now: Instant) -> ClosedEpoch? {
        assembler.tick(at: now).map { finish($0) }
    }

    /// The input has ended for good.
    mutating func drain(at now: Instant) -> ClosedEpoch? {
        assembler.finish(at: now).map { finish($0) }
    }

    /// The fix of the open epoch as it stands; nil while none is open, or it is settled. Known where ``settledFix(at:)`` is asked after each read.
    func expected(at now: Instant) -> Fix? { settled.isFound ? nil : settled.expected ?? present(at: now) }

    /// The fix that would be made were the open epoch over now; nil while none is open. Nothing is learned from it.
    private func present(at now: Instant) -> Fix? {
        guard let epoch = assembler.unfinished(at: now) else { return nil }
        var maker = maker
        return maker.make(epoch, sky)
    }

    /// The fix of the open epoch, as soon as nothing is expected to change it; once. To be asked after each read by those in a hurry.
    mutating func settledFix(at now: Instant) -> Fix? {
        guard let latest = assembler.latest else { return nil }
        guard !settled.isFound else {
            settled.passed(latest)
            return nil
        }
        guard let fix = present(at: now), settled.saw(fix, after: latest) else { return nil }
        lastEpoch = fix
        lastFix = (fix, now)
        return fix
    }

    /// The port was closed: half an epoch, a learned order, the sky, the date and what the receiver said of itself do not outlive it, for
    /// another may come in its place; the counts do.
    mutating func restart(_ calendar: Calendar) {
        maker = FixMaker()
        maker.calendar = calendar
        assembler = EpochAssembler()
        sky = SkyAssembler()
        settled = SettledFix()
        (lastFix, lastEpoch, antenna) = (nil, nil, nil)
        (texts, identity) = ([], ReceiverIdentity())
    }

    private mutating func finish(_ epoch: Epoch) -> ClosedEpoch {
        let fix = maker.make(epoch, sky)
        sky.closeEpoch(hadGSA: epoch.hasSatelliteList, hasFix: fix.coordinate != nil)
        epochs += 1
        lastEpoch = fix
        if fix.coordinate != nil {
            fixes += 1
            lastFix = (fix, epoch.closed)
        }
        return ClosedEpoch(fix: fix, isTold: settled.close(fix, last: epoch.last))
    }

    private mutating func note(_ address: Address, _ sentence: Sentence, at now: Instant) {
        switch sentence {
        case .gsv(let gsv): sky.take(gsv, address, at: now)
        case .gsa(let gsa): sky.take(gsa, address)
        case .txt(let txt): note(txt)
        case .proprietary(let own): note(own, at: now)
        default: break
        }
    }

    private mutating func note(_ sentence: Proprietary, at now: Instant) {
        switch sentence {
        case .pubx03(let part): sky.take(part, at: now)
        case .pstmantenna(let value): antenna = value.antenna ?? antenna
        default: identity.learn(sentence)
        }
    }

    private mutating func note(_ txt: TXT) {
        antenna = txt.antenna ?? antenna
        let text = txt.text.string
        guard !text.isEmpty, !texts.contains(text) else { return }
        identity.learn(text: text)
        texts.append(text)
        if texts.count > EpochPipeline.mostTexts { texts.removeFirst() }
    }
}
