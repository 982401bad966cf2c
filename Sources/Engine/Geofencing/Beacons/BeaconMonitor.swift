import Chronology

/// The conditions on beacons: they are satisfied while one of the beacons that they mean is
/// present.
///
/// A condition is entered when ``BeaconTable`` finds a beacon present, and left when none of its
/// beacons has been received for ``BeaconTable/absence``, all of it under reception. While nobody
/// scans, states stay as they are.
public struct BeaconMonitor: Sendable {
    /// The time after the last advertisement from which reception must not pause any more, so that
    /// pauses do not end a stay. With a second in ten, two chances were missed.
    private static let doubtTime = Instant.Span.seconds(12)
    /// A timer that is later than this followed a sleep of the host, in which nothing was received.
    private static let maxDelay = Instant.Span.seconds(10)

    private struct Monitored: Sendable {
        var identity: BeaconIdentity
        var condition: FenceCondition
        var state: ConditionState
        var hasDwelt: Bool
        var added: Instant
        /// When one of the beacons was last received, since the start.
        var lastSeen: Instant?
        /// The beacon of the last entry.
        var beacon: BeaconIdentity?
        /// Since when the condition is satisfied, as far as is known; for the dwell time.
        var satisfiedSince: Instant?
    }

    /// The beacons in range.
    public private(set) var table = BeaconTable()
    private var conditions: [ConditionID: Monitored] = [:]
    /// Since when beacons are received, and the UTC time at an instant; nil while nobody scans.
    private var scan: (since: Instant, clock: UTCTime, at: Instant)?
    private var determinations: [ConditionDetermination] = []
    /// When to call ``tick(at:into:)`` next; nil if nothing is due.
    public private(set) var deadline: Instant?

    /// Creates a monitor without conditions.
    public init() {}

    /// Whether there are no conditions.
    public var isEmpty: Bool { conditions.isEmpty }
    /// The identifiers of all conditions, in no order.
    public var identifiers: [ConditionID] { Array(conditions.keys) }
    /// The beacons that conditions mean, in order.
    public var wanted: [BeaconIdentity] {
        Set(conditions.values.lazy.filter { $0.state != .unmonitored }.map(\.identity)).sorted()
    }

    /// Whether beacons are received.
    public var isScanned: Bool { scan != nil }

    /// Returns the state of a condition; nil if it is unknown.
    public func state(of id: ConditionID) -> ConditionState? { conditions[id]?.state }

    /// Returns when one of a condition's beacons was last received; nil if none was.
    public func lastSeen(of id: ConditionID) -> Instant? { conditions[id]?.lastSeen }

    /// Returns whether reception must not pause: a state is not known, a beacon appears, or one is
    /// missed. That ends after ``BeaconTable/absence``.
    public func needsContinuousScan(at now: Instant) -> Bool {
        conditions.values.contains { monitored in
            switch monitored.state {
            case .unmonitored: false
            case .unknown: true
            case .satisfied: isScanned && now - (monitored.lastSeen ?? monitored.added) >= BeaconMonitor.doubtTime
            case .unsatisfied: table.isAppearing(monitored.identity, at: now)
            }
        }
    }

    /// Returns the first determinations since the last call that agree with the assumed state.
    public mutating func takeDeterminations() -> [ConditionDetermination] {
        defer { determinations = [] }
        return determinations
    }

    /// Sets the time without an advertisement after which a beacon is absent.
    public mutating func setAbsence(_ absence: Instant.Span) {
        table.absence = absence
        updateDeadline()
    }

    /// Adds a condition on these beacons. Those in range satisfy it at the next sighting.
    public mutating func add(_ entry: GeofenceEngine.Entry, _ identity: BeaconIdentity, at now: Instant) {
        conditions[entry.id] = Monitored(
            identity: identity, condition: entry.condition, state: entry.snapshot?.state ?? .unknown,
            hasDwelt: entry.snapshot?.hasDwelt ?? false, added: now)
        updateDeadline()
    }

    /// Removes a condition.
    public mutating func remove(_ id: ConditionID) {
        guard conditions.removeValue(forKey: id) != nil else { return }
        updateDeadline()
    }

    /// Records that beacons are received from now on, or not any more.
    ///
    /// - Parameter clock: The host's time; nil if they are not received.
    public mutating func setScan(_ clock: UTCTime?, at now: Instant) {
        scan = clock.map { (now, $0, now) }
        if clock == nil { table.removeAll() }
        updateDeadline()
    }

    /// Returns the distances of beacons; see ``BeaconTable/readings(of:at:)``.
    public mutating func readings(of meant: BeaconIdentity?, at now: Instant) -> [BeaconReading] {
        table.readings(of: meant, at: now)
    }

