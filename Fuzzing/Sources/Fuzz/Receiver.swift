import Chronology
import Locator
import NMEA

/// One receiver and one stream in a core, with checks of their results.
struct Receiver {
    private static let id = ReceiverID(0)
    private static let stream = RequestID(0)
    private static let headingStream = RequestID(1)

    /// Cores as in the daemon, with and without the host's date. Created once: a core is a value.
    private static let fresh = (dated: core(guessesDay: true), undated: core(guessesDay: false))

    private var locator: Locator
    private var now = Instant.zero
    private var effects: [Effect] = []
    private(set) var fixes = FixCheck()

    /// An independent decoder of the same bytes; nil if not used.
    private var independentStream: SentenceStream?
    /// The number of sentences that can begin an epoch.
    private var epochSentences = 0
    /// The number of sentences that the core reported.
    private var received = 0

    init(_ digest: Digest, isCounted: Bool) {
        independentStream = isCounted ? SentenceStream() : nil
        locator = digest.value & 2 == 0 ? Receiver.fresh.dated : Receiver.fresh.undated
    }

    private static func core(guessesDay: Bool) -> Locator {
        var locator = Locator()
        locator.setReference(UTCTime(milliseconds: 1_770_000_000_000), guessesDay: guessesDay)
        locator.attach(id, name: "r", port: "/dev/r", status: .open, at: .zero)
        _ = locator.subscribe(StreamRequest(), id: stream, at: .zero)
        _ = locator.watchHeading(HeadingRequest(), id: headingStream, at: .zero)
        _ = locator.takeEffects()
        return locator
    }

    /// Advances the time as the daemon's timer does, or closes and opens the port.
    mutating func wait(_ pause: EpochsTarget.Pause) {
        switch pause {
        case .milliseconds(let span): advance(to: now + .milliseconds(span))
        case .reopening:
            locator.set(.absent("gone", lost: true), of: Receiver.id, at: now)
            advance(to: now + .seconds(1))
            locator.set(.open, of: Receiver.id, at: now)
            checkEffects()
            fixes.reopened()
            independentStream = independentStream?.reopened()
        }
    }

    private mutating func advance(to end: Instant) {
        while let deadline = locator.deadline(), deadline < end {
            now = max(deadline, now)
            locator.tick(at: now)
            Invariant.check(
                locator.deadline().map { $0 > now } ?? true, "a deadline is later than the time at which it was handled"
            )
            checkEffects()
        }
        now = end
    }

    /// Processes bytes at the current time.
    mutating func receive(_ bytes: RawSpan) {
        let result = locator.receive(bytes, from: Receiver.id, at: now)
        received += result.summary.sentences
        for update in result.updates { check(update) }
        var count = 0
        independentStream?.push(bytes) { _, sentence in
            switch sentence {
            case .gga, .rmc, .gll, .gns, .pubx00, .proprietary: count += 1
            // If another sentence begins an epoch, there are more epochs than counted here.
            default: break
            }
        }
        epochSentences += count
        checkEffects()
    }

    /// Checks the counts at the end of the input.
    mutating func finish() {
        locator.finish(at: now)
        checkEffects()
        guard let report = locator.reports(at: now).first else {
            Invariant.violated("an attached receiver is reported")
        }
        let counts = report.counts
        if let independentStream {
            Invariant.check(
                fixes.epochs <= epochSentences,
                "there are no more epochs than sentences that can begin one: \(fixes.epochs) of \(epochSentences)")
            Invariant.check(
                counts == independentStream.counts,
                "counts agree with the stream alone: \(counts), not \(independentStream.counts)")
        }
        Invariant.check(
            counts.sentences - counts.malformed == received, "each valid sentence is reported: \(received) of \(counts)"
        )
        Invariant.check(
            report.epochs == fixes.epochs && report.fixes == fixes.positions,
            "epochs are counted: \(report.epochs), \(report.fixes)")
        Invariant.check(report.texts.count <= 12, "there are at most twelve texts: \(report.texts.count)")
        Invariant.check(
            report.sky.satellites.count <= 32 * 64,
            "the number of satellites is limited: \(report.sky.satellites.count)")
        Invariant.check(
            report.rate.map { $0 > 0 && $0.isFinite } ?? true,
            "the rate is positive: \(String(describing: report.rate))")
    }

    private mutating func checkEffects() {
        locator.drainEffects(into: &effects)
        for effect in effects {
            switch effect {
            case .receiver(.epoch(_, let fix)): fixes.check(fix)
            case .request(.publish(let update, let streams)): check(StreamUpdate(update, for: streams))
            case .heading(let update, _): check(update)
            default: break
            }
        }
    }

    private func check(_ update: HeadingChange) {
        Invariant.check(
            (update.heading == nil) == (update.detail != nil), "an update has a heading or a reason: \(update)")
        guard let heading = update.heading else { return }
        let directions = [heading.trueHeading, heading.magneticHeading].compactMap { $0 }
        Invariant.check(
            !directions.isEmpty && directions.allSatisfy((0..<360).contains), "a direction is in its range: \(update)")
        Invariant.check(
            heading.accuracy.map { $0 > 0 && $0 <= 30 } ?? true, "the accuracy is in its range: \(update)")
    }

    private func check(_ message: StreamUpdate) {
        let (update, streams) = (message.update, message.streams)
        Invariant.check(streams == [Receiver.stream], "one stream gets the update: \(streams)")
        Invariant.check(
            (update.location == nil) != (update.unavailability == nil),
            "an update has a position or a reason: \(update)")
        Invariant.check(
            update.location.map { $0.fix.coordinate != nil } ?? true, "a location has a coordinate: \(update)")
    }
}
