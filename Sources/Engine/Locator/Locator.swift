import Chronology
import Geofencing
import Positioning

/// The complete core as one value. It processes bytes and requests, each with an instant.
///
/// A method that has an answer returns it. Everything else that the core requests from its caller
/// is queued as an ``Effect``; the caller takes the whole queue with ``drainEffects(into:)``.
///
/// The daemon passes live data, `sextant replay` captures, and tests synthetic timelines.
public struct Locator: Sendable {
    private var queue = EffectQueue()
    package private(set) var receivers = ReceiverTable()
    package private(set) var requests = ClientRequests()
    /// The monitored conditions.
    public private(set) var conditions = ConditionMonitor()
    package private(set) var power = PowerCoordinator()
    /// The epochs that a read ended; empty between calls. It keeps its memory.
    private var closedEpochs: [EpochFix] = []

    /// Whether streams with low latency receive a fix before its epoch ends, once no sentence is
    /// expected to change it. The time then depends on the sizes of reads, so replays leave it off.
    public var publishesEarly = false

    /// Creates a core without receivers and streams.
    public init() {}

    /// Whether the core emits ``Effect/Receiver/plan(_:_:)`` to limit receivers to the demand. Set
    /// it before the first receiver is attached.
    public var emitsPlans: Bool {
        get { power.emitsPlans }
        set { power.emitsPlans = newValue }
    }

    /// Whether the core emits ``Effect/Receiver/readPolicy(_:_:)`` to set how often ports are read.
    /// Set it before the first receiver is attached.
    public var emitsReadPolicies: Bool {
        get { power.emitsReadPolicies }
        set { power.emitsReadPolicies = newValue }
    }

    /// Sets a UTC time near the present. It resolves week rollovers, and with `guessesDay` it dates
    /// epochs before the receiver sends a date. With `isFloor`, the time is only a lower bound. It
    /// applies to receivers that are attached or lose their port later.
    public mutating func setReference(
        _ moment: UTCTime, guessesDay: Bool, isFloor: Bool = false, at now: Instant = .zero
    ) {
        receivers.setReference(moment, guessesDay: guessesDay, isFloor: isFloor, at: now)
    }

    /// Replaces the contents of `buffer` with all effects since the last call; keeps its memory.
    public mutating func drainEffects(into buffer: inout [Effect]) { queue.drain(into: &buffer) }

    /// Returns all effects since the last call, in order.
    public mutating func takeEffects() -> [Effect] { queue.takeAll() }

    /// Returns the instant of the next call of ``tick(at:)``, or nil if nothing is scheduled. A
    /// past deadline is due immediately; that tick clears it.
    ///
    /// - Parameter isWatched: Whether a client without a stream monitors the receivers' health;
    ///   evaluated only if there are no streams.
    public func deadline(isWatched: @autoclosure () -> Bool = false) -> Instant? {
        if power.needsUpdate { return .zero }
        // Without streams or watchers, health is evaluated only on request.
        let includesHealth = !requests.streams.isEmpty || isWatched()
        return earliest(
            earliest(requests.deadline, conditions.deadline),
            receivers.deadline(includesHealth: includesHealth, includesPlans: power.emitsPlans))
    }

    /// Advances the core to `now` and performs all due work.
    ///
    /// - Returns: The receivers whose epoch an idle line ended.
    @discardableResult
    public mutating func tick(at now: Instant) -> [ReceiverID] {
        var ended: [ReceiverID] = []
        for index in receivers.indices {
            if receivers[index].isHealthDue(at: now) { queue.append(.receiver(.changed(receivers[index].id))) }
            guard let epoch = receivers.update(at: index, change: { $0.tick(at: now) }) else { continue }
            close(epoch, from: index, at: now, epochEnd: now)
            ended.append(receivers[index].id)
        }
        publishNewPrimary(receivers.replaceLostPrimary(at: now), at: now)
        power.updateStandbyReceivers(receivers)
        queue.publish(requests.tickStreams(at: now, fixedPlace: receivers.fixedPlace))
        conditions.publish(requests.tickVisits(at: now), to: requests.visits.subscribers, in: &queue)
        queue.publish(requests.headings.nextUpdate(receivers, at: now))
        publishUnavailability(at: now)
        if requests.rejectExpired(receivers, in: &queue, at: now) { power.recordDemandChange() }
        queue.append(conditions.tick(at: now, fixedPlace: receivers.fixedPlace, for: &requests))
        updateNextFixRequest(at: now)
        queue.append(power.tick(&receivers, for: requests, at: now))
        return ended
    }
}

