import Chronology
import Positioning

/// The attached receivers, and which of them is the primary one.
package struct ReceiverTable: Sendable {
    private var receivers: [AttachedReceiver] = []
    private var selector = ReceiverSelector()
    /// The last location of the receiver that was the primary one until its port was closed.
    private var lastPrimaryLocation: (location: ReceiverFix, at: Instant)?
    private var calendar = GNSSCalendar()
    private var unconfirmedPorts = UnconfirmedPorts()
    /// The fixed place that is the source of the device's location; nil if receivers are.
    var fixedPlace: FixedPlace?

    var count: Int { receivers.count }
    var indices: Range<Int> { receivers.indices }
    var primary: ReceiverID? { selector.primary }
    /// The receivers that sleep while a clearly better one runs.
    var standbyReceivers: [ReceiverID] { selector.standbyReceivers }

    subscript(index: Int) -> AttachedReceiver { receivers[index] }

    func index(of id: ReceiverID) -> Int? { receivers.firstIndex { $0.id == id } }

    mutating func update<Result>(at index: Int, change: (inout AttachedReceiver) -> Result) -> Result {
        change(&receivers[index])
    }

    /// Sets the energy cost of waking a receiver.
    mutating func setCosts(_ costs: ReceiverCosts, of id: ReceiverID) {
        if let index = index(of: id) { receivers[index].power.planner.costs = costs }
    }

    /// Sets how often a receiver without demand renews its ephemerides. Returns whether that
    /// changed.
    mutating func setEphemerisRefreshInterval(_ interval: Instant.Span?, of id: ReceiverID) -> Bool {
        guard let index = index(of: id), receivers[index].power.ephemerisRefreshInterval != interval else {
            return false
        }
        receivers[index].power.ephemerisRefreshInterval = interval
        return true
    }

    /// Returns whether an epoch of this receiver is open. The caller uses it to schedule the next
    /// read of the port.
    package func isMidEpoch(_ id: ReceiverID) -> Bool { index(of: id).map { receivers[$0].deadline != nil } ?? false }

    /// Replaces the calendar of receivers that are attached or lose their port later.
    mutating func setReference(_ moment: UTCTime, guessesDay: Bool, isFloor: Bool, at now: Instant) {
        calendar = GNSSCalendar()
        calendar.setReference(moment, guessesDay: guessesDay, isFloor: isFloor, at: now)
    }

    /// The ports on which no receiver is confirmed.
    package var unconfirmed: [UnconfirmedPortReport] { unconfirmedPorts.all }

    /// Adds a port on which no receiver is confirmed, or updates its status.
    mutating func setUnconfirmed(_ port: UnconfirmedPortReport) { unconfirmedPorts.set(port) }

    mutating func attach(
        _ id: ReceiverID, name: String, port: String, isAccessory: Bool, status: PortStatus, at now: Instant
    ) {
        unconfirmedPorts.remove(id)
        receivers.append(
            AttachedReceiver(
                id, name: name, port: port, isAccessory: isAccessory, status: status, calendar: calendar, at: now))
    }

    /// Sets the status of a port. If it is closed and another receiver becomes the primary one,
    /// returns that receiver.
    mutating func set(_ status: PortStatus, ofReceiverAt index: Int, at now: Instant) -> ReceiverID? {
        receivers[index].set(status, calendar: calendar, at: now)
        return status.unavailability == nil ? nil : deselect(receivers[index], at: now)
    }

    /// Removes a receiver, or a port on which none is confirmed. If another receiver becomes the
    /// primary one, returns that receiver.
    mutating func detach(_ id: ReceiverID, at now: Instant) -> ReceiverID? {
        unconfirmedPorts.remove(id)
        return index(of: id).flatMap { deselect(receivers.remove(at: $0), at: now) }
    }

    /// Keeps the last position of a primary receiver without port, and selects its successor.
    private mutating func deselect(_ receiver: AttachedReceiver, at now: Instant) -> ReceiverID? {
        if selector.primary == receiver.id, let last = receiver.lastPosition {
            lastPrimaryLocation = (receiver.location(of: last.fix, epochEnd: last.at, at: now), last.at)
        }
        return selector.remove(receiver.id, at: now)
    }

    mutating func forgetPositions(at now: Instant) -> Int {
        var count = lastPrimaryLocation == nil ? 0 : 1
        lastPrimaryLocation = nil
        for index in receivers.indices where receivers[index].forgetPosition(at: now) { count += 1 }
        return count
    }

    /// Records a fix with a position for the selection of the primary receiver.
    ///
    /// - Returns: The receiver whose newest fix becomes the device's position; see
    ///   ``ReceiverSelector/recordFix(accuracy:from:period:at:)``. Nil if the position is that of a
    ///   fixed place, which the best receiver checks.
    mutating func recordFix(_ fix: Fix, from index: Int, at now: Instant) -> ReceiverID? {
        let source = selector.recordFix(
            accuracy: fix.horizontalAccuracy, from: receivers[index].id, period: receivers[index].pipeline.period,
            at: now)
        guard let isChecked = fixedPlace?.isChecked else { return source }
        if isChecked, source == receivers[index].id {
            fixedPlace?.check.process(fix, from: receivers[index].name, at: now)
        }
        return nil
    }

    /// Replaces a primary receiver that is lost at `now`. Returns the new one if it changes.
    mutating func replaceLostPrimary(at now: Instant) -> ReceiverID? { selector.tick(at: now) }

    /// Returns when a receiver needs a tick.
    ///
    /// - Parameter includesHealth: Whether changes of health and the loss of the primary receiver
    ///   need one.
    func deadline(includesHealth: Bool, includesPlans: Bool) -> Instant? {
        var soonest = includesHealth ? selector.deadline : nil
        for index in receivers.indices {
            soonest = earliest(soonest, receivers[index].deadline)
            if includesPlans, receivers[index].isPortOpen {
                soonest = earliest(soonest, receivers[index].power.planner.deadline)
            }
            if includesHealth { soonest = earliest(soonest, receivers[index].healthDeadline) }
        }
        return soonest
    }
}

