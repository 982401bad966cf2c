import Chronology
import Positioning

/// The open requests of all clients, and the motion detectors that they and boundary monitoring
/// use.
package struct ClientRequests: Sendable {
    /// What an epoch changed about the motion of the device.
    struct MotionResult: Sendable {
        var updates: [StreamUpdate] = []
        /// The visit that began or ended.
        var visit: Stay?
        /// The result of the detector that boundary monitoring uses.
        var boundaryAction: MotionAction?
        /// The result of a detector with which the device came to rest or departed.
        var deviceAction: MotionAction?
        /// Whether a detector changed its state, and with it the demand of streams.
        var hasChanges = false
    }

    var streams = StreamTable()
    var locations = LocationRequestTable()
    private(set) var visits = VisitTable()
    var headings = HeadingTable()
    private var motion = MotionDetectors()
    private var monitorsBoundaries = false
    /// The fixed place of the device; nil if fixes show where it rests.
    private var fixedPlace: StationaryPlace?

    /// The demands of the streams, of the location requests, and of the subscribers of the heading.
    package var demands: [StreamDemand] {
        let ofStreams = fixedPlace == nil ? streams.demands : streams.demands.filter { $0.receiver != .best }
        return ofStreams + locations.demands + headings.demands
    }
    /// The number of open streams.
    package var streamCount: Int { streams.count }
    /// When a request needs a tick.
    var deadline: Instant? {
        let nextFixed = fixedPlace == nil ? nil : streams.nextFixedUpdate
        return earliest(
            earliest(locations.deadline, visits.deadline),
            earliest(earliest(streams.deadline, nextFixed), headings.deadline))
    }
    /// The place where boundary monitoring finds the device stationary.
    package var boundaryRestingPlace: StationaryPlace? { restingPlace(.any, for: .best) }

    private func restingPlace(
        _ threshold: StationaryThreshold, for receiver: ReceiverSelection
    ) -> StationaryPlace? {
        receiver == .best && fixedPlace != nil ? fixedPlace : motion.restingPlace(threshold, for: receiver)
    }

    /// Sets the fixed place of the device. Returns the updates of the streams that it serves. If
    /// there is none any more, those streams wait for a receiver.
    mutating func setFixedPlace(_ place: FixedPlace?, at now: Instant) -> [StreamUpdate] {
        fixedPlace = place?.restingPlace
        for threshold in StationaryThreshold.allCases { streams.resume(threshold, for: .best, at: now) }
        guard let place else { return [] }
        let location = place.location(at: now)
        var updates: [StreamUpdate] = []
        for threshold in StationaryThreshold.allCases {
            let rest = MotionChange(
                action: .becameStationary(place.restingPlace), threshold: threshold, receiver: .best)
            updates += streams.updates(about: rest, last: location, at: now, epochEnd: now)
        }
        return updates + streams.updates(for: location, from: FixedPlace.source, servedBy: .best, at: now)
    }

    /// Begins the visit of a fixed place. Returns the visit that ends, unless it continues.
    mutating func move(to place: FixedPlace?, at now: Instant) -> Stay? {
        guard !visits.isEmpty, let place else { return nil }
        let time = place.location(at: now).fix.time
        var ended = visits.visit
        visits.begin(place.restingPlace, began: time, continuing: ended, at: now)
        guard visits.visit == nil else { return nil }
        ended?.departure = Stay.Moment(at: now, time: time)
        return ended
    }

    /// Returns the held updates of streams that are due, and those about a fixed place.
    mutating func tickStreams(at now: Instant, fixedPlace: FixedPlace?) -> [StreamUpdate] {
        streams.tick(at: now) + (fixedPlace.map { streams.fixedUpdates(at: $0, now: now) } ?? [])
    }

    /// Whether the motion detectors in use find that the device rests.
    var isResting: Bool { motion.isResting }

    /// Opens a stream and returns its first update: the current state, or that the device is
    /// already stationary.
    mutating func open(
        _ request: StreamRequest, id: RequestID, _ receivers: ReceiverTable, at now: Instant
    ) -> Update {
        var stream = streams.stream(id, request)
        let current = receivers.currentUpdate(for: stream, isWoken: true, at: now)
        defer { streams.add(stream) }
        if let threshold = stream.threshold { motion.add(threshold, for: stream.receiver) }
        if let update = restingUpdate(of: &stream, current: current.update, receivers, at: now) { return update }
        stream.begin(with: current.update, from: current.source, at: now)
        return current.update
    }

    /// Returns the first update of such a stream without opening it.
    func currentUpdate(for request: StreamRequest, _ receivers: ReceiverTable, at now: Instant) -> Update {
        // The stream is never opened, so its number does not matter.
        var stream = LiveStream(id: RequestID(0), request: request)
        let current = receivers.currentUpdate(for: stream, isWoken: false, at: now).update
        return restingUpdate(of: &stream, current: current, receivers, at: now) ?? current
    }

    /// Returns a new stream's update that the device is already stationary; nil if it is not, or if
    /// the stream does not report it.
    private func restingUpdate(
        of stream: inout LiveStream, current: Update, _ receivers: ReceiverTable, at now: Instant
    ) -> Update? {
        guard let threshold = stream.threshold, let place = restingPlace(threshold, for: stream.receiver),
            current.unavailability?.cause.isExpectedWhileAsleep ?? true,
            let last = receivers.lastPosition(of: stream.receiver, at: now)
        else { return nil }
        return stream.process(.becameStationary(place), last: last.location, at: last.at)
    }

    /// Returns the start of the device's longest stationary period, in the time of the receiver
    /// with its last position.
    func restingSince(lastPosition: (location: ReceiverFix, at: Instant)?) -> UTCTime? {
        guard let place = fixedPlace ?? motion.longestRestingPlace, let lastPosition else { return nil }
        return place.began(lastPosition.location.fix.time, at: lastPosition.at)
    }

    /// Subscribes to visits and returns the current visit.
    ///
    /// - Parameter open: A visit that was open when the last subscription ended.
    mutating func watchVisits(
        _ id: RequestID, continuing open: Stay?, lastPosition: (location: ReceiverFix, at: Instant)?, at now: Instant
    ) -> Stay? {
        beginVisits(continuing: open, lastPosition: lastPosition, at: now)
        visits.add(id)
        return visits.visit
    }

    /// Begins to detect visits for conditions and returns the current visit.
    ///
    /// - Parameter open: A visit that was open when the conditions were last monitored.
    mutating func monitorVisits(
        continuing open: Stay?, lastPosition: (location: ReceiverFix, at: Instant)?, at now: Instant
    ) -> Stay? {
        beginVisits(continuing: open, lastPosition: lastPosition, at: now)
        visits.isMonitored = true
        return visits.visit
    }

    /// Ends the detection of visits for conditions.
    mutating func endMonitoringVisits() {
        guard visits.isMonitored else { return }
        visits.isMonitored = false
        removeUnusedMotionDetectors()
    }

    private mutating func beginVisits(
        continuing open: Stay?, lastPosition: (location: ReceiverFix, at: Instant)?, at now: Instant
    ) {
        guard visits.isEmpty else {
            if let open { visits.resume(open, resting: restingPlace(VisitTable.threshold, for: .best), at: now) }
            return
        }
        motion.add(VisitTable.threshold, for: .best)
        visits = newVisits(continuing: open, lastPosition: lastPosition, at: now)
    }

    /// Returns the visit that ``watchVisits(_:continuing:lastPosition:at:)`` would return.
    func currentVisit(
        continuing open: Stay?, lastPosition: (location: ReceiverFix, at: Instant)?, at now: Instant
    ) -> Stay? {
        visits.isEmpty ? newVisits(continuing: open, lastPosition: lastPosition, at: now).visit : visits.visit
    }

    /// Returns a table without subscribers, whose detection begins with the known stationary
    /// period.
    private func newVisits(
        continuing open: Stay?, lastPosition: (location: ReceiverFix, at: Instant)?, at now: Instant
    ) -> VisitTable {
        var visits = VisitTable()
        let place = restingPlace(VisitTable.threshold, for: .best)
        let began = lastPosition.flatMap { last in place?.began(last.location.fix.time, at: last.at) }
        visits.begin(place, began: began, continuing: open, at: now)
        return visits
    }

    /// Ends streams, location requests and subscriptions to visits and to the heading.
    mutating func cancel(_ ids: Set<RequestID>, isInterruption: Bool) {
        streams.remove(ids, isInterruption: isInterruption)
        locations.remove(ids)
        visits.remove(ids)
        headings.remove(ids)
        removeUnusedMotionDetectors()
    }

    /// Sets whether conditions are monitored, which requires motion detection.
    mutating func setMonitorsBoundaries(_ monitorsBoundaries: Bool) {
        self.monitorsBoundaries = monitorsBoundaries
        if monitorsBoundaries { motion.add(.any, for: .best) } else { removeUnusedMotionDetectors() }
    }

    /// Passes an epoch to the motion detectors that its receiver serves, and to visit detection.
    ///
    /// - Parameter epochEnd: The instant at which the epoch ended.
    mutating func detectMotion(
        _ location: ReceiverFix, servedBy served: ServedSelections, at now: Instant, epochEnd: Instant
    ) -> MotionResult {
        let fix = location.fix
        var result = MotionResult()
        guard !motion.isEmpty else { return result }
        let rested = motion.isResting
        for change in motion.record(fix, servedBy: served, at: epochEnd) {
            result.updates += streams.updates(about: change, last: location, at: now, epochEnd: epochEnd)
            result.hasChanges = true
            if change.isForBoundaries { result.boundaryAction = change.action }
            guard motion.isResting != rested, change.action.isRest != rested else { continue }
            // The device has moved since the first of them.
            if case .becameMoving(let since) = change.action, case .becameMoving(let first)? = result.deviceAction,
                first < since
            {
                continue
            }
            result.deviceAction = change.action
        }
        if served.contains(.best) {
            result.visit =
                visits.process(fix, state: motion.state(VisitTable.threshold, for: .best), at: epochEnd)?.visit
        }
        return result
    }

    /// Forgets where the device rests. Streams that are paused continue, and motion and visit
    /// detection begin again. Returns the number of forgotten visits.
    mutating func forgetPlaces(at now: Instant) -> Int {
        let count = visits.visit == nil ? 0 : 1
        for (threshold, receiver) in motion.forgetPlaces() {
            streams.resume(threshold, for: receiver, at: now)
        }
        let place = fixedPlace.map {
            StationaryPlace(coordinate: $0.coordinate, horizontalAccuracy: $0.horizontalAccuracy, since: now)
        }
        visits.begin(place, began: nil, at: now)
        return count
    }

    /// Answers the location requests that wait for a new location. Returns whether there are any.
    ///
    /// - Parameter epoch: The epoch of the location.
    mutating func answer(
        with location: ReceiverFix, of epoch: EpochFix, servedBy served: ServedSelections,
        in queue: inout EffectQueue,
        at now: Instant
    ) -> Bool {
        let answered = locations.takeAnswered(by: location, of: epoch, servedBy: served, at: now)
        let burstAge = epoch.burstStart.map { now - $0 }
        for request in answered { queue.append(.request(.answer(request, location, age: .zero, burstAge: burstAge))) }
        return !answered.isEmpty
    }

    /// Rejects the location requests that have expired. Returns whether there are any.
    mutating func rejectExpired(_ receivers: ReceiverTable, in queue: inout EffectQueue, at now: Instant) -> Bool {
        let expired = locations.takeExpired(at: now)
        for request in expired {
            queue.append(request.expired(receivers.unavailability(for: request.receiver, at: now), at: now))
        }
        return !expired.isEmpty
    }

    /// Advances visit detection to `now`. Returns a visit that began or ended.
    mutating func tickVisits(at now: Instant) -> Stay? { visits.tick(at: now)?.visit }

    /// Returns whether a detector suspects that a stationary device has moved away.
    func suspectsDeparture(servedBy served: ServedSelections) -> Bool { motion.suspectsDeparture(servedBy: served) }

    private mutating func removeUnusedMotionDetectors() {
        motion.removeUnused { [streams, visits, monitorsBoundaries] threshold, receiver in
            streams.usesMotionDetector(threshold, for: receiver) || visits.usesMotionDetector(threshold, for: receiver)
                || monitorsBoundaries && threshold == .any && receiver == .best
        }
    }
}

/// The demand of an open stream, a pending location request, or a subscriber of the heading.
public struct StreamDemand: Sendable, Equatable {
    /// The stream, the location request or the subscriber.
    public var id: RequestID
    /// The receivers that the demand concerns.
    public var receiver: ReceiverSelection
    /// The demand on the receivers; nil for a passive stream.
    public var demand: Demand?
    /// Whether the stream is paused because the device is stationary.
    public var isPaused: Bool

    /// Returns whether the demand applies to a receiver with this name and port.
    public func applies(toName: String, port: String) -> Bool { receiver.includes(name: toName, port: port) }
}