// MARK: Receivers
extension Locator {
    /// Adds a receiver that was discovered or configured.
    ///
    /// - Parameter isAccessory: Whether the receiver is an accessory of the device: it is on USB.
    public mutating func attach(
        _ id: ReceiverID, name: String, port: String, isAccessory: Bool = false, status: PortStatus, at now: Instant
    ) {
        receivers.attach(id, name: name, port: port, isAccessory: isAccessory, status: status, at: now)
        publishChange(of: id, successor: nil, at: now)
    }

    /// Adds a port on which no receiver is confirmed, or updates its status. Its receiver is
    /// attached when it is confirmed.
    public mutating func setUnconfirmed(_ port: UnconfirmedPortReport, at now: Instant) {
        receivers.setUnconfirmed(port)
        publishChange(of: port.id, successor: nil, at: now)
    }

    /// Updates the status of a receiver's port.
    public mutating func set(_ status: PortStatus, of id: ReceiverID, at now: Instant) {
        guard let index = receivers.index(of: id) else { return }
        let successor = receivers.set(status, ofReceiverAt: index, at: now)
        publishChange(of: id, successor: successor, at: now)
    }

    /// Removes a receiver, or a port on which none is confirmed.
    public mutating func detach(_ id: ReceiverID, at now: Instant) {
        publishChange(of: id, successor: receivers.detach(id, at: now), at: now)
    }

    private mutating func publishChange(of id: ReceiverID, successor: ReceiverID?, at now: Instant) {
        queue.append(.receiver(.changed(id)))
        publishNewPrimary(successor, at: now)
        power.updateStandbyReceivers(receivers)
        publishUnavailability(at: now)
        queue.publish(requests.headings.nextUpdate(receivers, at: now))
        queue.append(power.updateAll(&receivers, for: requests, at: now))
    }

    /// Sets the energy cost of waking a receiver, once its type is known. The planner uses it to
    /// decide which sleep periods save energy.
    public mutating func setCosts(_ costs: ReceiverCosts, of id: ReceiverID) { receivers.setCosts(costs, of: id) }

    /// Sets how often a receiver without demand renews its ephemerides, so that the next start is
    /// fast; nil for never.
    public mutating func setEphemerisRefreshInterval(_ interval: Instant.Span?, of id: ReceiverID) {
        if receivers.setEphemerisRefreshInterval(interval, of: id) { power.recordDemandChange() }
    }

    /// Processes bytes from a receiver.
    ///
    /// - Parameters:
    ///   - start: When the first byte of their burst arrived; nil if that was not observed.
    ///   - onFrame: Receives the body of each accepted sentence. A proprietary one had a checksum.
    public mutating func receive(
        _ bytes: RawSpan, from id: ReceiverID, at now: Instant, burstStart start: Instant? = nil,
        onFrame: ((RawSpan) -> Void)? = nil
    ) -> ReadResult {
        guard let index = receivers.index(of: id) else { return ReadResult() }
        queue.separateUpdates()
        // Bytes replace a due tick. Only here, changes of health from before them can be published.
        let isOverdue = receivers[index].isHealthDue(at: now)
        var epochs: [EpochFix] = []
        swap(&epochs, &closedEpochs)
        let summary = receivers.update(at: index) { $0.receive(bytes, at: now, start, onFrame: onFrame, into: &epochs) }
        // Epochs read together were made at different times, and motion detection depends on time.
        let newest = epochs.last?.fix.time
        for epoch in epochs { close(epoch, from: index, at: now, epochEnd: now - epoch.age(before: newest)) }
        epochs.removeAll(keepingCapacity: true)
        swap(&epochs, &closedEpochs)
        if publishesEarly, summary.isOpen, summary.sentences > 0, requests.streams.needsLowLatency,
            let epoch = receivers.update(at: index, change: { $0.earlyEpoch(at: now) })
        {
            publish(epoch, from: index, at: now, epochEnd: now)
        }
        if isOverdue {
            queue.append(.receiver(.changed(id)))
            publishUnavailability(at: now)
        }
        if !requests.headings.isEmpty { queue.publish(requests.headings.nextUpdate(receivers, at: now)) }
        return ReadResult(summary, updates: queue.takeSeparatedUpdates())
    }

