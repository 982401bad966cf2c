import Chronology
import NMEA
import Positioning

/// The state of one receiver: its port, its input and its fixes.
struct AttachedReceiver: Sendable {
    /// The shortest time without a byte after which an open port is silent. A receiver with a
    /// longer period is silent only after one and a half of its periods and a second.
    ///
    /// All three timeouts start at the earliest possible read. A port that is read every 5 s
    /// provides no bytes in between, so ``ReceiverPower/maxReadDelay`` is added.
    static let silenceTimeout = Instant.Span.seconds(5)
    /// The shortest time without a fix after which the receiver has none. Shorter gaps, such as
    /// under a bridge, are tolerated.
    static let fixTimeout = Instant.Span.seconds(5)
    /// The time after which bytes without an epoch are reported as an unknown protocol, over twice
    /// the 2 s period of the slowest receivers.
    static let firstEpochTimeout = Instant.Span.seconds(5)

    let id: ReceiverID
    let name: String
    let port: String
    /// Whether the receiver is an accessory of the device: it is on USB.
    let isAccessory: Bool
    private(set) var status: PortStatus
    /// The instant since which ``status`` is unchanged.
    private(set) var statusSince: Instant
    private(set) var pipeline: EpochPipeline
    /// The last position before the port was closed.
    private var positionBeforeClose: (fix: Fix, at: Instant)?
    private(set) var lastBytes: Instant?
    /// The instant of the first bytes since the port was opened at its current baud rate.
    private(set) var firstBytes: Instant?
    /// The receiver's plan and read policy.
    var power = ReceiverPower()
    /// The next instant for ``tick(at:)``. It is stored, because the event loop needs it after
    /// every read.
    private(set) var deadline: Instant?
    /// When the passing of time alone changes the result of ``health(at:)``.
    private(set) var healthDeadline: Instant?

    init(
        _ id: ReceiverID, name: String, port: String, isAccessory: Bool, status: PortStatus, calendar: GNSSCalendar,
        at now: Instant
    ) {
        self.id = id
        self.name = name
        self.port = port
        self.isAccessory = isAccessory
        self.status = status
        statusSince = now
        pipeline = EpochPipeline(calendar)
        updateDeadlines(at: now)
    }

    /// Whether the port is open, even if its baud rate is not known yet.
    var isPortOpen: Bool { status.isOpen }
    var counts: InputCounts { pipeline.counts }
    /// The last epoch with a position and the instant it ended, also after the port was closed.
    var lastPosition: (fix: Fix, at: Instant)? { pipeline.lastFix ?? positionBeforeClose }

    /// Returns the location of a fix of this receiver.
    ///
    /// - Parameter end: When the fix's epoch ended.
    func location(of fix: Fix, epochEnd end: Instant, at now: Instant) -> ReceiverFix {
        ReceiverFix(fix: fix, receiver: name, isAccessory: isAccessory, age: now - end)
    }

    /// The headings that the receiver reports, one of each source.
    var headingCandidates: [HeadingCandidate] {
        pipeline.headings.entries.map { HeadingCandidate(receiver: id, entry: $0) }
    }

    /// Sets the port status. A closed port resets the input state.
    mutating func set(_ status: PortStatus, calendar: GNSSCalendar, at now: Instant) {
        if !status.isOpen {
            positionBeforeClose = lastPosition
            pipeline.restart(calendar)
            lastBytes = nil
            power.reset()
        }
        // If no byte caused the baud rate detection, the port was closed for the receiver's sleep
        // and has been reopened.
        if case .detectingBaudRate = status, self.status == .open, lastBytes != now { lastBytes = nil }
        if status != self.status { (statusSince, firstBytes) = (now, nil) }
        self.status = status
        updateDeadlines(at: now)
    }

    /// Processes bytes and appends each epoch they complete to `epochs`, which is empty before.
    ///
    /// - Parameter onFrame: Receives the body of each accepted sentence. A proprietary one always
    ///   had a valid checksum.
    mutating func receive(
        _ bytes: RawSpan, at now: Instant, _ burstStart: Instant? = nil, onFrame: ((RawSpan) -> Void)? = nil,
        into epochs: inout [EpochFix]
    ) -> ReadSummary {
        lastBytes = now
        power.recordRead()
        let fixesBefore = pipeline.fixes
        firstBytes = firstBytes ?? now
        let summary = pipeline.receive(bytes, at: now, burstStart: burstStart, onFrame: onFrame, into: &epochs)
        if pipeline.fixes != fixesBefore { power.recordFix() }
        updateDeadlines(at: now)
        return summary
    }

    /// Returns the open epoch once no further sentence is expected to change its fix. Returns it
    /// only once.
    mutating func earlyEpoch(at now: Instant) -> EpochFix? { pipeline.earlyEpoch(at: now) }

    private mutating func updateDeadlines(at now: Instant) {
        deadline = pipeline.deadline
        healthDeadline = nextHealthChange(at: now)
    }

    /// Returns the current plan if it differs from the previous one.
    mutating func newPlan(at now: Instant) -> ReceiverPlan? {
        guard let plan = power.newPlan(at: now) else { return nil }
        updateDeadlines(at: now)
        return plan
    }

    /// Sets the read policy. Returns `false` if it is unchanged.
    mutating func setReadPolicy(_ readPolicy: ReadPolicy, at now: Instant) -> Bool {
        guard power.setReadPolicy(readPolicy) else { return false }
        updateDeadlines(at: now)
        return true
    }

    /// Forgets the last position. Returns whether there was one.
    mutating func forgetPosition(at now: Instant) -> Bool {
        guard lastPosition != nil else { return false }
        positionBeforeClose = nil
        pipeline.forgetPosition()
        updateDeadlines(at: now)
        return true
    }

    /// Returns whether ``healthDeadline`` has passed.
    func isHealthDue(at now: Instant) -> Bool { healthDeadline.map { $0 <= now } ?? false }

    /// Advances to `now`. Returns an epoch that the idle line ended.
    mutating func tick(at now: Instant) -> EpochFix? {
        defer { updateDeadlines(at: now) }
        return pipeline.tick(at: now)
    }

    /// Ends the open epoch, because no more input follows.
    mutating func finish(at now: Instant) -> EpochFix? { pipeline.finish(at: now) }
}
