import Chronology
import Positioning

/// All open streams, in the order they were opened.
struct StreamTable: Sendable {
    private var streams: [LiveStream] = []
    /// The number of streams that hold updates.
    private var holders = 0
    /// The last times that interrupted streams have published.
    private var lastTimes: [RequestID: UTCTime] = [:]

    var isEmpty: Bool { streams.isEmpty }
    var count: Int { streams.count }
    var demands: [StreamDemand] {
        streams.map {
            StreamDemand(id: $0.id, receiver: $0.receiver, demand: $0.demand, isPaused: $0.filter.isPaused)
        }
    }
    /// When the next held update is due.
    var deadline: Instant? { holders == 0 ? nil : streams.lazy.compactMap(\.deadline).min() }

    /// Returns a new stream, which may have been interrupted.
    mutating func stream(_ id: RequestID, _ request: StreamRequest) -> LiveStream {
        LiveStream(id: id, request: request, after: lastTimes.removeValue(forKey: id))
    }

    mutating func add(_ stream: LiveStream) {
        streams.append(stream)
        if stream.holdsUpdates { holders += 1 }
    }

    /// Removes streams and discards their held updates.
    ///
    /// - Parameter isInterruption: Whether they may be opened again, and publish nothing older.
    mutating func remove(_ ids: Set<RequestID>, isInterruption: Bool) {
        if isInterruption {
            for stream in streams where ids.contains(stream.id) { lastTimes[stream.id] = stream.filter.lastTime }
        } else {
            for id in ids { lastTimes[id] = nil }
        }
        streams.removeAll { ids.contains($0.id) }
        holders = streams.count { $0.holdsUpdates }
    }

    mutating func updates(
        for location: ReceiverFix, from source: ReceiverID, servedBy served: ServedSelections, at now: Instant
    ) -> [StreamUpdate] {
        var updates: [StreamUpdate] = []
        var unmarked: [RequestID] = []
        for index in streams.indices where served.contains(streams[index].receiver) {
            guard let kind = streams[index].admits(location, from: source, at: now) else { continue }
            if kind == .unmarked, !streams[index].holdsUpdates {
                unmarked.append(streams[index].id)
            } else {
                var update = Update(location: location, stationary: kind == .resting, hasDeparted: kind == .departed)
                if kind == .resting { update.stationarySince = streams[index].restingSince }
                deliver(update, to: index, at: now, into: &updates)
            }
        }
        if !unmarked.isEmpty { updates.append(StreamUpdate(Update(location: location), for: unmarked)) }
        return updates
    }

    /// Returns the updates about a change between stationary and moving, for the streams that use
    /// its detector. The start of a stationary period is published with the last location.
    mutating func updates(
        about change: MotionChange, last location: ReceiverFix, at now: Instant, epochEnd: Instant
    ) -> [StreamUpdate] {
        var updates: [StreamUpdate] = []
        var resting: Update?
        var reached: [RequestID] = []
        for index in streams.indices where streams[index].usesMotionDetector(change.threshold, for: change.receiver) {
            guard let update = streams[index].process(change.action, last: location, at: epochEnd) else { continue }
            resting = update
            if streams[index].holdsUpdates {
                deliver(update, to: index, at: now, into: &updates)
            } else {
                reached.append(streams[index].id)
            }
        }
        if let resting, !reached.isEmpty { updates.append(StreamUpdate(resting, for: reached)) }
        return updates
    }

    /// Continues the streams that a motion detector has paused.
    mutating func resume(_ threshold: StationaryThreshold, for receiver: ReceiverSelection, at now: Instant) {
        for index in streams.indices where streams[index].usesMotionDetector(threshold, for: receiver) {
            streams[index].forgetPlace(at: now)
        }
    }