// MARK: Locations and reports
extension ReceiverTable {
    func selections(servedBy index: Int, isPrimary: Bool) -> ServedSelections {
        let (name, port) = (receivers[index].name, receivers[index].port)
        return isPrimary && fixedPlace == nil ? .bestAndNamed(name: name, port: port) : .named(name: name, port: port)
    }

    /// Returns a report of each receiver, in the order of attachment.
    func reports(at now: Instant) -> [ReceiverReport] {
        receivers.map { receiver in
            var report = ReceiverReport(receiver, at: now)
            report.isPrimary = receiver.id == selector.primary
            report.horizontalAccuracy = selector.accuracy(of: receiver.id, at: now)
            return report
        }
    }

    /// Returns whether a receiver, or a port on which none is confirmed, has this name or path.
    package func hasReceiver(named name: String) -> Bool {
        receivers.contains { $0.matches(.named(name)) }
            || unconfirmed.contains { ReceiverSelection.named(name).includes(name: $0.name, port: $0.port) }
    }

    /// Returns the last location of the selected receiver, of any age.
    func lastPosition(of selection: ReceiverSelection, at now: Instant) -> (location: ReceiverFix, at: Instant)? {
        if selection == .best, let fixedPlace { return (fixedPlace.location(at: now), now) }
        guard let source = source(for: selection, at: now), let last = source.lastPosition else {
            guard selection == .best, var lost = lastPrimaryLocation else { return nil }
            lost.location.age = now - lost.at
            return lost
        }
        return (source.location(of: last.fix, epochEnd: last.at, at: now), last.at)
    }

    /// Returns the last location of the selected receiver and its age if it is recent enough. A
    /// fixed place is always the present location.
    func recentPosition(
        of selection: ReceiverSelection, maximumAge: Instant.Span, at now: Instant
    ) -> (location: ReceiverFix, age: Instant.Span)? {
        guard maximumAge > .zero || fixedPlace != nil && selection == .best,
            let last = lastPosition(of: selection, at: now), now - last.at <= maximumAge
        else { return nil }
        return (last.location, now - last.at)
    }

