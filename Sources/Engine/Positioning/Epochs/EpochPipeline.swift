import Chronology
import NMEA

/// Converts the bytes of one receiver to fixes and keeps what it learns about the receiver.
/// Performs no I/O.
package struct EpochPipeline: Sendable {
    /// The maximum number of text messages kept from the receiver.
    static let maxTexts = 12
    /// The time without an epoch after which the next one is the first of a receiver that was
    /// woken.
    private static let pause = Instant.Span.seconds(3)

    /// The stream of sentences; nil while it passes one of them on to this value.
    private var stream: SentenceStream? = SentenceStream()
    private var assembler = EpochAssembler()
    private var sky = SkyAssembler()
    private var fixBuilder = FixBuilder()
    private var earlyFixDetector = EarlyFixDetector()
    package private(set) var epochs = 0
    package private(set) var fixes = 0
    /// The last epoch with a position, and the instant it ended.
    package private(set) var lastFix: (fix: Fix, at: Instant)?
    /// The instant at which the last epoch with a position ended.
    package var lastFixAt: Instant? { lastFix?.at }
    /// The fix of the last epoch, with or without a position.
    package private(set) var lastEpoch: Fix?
    private var lastEpochEnd: Instant?
    /// When the burst of the open epoch began; see ``EpochFix/burstStart``.
    private var burstStart: Instant?
    private var lastBurstStart: Instant?
    package private(set) var antenna: TXT.Antenna?
    package private(set) var texts: [String] = []
    /// Whether messages of AIS arrived.
    package private(set) var hasAIS = false
    /// The identity of the receiver, from the sentences it sent.
    package private(set) var identity = ReceiverIdentity()
    package private(set) var headings = HeadingReports()

    package init(_ calendar: GNSSCalendar) {
        fixBuilder.calendar = calendar
    }

    /// The values that were not used, and how many of them before the port was last closed.
    package var contradicted: ContradictedValues { earlierContradicted + fixBuilder.contradicted }
    private var earlierContradicted = ContradictedValues()

    /// Milliseconds between epochs; nil before the second one.
    package private(set) var period: Int?
    /// The counts of the bytes and lines so far, also before the port was last closed.
    package var counts: InputCounts { stream?.counts ?? InputCounts() }
    package var deadline: Instant? { assembler.deadline }
    package var isClockFrozen: Bool { assembler.isClockFrozen }

    /// Whether the receiver announced itself as simulated, or reports simulator mode now.
    package var isSimulated: Bool { fixBuilder.isSimulated || lastEpoch?.isSimulated ?? false }

    package func skyView(at now: Instant) -> SkyView { sky.view(at: now) }

    /// Processes bytes and appends each epoch that they or the idle line before them end to
    /// `epochs`, which is empty before.
    ///
    /// - Parameters:
    ///   - start: When the first byte of their burst arrived.
    ///   - onFrame: Receives the body of each accepted sentence. A proprietary one always had a
    ///     valid checksum.
    package mutating func receive(
        _ bytes: RawSpan, at now: Instant, burstStart start: Instant? = nil, onFrame: ((RawSpan) -> Void)? = nil,
        into epochs: inout [EpochFix]
    ) -> ReadSummary {
        if let epoch = assembler.recordActivity(at: now) { epochs.append(finish(epoch)) }
        // Only the first epoch of a burst began with it.
        if start == nil || start != lastBurstStart { burstStart = start }
        lastBurstStart = start
        guard var stream = stream.take() else { return ReadSummary() }
        // Counters of 64 bits never wrap.
        let before = stream.counts.sentences - stream.counts.malformed
        stream.push(bytes, onFrame: onFrame) { address, sentence in
            process(sentence, from: address, at: now, into: &epochs)
        }
        // Counting the calls would be wrong, because a long sentence arrives in several parts.
        let sentences = stream.counts.sentences - stream.counts.malformed - before
        self.stream = consume stream
        var summary = ReadSummary(sentences: sentences, closed: epochs.count)
        summary.isOpen = deadline != nil
        return summary
    }

    private mutating func process(
        _ sentence: Sentence, from address: Address, at now: Instant, into epochs: inout [EpochFix]
    ) {
        if let epoch = assembler.close(before: sentence, from: address, at: now) { epochs.append(finish(epoch)) }
        record(sentence, from: address, at: now)
        if let epoch = assembler.add(sentence, from: address, at: now) { epochs.append(finish(epoch)) }
    }

    /// Advances to `now`. Returns an epoch that the idle line ended.
    package mutating func tick(at now: Instant) -> EpochFix? {
        assembler.tick(at: now).map { finish($0) }
    }

    /// Ends the open epoch, because no more input follows.
    package mutating func finish(at now: Instant) -> EpochFix? {
        assembler.finish(at: now).map { finish($0) }
    }

    /// Returns the fix of the open epoch so far, or nil if no epoch is open or the fix was
    /// already published. Requires a call of ``earlyEpoch(at:)`` after each read.
    package func provisionalFix(at now: Instant) -> Fix? {
        earlyFixDetector.isFinal ? nil : earlyFixDetector.provisionalFix ?? currentFix(at: now)
    }

    /// Returns the fix that would result if the open epoch ended now, or nil if none is open.
    /// Changes no state.
    private func currentFix(at now: Instant) -> Fix? {
        guard let epoch = assembler.unfinished(at: now) else { return nil }
        var fixBuilder = fixBuilder
        return fixBuilder.build(epoch, sky: sky)
    }

    /// Returns the open epoch once no further sentence is expected to change its fix. Returns it
    /// only once. Call this after each read if streams need low latency.
    package mutating func earlyEpoch(at now: Instant) -> EpochFix? {
        guard let latest = assembler.latest else { return nil }
        guard !earlyFixDetector.isFinal else {
            earlyFixDetector.recordTrailing(latest)
            return nil
        }
        guard let fix = currentFix(at: now), earlyFixDetector.record(fix, after: latest) else { return nil }
        lastEpoch = fix
        lastFix = (fix, now)
        return EpochFix(fix: fix, mayBePartial: mayBePartial(fix, at: now), burstStart: burstStart)
    }

    /// Resets the pipeline after the port was closed. Another receiver may be connected next, so
    /// this discards the open epoch, the learned sentence order, the satellites, the date and the
    /// identity. The counts are kept.
    package mutating func restart(_ calendar: GNSSCalendar) {
        stream = stream?.reopened()
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
    package mutating func forgetPosition() {
        lastFix = nil
        guard let last = lastEpoch else { return }
        var rest = Fix()
        rest.time = last.time
        rest.isSimulated = last.isSimulated
        lastEpoch = rest
    }

    private mutating func finish(_ epoch: Epoch) -> EpochFix {
        let fix = fixBuilder.build(epoch, sky: sky)
        sky.closeEpoch(hadGSA: epoch.hasSatelliteList, hasFix: fix.coordinate != nil)
        epochs += 1
        period = assembler.period
        lastEpoch = fix
        var result = EpochFix(fix: fix, mayBePartial: mayBePartial(fix, at: epoch.closed))
        // The next burst may begin before this epoch is closed.
        if burstStart.map({ $0 <= epoch.opened }) ?? true { result.burstStart = burstStart.take() }
        lastEpochEnd = epoch.closed
        headings.record(variationOfRMC: epoch.magneticVariation, at: epoch.closed)
        if fix.coordinate != nil {
            fixes += 1
            lastFix = (fix, epoch.closed)
        }
        result.isPublished = earlyFixDetector.endEpoch(fix, last: epoch.last)
        return result
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

/// The result of one read, from which the caller learns the timing of the receiver's bursts.
public struct ReadSummary: Sendable, Hashable {
    /// The number of valid sentences.
    public var sentences = 0
    /// The number of epochs that ended, including those that the idle line before the read ended.
    public var closed = 0
    /// Whether an epoch is open.
    public var isOpen = false

    /// Creates a result without an open epoch.
    public init(sentences: Int = 0, closed: Int = 0) { (self.sentences, self.closed) = (sentences, closed) }
}

/// The fix of an epoch that has ended or of which no further sentence is expected, and how its
/// burst was read.
package struct EpochFix: Sendable {
    /// The fix of the epoch, with or without a position.
    package let fix: Fix
    /// Whether the fix was published before the epoch ended.
    package var isPublished = false
    /// Whether the beginning of the burst may be missing; the port was opened or the
    /// receiver was woken in between.
    package var mayBePartial = false
    /// When the first byte of the burst arrived; nil if that was not observed, or if the burst had
    /// an earlier epoch.
    package var burstStart: Instant?

    /// Returns how much older the fix is than the newest one from the same read, 0 to 10 s.
    package func age(before newest: UTCTime?) -> Instant.Span {
        guard let newest, let time = fix.time else { return .zero }
        return max(.zero, min(newest.span(since: time), .seconds(10)))
    }
}
