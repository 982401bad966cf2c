import Chronology
import NMEA
import Positioning

/// An epoch that has ended.
struct ClosedEpoch: Sendable {
    /// The fix of the epoch, with or without a position.
    let fix: Fix
    /// Whether the fix was published before the epoch ended.
    let isPublished: Bool
    /// How its burst was read.
    let burst: BurstReading

    /// Returns how much older the fix is than the newest one from the same read, 0 to 10 s.
    func age(before newest: UTCTime?) -> Instant.Span {
        guard let newest, let time = fix.time else { return .zero }
        return max(.zero, min(newest.span(since: time), .seconds(10)))
    }
}

/// Converts the sentences of one receiver to fixes and keeps what it learns about the receiver.
/// Performs no I/O.
struct EpochPipeline: Sendable {
    /// The maximum number of text messages kept from the receiver.
    static let maxTexts = 12
    /// The time without an epoch after which the next one is the first of a receiver that was
    /// woken.
    private static let pause = Instant.Span.seconds(3)

    private var assembler = EpochAssembler()
    private var sky = SkyAssembler()
    private var fixBuilder = FixBuilder()
    private var earlyFixDetector = EarlyFixDetector()
    private(set) var epochs = 0
    private(set) var fixes = 0
    /// The last epoch with a position, and the instant it ended.
    private(set) var lastFix: (fix: Fix, at: Instant)?
    /// The instant at which the last epoch with a position ended.
    var lastFixAt: Instant? { lastFix?.at }
    /// The fix of the last epoch, with or without a position.
    private(set) var lastEpoch: Fix?
    /// The instant at which the last epoch ended.
    private var lastEpochEnd: Instant?
    /// When the burst of the open epoch began; see ``BurstReading/start``.
    private var burstStart: Instant?
    private var lastBurstStart: Instant?
    private(set) var antenna: TXT.Antenna?
    private(set) var texts: [String] = []
    /// Whether messages of AIS arrived.
    private(set) var hasAIS = false
    /// The identity of the receiver, from the sentences it sent.
    private(set) var identity = ReceiverIdentity()
    /// The headings that the receiver reported.
    private(set) var headings = HeadingReports()

    init(_ calendar: GNSSCalendar) {
        fixBuilder.calendar = calendar
    }

    /// The values that were not used, and how many of them before the port was last closed.
    var contradicted: ContradictedValues { earlierContradicted + fixBuilder.contradicted }
    private var earlierContradicted = ContradictedValues()

    /// Milliseconds between epochs; nil before the second one.
    private(set) var period: Int?
    var deadline: Instant? { assembler.deadline }
    var isClockFrozen: Bool { assembler.isClockFrozen }

    /// Whether the receiver announced itself as simulated, or reports simulator mode now.
    var isSimulated: Bool { fixBuilder.isSimulated || lastEpoch?.isSimulated ?? false }

    func skyView(at now: Instant) -> SkyView { sky.view(at: now) }

    /// Records that bytes arrived, complete sentences or not. Emits an epoch that the idle line
    /// before them ended.
    ///
    /// - Parameter start: When the first byte of their burst arrived.
    mutating func recordBytes(at now: Instant, burstStart start: Instant?, emit: (ClosedEpoch) -> Void) {
        if let epoch = assembler.recordActivity(at: now) { emit(finish(epoch)) }
        // Only the first epoch of a burst began with it.
        if start == nil || start != lastBurstStart { burstStart = start }
        lastBurstStart = start
    }

    /// Processes one sentence and emits each epoch that it ends.
    mutating func process(_ sentence: Sentence, from address: Address, at now: Instant, emit: (ClosedEpoch) -> Void) {
        if let epoch = assembler.close(before: sentence, from: address, at: now) { emit(finish(epoch)) }
        record(sentence, from: address, at: now)
        if let epoch = assembler.add(sentence, from: address, at: now) { emit(finish(epoch)) }
    }

    /// Advances to `now`. Returns an epoch that the idle line ended.
    mutating func tick(at now: Instant) -> ClosedEpoch? {
        assembler.tick(at: now).map { finish($0) }
    }

    /// Ends the open epoch, because no more input follows.
    mutating func finish(at now: Instant) -> ClosedEpoch? {
        assembler.finish(at: now).map { finish($0) }
    }

    /// Returns the fix of the open epoch so far, or nil if no epoch is open or the fix was
    /// already published. Requires a call of ``earlyFix(at:)`` after each read.
    func provisionalFix(at now: Instant) -> Fix? {
        earlyFixDetector.isFinal ? nil : earlyFixDetector.provisionalFix ?? currentFix(at: now)
    }

    /// Returns the fix that would result if the open epoch ended now, or nil if none is open.
    /// Changes no state.
    private func currentFix(at now: Instant) -> Fix? {
        guard let epoch = assembler.unfinished(at: now) else { return nil }
        var fixBuilder = fixBuilder
        return fixBuilder.build(epoch, sky: sky)
    }