    /// Returns the current state for a new stream, and the receiver that provides it.
    ///
    /// - Parameter isWoken: Whether the stream wakes a sleeping receiver.
    func currentUpdate(
        for stream: LiveStream, isWoken: Bool, at now: Instant
    ) -> (update: Update, source: ReceiverID?) {
        let selection = stream.receiver
        if selection == .best, let fixedPlace {
            return (Update(location: fixedPlace.location(at: now)), FixedPlace.source)
        }
        let source = source(for: selection, at: now)
        if let source, let last = source.pipeline.lastFix, source.isFixing(at: now) {
            guard !stream.filter.isOlder(last.fix, age: now - last.at) else {
                let detail = "\(source.name) has sent no newer position yet"
                return (Update(unavailability: Unavailability(.starting, detail: detail)), source.id)
            }
            return (Update(location: source.location(of: last.fix, epochEnd: last.at, at: now)), source.id)
        }
        // After the loss of the primary receiver, another one that sleeps is woken.
        let sleeper = source ?? receivers.first { $0.matches(selection) && $0.health(at: now).unavailability == nil }
        let asleep = sleeper.map {
            isWoken && ($0.power.isSleepPlanned || $0.isBeingWoken)
                ? Unavailability(.starting, detail: "\($0.name) was asleep to save power and is being woken")
                : $0.unavailabilityBySleep
        }
        return (Update(unavailability: unavailability(for: selection, at: now) ?? asleep), source?.id)
    }

    /// Returns the location if the open epoch of this receiver ended now; nil without a position,
    /// or if another receiver may be the source of the location.
    func provisionalLocation(from id: ReceiverID, at now: Instant) -> ReceiverFix? {
        guard count == 1 || primary == id, let index = index(of: id),
            let fix = receivers[index].pipeline.provisionalFix(at: now), fix.coordinate != nil
        else { return nil }
        return receivers[index].location(of: fix, epochEnd: now, at: now)
    }

    /// Returns the headings that the receivers report, those of the source of the location first,
    /// and its course.
    func headingCandidates(at now: Instant) -> [HeadingCandidate] {
        let source = source(for: .best, at: now)
        var candidates = source.map(\.headingCandidates) ?? []
        for receiver in receivers where receiver.id != source?.id { candidates += receiver.headingCandidates }
        if let source, let last = source.pipeline.lastFix, let course = HeadingReports.course(of: last.fix, at: last.at)
        {
            candidates.append(HeadingCandidate(receiver: source.id, entry: course))
        }
        return candidates
    }

    /// Returns the update with a heading; nil if its receiver is not attached any more.
    func headingUpdate(_ candidate: HeadingCandidate, at now: Instant) -> HeadingChange? {
        guard let receiver = receivers.first(where: { $0.id == candidate.receiver }) else { return nil }
        let last = receiver.pipeline.lastFix
        let clock = last.flatMap { last in last.fix.time.map { (time: $0, at: last.at) } }
        var heading = receiver.pipeline.headings.heading(
            of: candidate.entry, position: last?.fix, clock: clock, at: now)
        heading.isSimulated = receiver.pipeline.isSimulated
        return HeadingChange(heading, receiver: receiver.name)
    }

    /// Returns the receiver that a request uses which compares clocks: a fixed place has no time.
    func timeSource(for selection: ReceiverSelection, at now: Instant) -> ReceiverSelection {
        guard fixedPlace != nil, let source = source(for: selection, at: now) ?? receivers.first else {
            return selection
        }
        return .named(source.name)
    }

    private func source(for selection: ReceiverSelection, at now: Instant) -> AttachedReceiver? {
        guard selection == .best else { return receivers.first { $0.matches(selection) } }
        let primary = receivers.first { $0.id == selector.primary }
        // If the primary receiver has no current fix, another receiver may have one.
        return primary.flatMap { $0.isFixing(at: now) ? $0 : nil } ?? receivers.first { $0.isFixing(at: now) }
            ?? primary
    }

    /// Returns why there is no position, or nil if there is one. With several receivers, returns
    /// the cause of the one closest to a fix.
    func unavailability(for selection: ReceiverSelection, at now: Instant) -> Unavailability? {
        if selection == .best, fixedPlace != nil { return nil }
        let states = receivers.filter { $0.matches(selection) }.map { $0.health(at: now) }
        if states.contains(where: { $0.unavailability == nil }) { return nil }
        let order = ReceiverHealth.allCases
        let best = states.max { (order.firstIndex(of: $0.health) ?? 0) < (order.firstIndex(of: $1.health) ?? 0) }
        if let best { return best.unavailability }
        if let unconfirmed = unconfirmedPorts.unavailability(for: selection) { return unconfirmed }
        return switch selection {
        case .best:
            Unavailability(
                .noReceiver,
                detail:
                    "no receiver found: connect one, or name its port in sextant.toml; see sextant doctor"
            )
        case .named(let name):
            Unavailability(
                .noReceiver,
                detail: "no receiver with the name or port \(name) is present; it is used as soon as it appears")
        }
    }
}