    /// Returns the updates about the cause of a missing position, grouped by cause.
    ///
    /// - Parameter cause: Returns the cause for a selection, or nil if there is a position.
    mutating func unavailabilityUpdates(
        at now: Instant, cause: (ReceiverSelection) -> Unavailability?
    ) -> [StreamUpdate] {
        guard !streams.isEmpty else { return [] }
        var causes: [ReceiverSelection: Unavailability?] = [:]
        for stream in streams where causes[stream.receiver] == nil {
            causes[stream.receiver] = .some(cause(stream.receiver))
        }
        var updates: [StreamUpdate] = []
        var groups: [(Unavailability, [RequestID])] = []
        for index in streams.indices {
            guard let cause = causes[streams[index].receiver] ?? nil, streams[index].filter.admits(cause) else {
                continue
            }
            if streams[index].holdsUpdates {
                deliver(Update(unavailability: cause), to: index, at: now, into: &updates)
            } else if let group = groups.firstIndex(where: { $0.0 == cause }) {
                groups[group].1.append(streams[index].id)
            } else {
                groups.append((cause, [streams[index].id]))
            }
        }
        for (cause, ids) in groups { updates.append(StreamUpdate(Update(unavailability: cause), for: ids)) }
        return updates
    }

    /// Returns the held updates that are due, or all of them.
    mutating func tick(at now: Instant, all: Bool = false) -> [StreamUpdate] {
        guard holders > 0 else { return [] }
        var updates: [StreamUpdate] = []
        for index in streams.indices where streams[index].holdsUpdates {
            for update in streams[index].heldUpdates(at: now, all: all) {
                updates.append(StreamUpdate(update, for: [streams[index].id]))
            }
        }
        return updates
    }

    /// When a stream that does not pause at rest gets the location of a fixed place again.
    var nextFixedUpdate: Instant? {
        streams.lazy.filter { $0.receiver == .best }.compactMap(\.filter.nextFixedUpdate).min()
    }

    mutating func fixedUpdates(at place: FixedPlace, now: Instant) -> [StreamUpdate] {
        var updates: [StreamUpdate] = []
        for index in streams.indices where streams[index].receiver == .best {
            guard let due = streams[index].filter.nextFixedUpdate, due <= now else { continue }
            streams[index].filter.recordFixedUpdate(at: now)
            deliver(Update(location: place.location(at: now)), to: index, at: now, into: &updates)
        }
        return updates
    }

    /// Adds an update of one stream to `updates`, or to the stream's held updates until it is due.
    private mutating func deliver(
        _ update: Update, to index: Int, at now: Instant, into updates: inout [StreamUpdate]
    ) {
        for update in streams[index].hold(update, at: now) {
            updates.append(StreamUpdate(update, for: [streams[index].id]))
        }
    }
}

extension StreamTable {
    /// Whether any stream needs each fix without delay.
    var needsLowLatency: Bool { streams.indices.contains { streams[$0].needsLowLatency } }

    /// Returns the update that streams with low latency would get about a provisional location.
    func expectedUpdate(at now: Instant, location: () -> ReceiverFix?) -> Update? {
        guard needsLowLatency, let location = location(),
            streams.contains(where: { $0.filter.wouldAdmit(location.fix, at: now) })
        else { return nil }
        return Update(location: location)
    }

    func usesMotionDetector(_ threshold: StationaryThreshold, for selection: ReceiverSelection) -> Bool {
        streams.contains { $0.usesMotionDetector(threshold, for: selection) }
    }

    /// Returns the combined demand of the streams that a receiver serves, or nil if there is
    /// none.
    func demand(servedBy served: ServedSelections) -> Demand? {
        var all: Demand?
        for stream in streams {
            guard let demand = stream.demand, served.contains(stream.receiver) else { continue }
            all = all?.union(demand) ?? demand
        }
        return all
    }

    /// Returns whether all streams with a demand on a receiver are paused because the device is
    /// stationary.
    func arePaused(servedBy served: ServedSelections) -> Bool {
        var isAnyPaused = false
        for stream in streams where stream.demand != nil && served.contains(stream.receiver) {
            guard stream.filter.isPaused else { return false }
            isAnyPaused = true
        }
        return isAnyPaused
    }

    /// Returns whether one of these streams needs each fix without delay.
    func needLowLatency(servedBy served: ServedSelections) -> Bool {
        streams.contains { $0.needsLowLatency && served.contains($0.receiver) }
    }
}