    /// Ends every open epoch, because no more input follows.
    public mutating func finish(at now: Instant) {
        for index in receivers.indices {
            guard let epoch = receivers.update(at: index, change: { $0.finish(at: now) }) else { continue }
            close(epoch, from: index, at: now, epochEnd: now)
        }
        queue.publish(requests.streams.tick(at: now, all: true))
    }

    /// Returns a report of each receiver, in the order of attachment.
    public func reports(at now: Instant) -> [ReceiverReport] { receivers.reports(at: now) }
}

// MARK: Publication
extension Locator {
    /// Processes the end of an epoch.
    ///
    /// - Parameter epochEnd: The instant at which the epoch ended; earlier than `now` if the port
    ///   was read late.
    private mutating func close(_ epoch: EpochFix, from index: Int, at now: Instant, epochEnd: Instant) {
        queue.append(.receiver(.epoch(receivers[index].id, epoch.fix)))
        if !epoch.isPublished { publish(epoch, from: index, at: now, epochEnd: epochEnd) }
    }

    /// Publishes the fix of an epoch, once per epoch.
    private mutating func publish(_ epoch: EpochFix, from index: Int, at now: Instant, epochEnd: Instant) {
        let fix = epoch.fix
        let id = receivers[index].id
        guard fix.coordinate != nil else {
            let served = receivers.selections(servedBy: index, isPrimary: receivers.primary == id)
            _ = detectMotion(fix, from: index, servedBy: served, at: now, epochEnd: epochEnd)
            return publishUnavailability(at: now)
        }
        let source = receivers.recordFix(fix, from: index, at: now)
        if source != id { publishNewPrimary(source, at: now) }
        power.updateStandbyReceivers(receivers)
        let served = receivers.selections(servedBy: index, isPrimary: source == id)
        let action = detectMotion(fix, from: index, servedBy: served, at: now, epochEnd: epochEnd)
        if source == id, !conditions.isEmpty {
            let detectsVisits = !requests.visits.isEmpty
            queue.append(conditions.evaluate(fix, from: id, motion: action, for: &requests, at: epochEnd))
            if detectsVisits, requests.visits.isEmpty { power.recordDemandChange() }
            updateNextFixRequest(at: now)
        }
        let location = receivers[index].location(of: fix, epochEnd: epochEnd, at: now)
        queue.publish(requests.streams.updates(for: location, from: id, servedBy: served, at: now))
        if requests.answer(with: location, of: epoch, servedBy: served, in: &queue, at: now) {
            power.recordDemandChange()
        }
        let suspectsDeparture = power.emitsPlans && requests.suspectsDeparture(servedBy: served)
        queue.append(
            power.recordFix(
                from: index, suspectsDeparture: suspectsDeparture, &receivers, for: requests, at: now,
                epochEnd: epochEnd))
    }

    /// Passes an epoch to motion detection and publishes the results. Returns the result that the
    /// conditions use.
    private mutating func detectMotion(
        _ fix: Fix, from index: Int, servedBy served: ServedSelections, at now: Instant, epochEnd: Instant
    ) -> MotionAction? {
        let location = receivers[index].location(of: fix, epochEnd: epochEnd, at: now)
        let result = requests.detectMotion(location, servedBy: served, at: now, epochEnd: epochEnd)
        queue.publish(result.updates)
        if result.hasChanges { power.recordDemandChange() }
        if let action = result.deviceAction { power.updateMotion { $0.record(action, at: now) } }
        conditions.publish(result.visit, to: requests.visits.subscribers, in: &queue)
        return result.boundaryAction
    }

    /// Publishes the last position of a new primary receiver to the streams on the best receiver.
    private mutating func publishNewPrimary(_ id: ReceiverID?, at now: Instant) {
        guard let id, let index = receivers.index(of: id), receivers.fixedPlace == nil else { return }
        guard let last = receivers[index].pipeline.lastFix else { return }
        queue.append(.receiver(.changed(id)))
        let location = receivers[index].location(of: last.fix, epochEnd: last.at, at: now)
        queue.publish(requests.streams.updates(for: location, from: id, servedBy: .best, at: now))
    }