    /// Returns the fix of the open epoch once no further sentence is expected to change it. Returns
    /// it only once per epoch. Call this after each read if streams need low latency.
    mutating func earlyFix(at now: Instant) -> Fix? {
        guard let latest = assembler.latest else { return nil }
        guard !earlyFixDetector.isFinal else {
            earlyFixDetector.recordTrailing(latest)
            return nil
        }
        guard let fix = currentFix(at: now), earlyFixDetector.record(fix, after: latest) else { return nil }
        lastEpoch = fix
        lastFix = (fix, now)
        return fix
    }

    /// Resets the pipeline after the port was closed. Another receiver may be connected next, so
    /// this discards the open epoch, the learned sentence order, the satellites, the date and the
    /// identity. The counts are kept.
    mutating func restart(_ calendar: GNSSCalendar) {
        earlierContradicted = contradicted
        fixBuilder = FixBuilder()
        fixBuilder.calendar = calendar
        assembler = EpochAssembler()
        period = nil
        sky = SkyAssembler()
        earlyFixDetector = EarlyFixDetector()
        lastFix = nil
        lastEpoch = nil
        lastEpochEnd = nil
        antenna = nil
        texts = []
        hasAIS = false
        identity = ReceiverIdentity()
        headings = HeadingReports()
    }

    /// Forgets the last fixes. The open epoch continues.
    mutating func forgetPosition() {
        lastFix = nil
        guard let last = lastEpoch else { return }
        var rest = Fix()
        rest.time = last.time
        rest.isSimulated = last.isSimulated
        lastEpoch = rest
    }

    private mutating func finish(_ epoch: Epoch) -> ClosedEpoch {
        let fix = fixBuilder.build(epoch, sky: sky)
        sky.closeEpoch(hadGSA: epoch.hasSatelliteList, hasFix: fix.coordinate != nil)
        epochs += 1
        period = assembler.period
        lastEpoch = fix
        var burst = burst(of: fix, at: epoch.closed)
        // The next burst may begin before this epoch is closed.
        if let start = burstStart, start > epoch.opened { burst.start = nil } else { burstStart = nil }
        lastEpochEnd = epoch.closed
        headings.record(variationOfRMC: epoch.magneticVariation, at: epoch.closed)
        if fix.coordinate != nil {
            fixes += 1
            lastFix = (fix, epoch.closed)
        }
        let isPublished = earlyFixDetector.endEpoch(fix, last: epoch.last)
        return ClosedEpoch(fix: fix, isPublished: isPublished, burst: burst)
    }

    /// Returns how the burst of the open epoch was read so far.
    func burst(of fix: Fix, at now: Instant) -> BurstReading {
        BurstReading(mayBePartial: mayBePartial(fix, at: now), start: burstStart)
    }

    /// Returns whether the beginning of the burst with this fix may be missing. After the port was
    /// opened or the receiver was woken, reading begins at any sentence. A burst that contains
    /// altitude and date is complete enough.
    private func mayBePartial(_ fix: Fix, at now: Instant) -> Bool {
        guard fix.time == nil || fix.altitude == nil && fix.ellipsoidalAltitude == nil else { return false }
        return lastEpochEnd.map { now - $0 > EpochPipeline.pause } ?? true
    }

    private mutating func record(_ sentence: Sentence, from address: Address, at now: Instant) {
        switch sentence {
        case .gsv(let gsv): sky.add(gsv, from: address, at: now)
        case .gsa(let gsa): sky.add(gsa, from: address)
        case .txt(let txt): record(txt)
        case .proprietary(let proprietary): record(proprietary, at: now)
        case .hdt, .ths, .hdg, .hdm, .vhw, .hpr: headings.record(sentence, at: now)
        case .dtm(let dtm): if dtm.isWGS84 != nil { fixBuilder.datum = ForeignDatum(dtm) }
        case .unknown: if address.isAIS { hasAIS = true }
        default: break
        }
    }

    private mutating func record(_ sentence: Proprietary, at now: Instant) {
        switch sentence {
        case .pubx03(let part): sky.add(part, at: now)
        case .pstmantenna(let value): antenna = value.antenna ?? antenna
        case .pashrAttitude, .psathpr, .ptnlavr, .psti036, .pqtmtar, .pssnhrp, .ksxt,
            .uniheadinga:
            headings.record(.proprietary(sentence), at: now)
        case .pgrmm(let value): fixBuilder.datum = ForeignDatum(value)
        default: identity.update(from: sentence)
        }
    }

    private mutating func record(_ txt: TXT) {
        antenna = txt.antenna ?? antenna
        if txt.announcesSimulation { return fixBuilder.isSimulated = true }
        let text = txt.text.string
        guard !text.isEmpty, !texts.contains(text) else { return }
        identity.update(fromText: text)
        texts.append(text)
        if texts.count > EpochPipeline.maxTexts { texts.removeFirst() }
    }
}