    /// Records sightings, and appends the events that they cause.
    public mutating func record(
        _ sightings: [BeaconSighting], at now: Instant, into events: inout [ConditionEvent]
    ) {
        guard isScanned else { return }
        for sighting in sightings { table.record(sighting, at: now) }
        for (id, monitored) in conditions.sorted(by: { $0.key < $1.key })
        where sightings.contains(where: { monitored.identity.contains($0.beacon.identity) }) {
            evaluate(id, at: now, into: &events)
        }
        updateDeadline()
    }

    /// Processes what is due.
    public mutating func tick(at now: Instant, into events: inout [ConditionEvent]) {
        guard let deadline, deadline <= now else { return }
        if now - deadline > BeaconMonitor.maxDelay { scan?.since = now }
        for id in conditions.keys.sorted() { evaluate(id, at: now, into: &events) }
        updateDeadline(after: now)
    }

    private mutating func evaluate(_ id: ConditionID, at now: Instant, into events: inout [ConditionEvent]) {
        guard var monitored = conditions[id], monitored.state != .unmonitored, let scan else { return }
        defer { conditions[id] = monitored }
        let date = scan.clock.advanced(by: now - scan.at)
        if let expiry = monitored.condition.expiry, expiry <= date {
            monitored.state = .unmonitored
            events.append(ConditionEvent(id, kind: .expired, state: .unmonitored, date: expiry))
            return
        }
        if let present = table.present(monitored.identity, at: now) {
            monitored.lastSeen = present.last
            monitored.satisfiedSince = monitored.satisfiedSince ?? now
            if monitored.state != .satisfied { monitored.beacon = present.beacon }
            change(&monitored, of: id, to: .satisfied, date: date, into: &events)
        } else if now >= absenceDue(monitored, scan.since) {
            monitored.satisfiedSince = nil
            change(&monitored, of: id, to: .unsatisfied, date: date, into: &events)
        }
        if let due = dwellDue(monitored), due <= now {
            monitored.hasDwelt = true
            events.append(event(.dwelt, monitored, of: id, date: date))
        }
    }

    private mutating func change(
        _ monitored: inout Monitored, of id: ConditionID, to state: ConditionState, date: UTCTime,
        into events: inout [ConditionEvent]
    ) {
        guard monitored.state != state else { return }
        let wasUnknown = monitored.state == .unknown
        monitored.state = state
        if state == .satisfied { monitored.hasDwelt = false }
        if wasUnknown, monitored.condition.assuming == state {
            determinations.append(
                ConditionDetermination(of: id, snapshot: ConditionSnapshot(state: state), date: date))
        } else {
            let kind: ConditionEvent.Kind = wasUnknown ? .determined : state == .satisfied ? .entered : .left
            events.append(event(kind, monitored, of: id, date: date))
        }
    }

    private func event(
        _ kind: ConditionEvent.Kind, _ monitored: Monitored, of id: ConditionID, date: UTCTime
    ) -> ConditionEvent {
        var event = ConditionEvent(id, kind: kind, state: monitored.state, date: date)
        event.beacon = monitored.beacon
        return event
    }

    /// When a condition without a present beacon becomes unsatisfied.
    private func absenceDue(_ monitored: Monitored, _ scanned: Instant) -> Instant {
        max(monitored.lastSeen ?? monitored.added, max(monitored.added, scanned)) + table.absence
    }

    private func dwellDue(_ monitored: Monitored) -> Instant? {
        guard let dwell = monitored.condition.dwell, let since = monitored.satisfiedSince, !monitored.hasDwelt,
            monitored.state == .satisfied
        else { return nil }
        return since + dwell
    }

    /// - Parameter now: The instant of a tick. What is past stays due only if a tick can decide it.
    private mutating func updateDeadline(after now: Instant? = nil) {
        deadline = nil
        guard let scan else { return }
        for monitored in conditions.values where monitored.state != .unmonitored {
            var due: [Instant?] = [dwellDue(monitored)]
            if monitored.state != .unsatisfied { due.append(absenceDue(monitored, scan.since)) }
            if monitored.state == .satisfied {
                due.append((monitored.lastSeen ?? monitored.added) + BeaconMonitor.doubtTime)
            }
            if let expiry = monitored.condition.expiry {
                let instant = scan.at + expiry.span(since: scan.clock)
                // A clamped instant is before the expiry: its timer would find nothing due.
                due.append(instant.nanoseconds == .max ? nil : instant)
            }
            for case let instant? in due where now.map({ instant > $0 }) ?? true {
                deadline = earliest(deadline, instant)
            }
        }
    }
}
