import Chronology
import Delivery
import NMEA
import Positioning

/// One receiver's road from bytes to fixes, and the state of its port.
struct ReceiverTrack: Sendable {
    /// Without a byte for this long an open port is silent. The slowest receivers report every 2 s. All of these are counted from when a
    /// byte can have been read: a port that is read every 5 s brings nothing in between, and ``ReceiverPower/readLag`` is added.
    static let silence = Instant.Span.seconds(5)
    /// Without a fix for this long there is none; shorter gaps are a bridge.
    static let fixPatience = Instant.Span.seconds(5)
    /// Bytes that make no epoch for this long are not the beginning of one: over twice the slowest receivers' 2 s.
    static let patience = Instant.Span.seconds(5)

    let id: ReceiverID
    let name: String
    let port: String
    private(set) var status: PortStatus
    /// Since when it has been in ``status``.
    private(set) var statusSince: Instant
    private var stream = SentenceStream()
    private(set) var pipeline: EpochPipeline
    /// The last position before the port was closed.
    private var kept: (fix: Fix, at: Instant)?
    private(set) var lastBytes: Instant?
    /// The first since the port was opened at its present speed.
    private(set) var firstBytes: Instant?
    /// What it was told to do.
    var power = ReceiverPower()
    /// When ``tick(at:)`` wants to be called. Kept, not computed, because the loop asks after every read.
    private(set) var deadline: Instant?
    /// When the mere passing of time changes what ``judge(at:)`` says.
    private(set) var healthDeadline: Instant?

    init(_ id: ReceiverID, name: String, port: String, status: PortStatus, calendar: Calendar, at now: Instant) {
        self.id = id
        self.name = name
        self.port = port
        self.status = status
        statusSince = now
        pipeline = EpochPipeline(calendar)
        settle(at: now)
    }

    var counts: InputCounts { stream.counts }
    /// The last epoch with a position and when it ended, whatever has become of the port since.
    var lastPosition: (fix: Fix, at: Instant)? { pipeline.lastFix ?? kept }

    /// The port has changed. One that was closed starts anew.
    mutating func set(_ status: PortStatus, _ calendar: Calendar, at now: Instant) {
        if status.unavailability != nil {
            kept = lastPosition
            pipeline.restart(calendar)
            stream = stream.restarted()
            lastBytes = nil
            power.forget()
        }
        // Hunted, and not for a byte that has just come: it was closed for its receiver's rest and is open again.
        if case .hunting = status, self.status == .open, lastBytes != now { lastBytes = nil }
        if status != self.status { (statusSince, firstBytes) = (now, nil) }
        self.status = status
        settle(at: now)
    }

    /// Takes bytes in and hands each epoch that they complete to `emit`; returns how many good sentences they held.
    mutating func receive(_ bytes: RawSpan, at now: Instant, _ emit: (ClosedEpoch) -> Void) -> Int {
        lastBytes = now
        power.heard()
        let fixesBefore = pipeline.fixes
        firstBytes = firstBytes ?? now
        let taken = ReceiverTrack.run(&stream, &pipeline, bytes, now, emit)
        if pipeline.fixes != fixesBefore { power.fixed() }
        settle(at: now)
        return taken
    }

    /// The fix of the open epoch, as soon as nothing is expected to change it; once.
    mutating func settledFix(at now: Instant) -> Fix? { pipeline.settledFix(at: now) }

    private mutating func settle(at now: Instant) {
        deadline = pipeline.deadline
        healthDeadline = nextChange(at: now)
    }

    /// What the planner says now, where that is something else than before.
    mutating func newPlan(at now: Instant) -> ReceiverPlan? {
        guard let plan = power.newPlan(at: now) else { return nil }
        settle(at: now)
        return plan
    }

    /// Takes a pace over; false where it is the present one.
    mutating func setPace(_ pace: ReadPace, at now: Instant) -> Bool {
        guard power.setPace(pace) else { return false }
        settle(at: now)
        return true
    }

    /// Whether ``healthDeadline`` has come.
    func isHealthDue(at now: Instant) -> Bool { healthDeadline.map { $0 <= now } ?? false }

    /// Lets time pass; silence may have ended an epoch.
    mutating func tick(at now: Instant) -> ClosedEpoch? {
        defer { settle(at: now) }
        return pipeline.tick(at: now)
    }

    /// The input has ended for good.
    mutating func drain(at now: Instant) -> ClosedEpoch? { pipeline.drain(at: now) }

    /// Stream and pipeline apart, so that the one can call into the other without a copy of either.
    private static func run(
        _ stream: inout SentenceStream, _ pipeline: inout EpochPipeline, _ bytes: RawSpan, _ now: Instant, _ emit: (ClosedEpoch) -> Void
    ) -> Int {
        let before = stream.counts.sentences &- stream.counts.malformed
        pipeline.heard(at: now, emit)
        stream.push(bytes) { address, sentence in pipeline.take(address, sentence, at: now, emit) }
        // Not how often it was called: a long sentence comes in parts.
        return stream.counts.sentences &- stream.counts.malformed &- before
    }
}
