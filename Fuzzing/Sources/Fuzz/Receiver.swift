import Chronology
import Locator
import NMEA

/// One receiver and one stream in a core, and what may be expected of them.
struct Receiver {
    private static let id = ReceiverID(0)
    private static let stream = StreamID(0)

    /// A core as the daemon has it; with the host's date, or before it knew one. Made once: it is a value.
    private static let fresh = (dated: core(guessesDay: true), undated: core(guessesDay: false))

    private var locator: Locator
    private var now = Instant.zero
    private var effects: [Effect] = []
    private(set) var fixes = FixCheck()

    /// The same bytes decoded beside it; nil where that is not wanted.
    private var beside: SentenceStream?
    private var core = 0
    private var received = 0

    init(_ digest: Digest, isCounted: Bool) {
        beside = isCounted ? SentenceStream() : nil
        locator = digest.value & 2 == 0 ? Receiver.fresh.dated : Receiver.fresh.undated
    }

    private static func core(guessesDay: Bool) -> Locator {
        var (locator, effects) = (Locator(), [Effect]())
        locator.setReference(UTCTime(milliseconds: 1_770_000_000_000), guessesDay: guessesDay)
        locator.attach(id, name: "r", port: "/dev/r", status: .open, at: .zero, into: &effects)
        locator.subscribe(stream, StreamRequest(), at: .zero, into: &effects)
        return locator
    }

    /// Lets time pass as the daemon's timer does, or the port close and open.
    mutating func wait(_ pause: EpochsTarget.Pause) {
        switch pause {
        case .milliseconds(let span): pass(to: now + .milliseconds(span))
        case .reopening:
            locator.set(.absent("gone", lost: true), of: Receiver.id, at: now, into: &effects)
            pass(to: now + .seconds(1))
            locator.set(.open, of: Receiver.id, at: now, into: &effects)
            look()
            fixes.reopened()
            beside = beside?.restarted()
        }
    }

    private mutating func pass(to end: Instant) {
        while let deadline = locator.deadline(), deadline < end {
            now = max(deadline, now)
            locator.tick(at: now, into: &effects)
            expect(locator.deadline().map { $0 > now } ?? true, "a deadline is past once it has been served")
            look()
        }
        now = end
    }

    /// Takes bytes in, now.
    mutating func receive(_ bytes: RawSpan) {
        received += locator.receive(bytes, from: Receiver.id, at: now, into: &effects).sentences
        var core = 0
        beside?.push(bytes) { _, sentence in
            switch sentence {
            case .gsa, .gsv, .gst, .gbs, .vtg, .zda, .dtm, .hdt, .ths, .txt, .unknown, .malformed: break
            default: core += 1
            }
        }
        self.core += core
        look()
    }

    /// The input has ended.
    mutating func finish() {
        locator.drain(at: now, into: &effects)
        look()
        guard let report = locator.reports(at: now).first else { broken("a receiver that was attached is reported") }
        let counts = report.counts
        if let beside {
            expect(fixes.epochs <= core, "no more epochs than sentences that make one: \(fixes.epochs) of \(core)")
            expect(counts == beside.counts, "counts as of the stream alone: \(counts), not \(beside.counts)")
        }
        expect(counts.sentences - counts.malformed == received, "each good sentence is told: \(received) of \(counts)")
        expect(report.epochs == fixes.epochs && report.fixes == fixes.positions, "epochs are counted: \(report.epochs), \(report.fixes)")
        expect(report.texts.count <= 12, "twelve texts at most: \(report.texts.count)")
        expect(report.sky.satellites.count <= 32 * 64, "a bounded sky: \(report.sky.satellites.count)")
        expect(report.rate.map { $0 > 0 && $0.isFinite } ?? true, "a rate above nothing: \(String(describing: report.rate))")
    }

    private mutating func look() {
        for effect in effects {
            switch effect {
            case .epoch(_, let fix): fixes.check(fix)
            case .publish(let update, let streams):
                expect(streams == [Receiver.stream], "one stream is told: \(streams)")
                expect((update.location == nil) != (update.unavailability == nil), "a position or a reason: \(update)")
                expect(update.location.map { $0.fix.coordinate != nil } ?? true, "a location has a coordinate: \(update)")
            default: break
            }
        }
        effects.removeAll(keepingCapacity: true)
    }
}