    /// Publishes the cause of a missing position to streams whose receiver has none.
    private mutating func publishUnavailability(at now: Instant) {
        queue.publish(requests.streams.unavailabilityUpdates(at: now) { receivers.unavailability(for: $0, at: now) })
    }
}

// MARK: Requests of clients
extension Locator {
    /// Opens a stream and returns its first update, which is the current state.
    public mutating func subscribe(_ request: StreamRequest, id: RequestID, at now: Instant) -> Update {
        publishNewPrimary(receivers.replaceLostPrimary(at: now), at: now)
        defer { queue.append(power.updateAll(&receivers, for: requests, at: now)) }
        return requests.open(request, id: id, receivers, at: now)
    }

    /// Returns the first update that ``subscribe(_:id:at:)`` would return, without any demand.
    public func currentUpdate(for request: StreamRequest, at now: Instant) -> Update {
        requests.currentUpdate(for: request, receivers, at: now)
    }

    /// Forgets the last positions and the place of rest; returns their number, and that of visits.
    public mutating func forgetPositions(at now: Instant) -> (positions: Int, visits: Int) {
        power.recordDemandChange()
        return (receivers.forgetPositions(at: now), requests.forgetPlaces(at: now))
    }

    /// Closes streams, cancels location requests, and ends subscriptions to visits and headings.
    /// Streams that are opened again after an interruption get nothing older than before it.
    public mutating func cancel(_ ids: Set<RequestID>, isInterruption: Bool = false) {
        requests.cancel(ids, isInterruption: isInterruption)
        power.recordDemandChange()
    }

    /// Requests one location. Returns the last location and the time since the end of its epoch if
    /// it is recent enough. Otherwise returns nil; ``Effect/Request/answer(_:_:age:burstAge:)`` or
    /// ``Effect/Request/reject(_:_:)`` follows.
    ///
    /// - Parameters:
    ///   - maximumAge: The maximum time since the end of the epoch of a usable position.
    ///   - deadline: When the request is rejected.
    ///   - timesBurst: Whether the arrival of the first byte of the location's burst is needed.
    public mutating func requestLocation(
        _ id: RequestID, maximumAge: Instant.Span, deadline: Instant, receiver: ReceiverSelection,
        timesBurst: Bool = false, at now: Instant
    ) -> (location: ReceiverFix, age: Instant.Span)? {
        publishNewPrimary(receivers.replaceLostPrimary(at: now), at: now)
        let receiver = timesBurst ? receivers.timeSource(for: receiver, at: now) : receiver
        if let recent = receivers.recentPosition(of: receiver, maximumAge: maximumAge, at: now) { return recent }
        requests.locations.add(LocationRequest(id, receiver, deadline: deadline, timesBurst: timesBurst))
        queue.append(power.updateAll(&receivers, for: requests, at: now))
        return nil
    }

    /// Subscribes to visits until ``cancel(_:isInterruption:)``, and returns the current visit.
    ///
    /// - Parameter open: A visit that was open when the last subscription ended.
    public mutating func watchVisits(_ id: RequestID, continuing open: Stay? = nil, at now: Instant) -> Stay? {
        defer { queue.append(power.updateAll(&receivers, for: requests, at: now)) }
        return conditions.watchVisits(id, continuing: open, from: &requests, position(at: now), in: &queue, at: now)
    }

    /// Returns the current visit, without a subscription and its demand.
    public func currentVisit(continuing open: Stay? = nil, at now: Instant) -> Stay? {
        requests.currentVisit(continuing: open, lastPosition: position(at: now), at: now)
    }

    /// Subscribes to the heading until ``cancel(_:isInterruption:)``, and returns its first update.
    public mutating func watchHeading(_ request: HeadingRequest, id: RequestID, at now: Instant) -> HeadingChange {
        defer { queue.append(power.updateAll(&receivers, for: requests, at: now)) }
        return requests.headings.add(request, id: id, receivers, at: now)
    }

