import Chronology

/// The conditions on beacons: they are satisfied while one of the beacons that they mean is
/// present.
///
/// A condition is entered when ``BeaconTable`` finds a beacon present, and left when all of its
/// beacons are absent. Only reception makes them so: while nobody scans, states stay as they are.
public struct BeaconMonitor: Sendable {
    /// The time after the last advertisement from which reception must not pause any more, so that
    /// pauses do not end a stay. With a second in ten, two chances were missed.
    private static let doubtTime = Instant.Span.seconds(12)
    /// While a beacon appears and the condition is not entered, reception does not pause for this
    /// part of this time: a beacon at the edge of reception does not keep the receiver on.
    private static let appearance = (part: Instant.Span.seconds(30), of: Instant.Span.seconds(60))
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
        /// When the beacons that were present are absent; nil before the first.
        var end: Instant?
        /// Since when reception does not pause because a beacon appears, until 60 s later.
        var appeared: Instant?
        /// The beacon of the last entry.
        var beacon: BeaconIdentity?
        /// Since when the condition is satisfied, as far as is known; for the dwell time.
        var satisfiedSince: Instant?
    }

    /// The beacons in range.
    public private(set) var table = BeaconTable()
    private var conditions: [ConditionID: Monitored] = [:]
    private var identities: [BeaconIdentity: Set<ConditionID>] = [:]
    /// Since when beacons are received; nil while nobody scans.
    private var scannedSince: Instant?
    private var lastTick: Instant?
    /// The host's time at an instant; nil while its clock is not set.
    private var clock: (date: UTCTime, at: Instant)?
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
    public private(set) var wanted: [BeaconIdentity] = []

    /// Whether beacons are received.
    public var isScanned: Bool { scannedSince != nil }

    /// Returns the state of a condition; nil if it is unknown.
    public func state(of id: ConditionID) -> ConditionState? { conditions[id]?.state }

    /// Returns when one of a condition's beacons was last received; nil if none was.
    public func lastSeen(of id: ConditionID) -> Instant? { conditions[id]?.lastSeen }

    /// Returns whether reception must not pause: a state is not known, a beacon appears, or one is
    /// missed. The first and the last end with the absence, and the second after 30 s of each 60 s.
    public func needsContinuousScan(at now: Instant) -> Bool {
        conditions.values.contains { monitored in
            switch monitored.state {
            case .unmonitored: false
            case .unknown: true
            case .satisfied: isScanned && now - (monitored.lastSeen ?? monitored.added) >= BeaconMonitor.doubtTime
            case .unsatisfied:
                monitored.appeared.map { now - $0 < BeaconMonitor.appearance.part } ?? false
                    && table.isAppearing(monitored.identity, at: now)
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
        if entry.snapshot?.state != .unmonitored {
            identities[identity, default: []].insert(entry.id)
            updateWanted(identity)
        }
        updateDeadline()
    }

    /// Removes a condition.
    public mutating func remove(_ id: ConditionID) {
        guard let removed = conditions.removeValue(forKey: id) else { return }
        forget(id, of: removed.identity)
        updateDeadline()
    }

    private mutating func forget(_ id: ConditionID, of identity: BeaconIdentity) {
        identities[identity]?.remove(id)
        if identities[identity]?.isEmpty == true { identities[identity] = nil }
        updateWanted(identity)
    }

    private mutating func updateWanted(_ identity: BeaconIdentity) {
        var (place, end) = (0, wanted.count)
        while place < end {
            let middle = (place + end) / 2
            if wanted[middle] < identity { place = middle + 1 } else { end = middle }
        }
        let isListed = place < wanted.count && wanted[place] == identity
        guard isListed != (identities[identity] != nil) else { return }
        if isListed { wanted.remove(at: place) } else { wanted.insert(identity, at: place) }
    }

    /// Records that beacons are received from now on, or not any more. Call it again after a sleep
    /// of the host, in which nothing was received.
    public mutating func setScan(_ isScanned: Bool, at now: Instant) {
        scannedSince = isScanned ? now : nil
        if isScanned { table.resume(at: now) } else { table.removeAll() }
        updateDeadline()
    }

    /// Updates the host's time, which dates events and ends conditions. Call it before ``tick`` and
    /// ``record``: the clock may have been set.
    ///
    /// - Parameter date: Nil while the clock is not set: events have no date, and nothing expires.
    public mutating func setClock(_ date: UTCTime?, at now: Instant) {
        let expected = clock.map { $0.date.advanced(by: now - $0.at) }
        clock = date.map { ($0, now) }
        if let expected, let date, abs(date.span(since: expected).seconds) < 1 { return }
        if expected != nil || date != nil { updateDeadline() }
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
        noticeSleep(at: now)
        var seen: Set<ConditionID> = []
        for sighting in sightings {
            table.record(sighting, at: now) { [identities] meant in identities[meant] != nil }
            for meant in sighting.beacon.identity.wider { seen.formUnion(identities[meant] ?? []) }
        }
        for id in seen.sorted() {
            recordAppearance(of: id, at: now)
            evaluate(id, at: now, into: &events)
        }
        updateDeadline()
    }

    /// Processes what is due.
    public mutating func tick(at now: Instant, into events: inout [ConditionEvent]) {
        guard let deadline, deadline <= now else { return }
        noticeSleep(at: now)
        lastTick = now
        table.expire(at: now)
        for id in conditions.keys.sorted() { evaluate(id, at: now, into: &events) }
        updateDeadline(after: now)
    }

    private mutating func recordAppearance(of id: ConditionID, at now: Instant) {
        guard let monitored = conditions[id], monitored.state == .unsatisfied else { return }
        if let last = monitored.appeared, now - last < BeaconMonitor.appearance.of { return }
        conditions[id]?.appeared = now
    }

    /// A timer that is late followed a sleep of the host.
    private mutating func noticeSleep(at now: Instant) {
        guard let deadline, now - deadline > BeaconMonitor.maxDelay, isScanned else { return }
        setScan(true, at: now)
    }

    private mutating func evaluate(_ id: ConditionID, at now: Instant, into events: inout [ConditionEvent]) {
        guard var monitored = conditions[id], monitored.state != .unmonitored else { return }
        defer { conditions[id] = monitored }
        let date = clock.map { $0.date.advanced(by: now - $0.at) }
        if let expiry = monitored.condition.expiry, let date, expiry <= date {
            monitored.state = .unmonitored
            forget(id, of: monitored.identity)
            events.append(ConditionEvent(id, kind: .expired, state: .unmonitored, date: expiry))
            return
        }
        guard let scannedSince else { return }
        // What was received before a sleep keeps a state and makes none.
        if let present = table.present(monitored.identity, at: now),
            monitored.state == .satisfied || present.last >= scannedSince
        {
            (monitored.lastSeen, monitored.end) = (present.last, present.end)
            monitored.satisfiedSince = monitored.satisfiedSince ?? now
            if monitored.state != .satisfied { monitored.beacon = present.beacon }
            change(&monitored, of: id, to: .satisfied, date: date, into: &events)
        } else if now >= absenceDue(monitored, scannedSince) {
            monitored.satisfiedSince = nil
            change(&monitored, of: id, to: .unsatisfied, date: date, into: &events)
        }
        if let due = dwellDue(monitored), due <= now {
            monitored.hasDwelt = true
            events.append(event(.dwelt, monitored, of: id, date: date))
        }
    }

    private mutating func change(
        _ monitored: inout Monitored, of id: ConditionID, to state: ConditionState, date: UTCTime?,
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
        _ kind: ConditionEvent.Kind, _ monitored: Monitored, of id: ConditionID, date: UTCTime?
    ) -> ConditionEvent {
        var event = ConditionEvent(id, kind: kind, state: monitored.state, date: date)
        event.beacon = monitored.beacon
        return event
    }

    /// When a condition without a present beacon becomes unsatisfied.
    private func absenceDue(_ monitored: Monitored, _ scanned: Instant) -> Instant {
        let grace = max(monitored.added, scanned) + table.absence
        return monitored.end.map { max($0, grace) } ?? grace
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
        for monitored in conditions.values where monitored.state != .unmonitored {
            var due: [Instant?] = []
            if let scannedSince {
                due.append(dwellDue(monitored))
                if monitored.state != .unsatisfied { due.append(absenceDue(monitored, scannedSince)) }
                // Past, it is decided: left in, it would look like a timer that is late.
                let doubt = (monitored.lastSeen ?? monitored.added) + BeaconMonitor.doubtTime
                if monitored.state == .satisfied, lastTick.map({ doubt > $0 }) ?? true { due.append(doubt) }
            }
            if let expiry = monitored.condition.expiry, let clock {
                let instant = clock.at + expiry.span(since: clock.date)
                // A clamped instant is before the expiry: its timer would find nothing due.
                due.append(instant.nanoseconds == .max ? nil : instant)
            }
            for case let instant? in due where now.map({ instant > $0 }) ?? true {
                deadline = earliest(deadline, instant)
            }
        }
    }
}