    /// Returns the current heading, without a subscription and its demand.
    public func currentHeading(at now: Instant) -> HeadingChange { requests.headings.currentUpdate(receivers, at: now) }

    /// Returns the update that streams with low latency would get if the open epoch ended now.
    public func expectedUpdate(from id: ReceiverID, at now: Instant) -> Update? {
        requests.streams.expectedUpdate(at: now) { receivers.provisionalLocation(from: id, at: now) }
    }

    /// Returns the last location of the primary receiver, of any age, and when its epoch ended.
    public func position(at now: Instant) -> (location: ReceiverFix, at: Instant)? {
        receivers.lastPosition(of: .best, at: now)
    }

    /// Returns the start of the stationary period, in its receiver's time; nil if none is known.
    public func restingSince(at now: Instant) -> UTCTime? { requests.restingSince(lastPosition: position(at: now)) }
}

// MARK: The fixed place, motion sources and the sleep of the host
extension Locator {
    /// The fixed place that is the source of the device's location; nil if receivers are.
    public var fixedPlace: FixedPlace? {
        get { receivers.fixedPlace }
        set {
            if newValue?.isChecked != receivers.fixedPlace?.isChecked { power.recordDemandChange() }
            receivers.fixedPlace = newValue
        }
    }

    /// Makes a fixed place the source of the device's location, or receivers again.
    public mutating func setStation(_ station: Station?, clock: UTCTime?, at now: Instant) {
        guard station != receivers.fixedPlace?.station else { return }
        receivers.fixedPlace = station.map { FixedPlace($0, clock: clock, at: now) }
        queue.publish(requests.setFixedPlace(fixedPlace, at: now))
        conditions.publish(requests.move(to: fixedPlace, at: now), to: requests.visits.subscribers, in: &queue)
        conditions.beginFixedEvaluation(at: receivers.fixedPlace.map { _ in now }, isNew: true)
        updateNextFixRequest(at: now)
        publishChange(of: FixedPlace.source, successor: nil, at: now)
    }

    /// Puts receivers to sleep before the host is suspended, and wakes those in demand after it.
    public mutating func setSuspended(_ isSuspended: Bool, at now: Instant) {
        queue.append(power.setSuspended(isSuspended, &receivers, for: requests, at: now))
    }

    /// The sources of motion. The tick after a change updates the receivers' plans.
    public var motion: MotionSources {
        get { power.motion }
        set { power.updateMotion { $0 = newValue } }
    }

    /// Processes a report that the device was moved. Clients get nothing; a trial proves nothing.
    public mutating func reportMotion(from source: String, isTrial: Bool = false, at now: Instant) {
        queue.append(power.reportMotion(from: source, isTrial: isTrial, &receivers, at: now))
    }
}

// MARK: Monitored conditions
extension Locator {
    /// Adds conditions to monitor. The following ticks evaluate them with the current position.
    public mutating func addConditions(_ batch: [GeofenceEngine.Entry], at now: Instant) {
        if batch.isEmpty { return }
        queue.append(conditions.add(batch, to: &requests, at: now, lastPosition: position(at: now)))
        conditions.beginFixedEvaluation(at: receivers.fixedPlace.map { _ in now }, isNew: false)
        updateNextFixRequest(at: now)
        queue.append(power.updateAll(&receivers, for: requests, at: now))
    }

    /// Stops monitoring these conditions. A tick that is due at once updates the receivers' plans.
    public mutating func removeConditions(_ ids: some Sequence<ConditionID>, at now: Instant) {
        conditions.remove(ids, from: &requests, at: now)
        power.recordDemandChange()
        updateNextFixRequest(at: now)
    }

    /// Changes the beacons in range; queues the events of conditions.
    public mutating func updateBeacons(_ change: (inout BeaconMonitor, inout [ConditionEvent]) -> Void) {
        queue.append(conditions.updateBeacons(change))
    }

    /// Passes a change of the next fix request to the planners, and detects motion for it.
    private mutating func updateNextFixRequest(at now: Instant) {
        let next = receivers.fixedPlace == nil ? conditions.nextFixRequest : nil
        guard next != power.nextFixRequest else { return }
        power.setNextFixRequest(next, for: &receivers, at: now)
        requests.setMonitorsBoundaries(next != nil)
    }
}
