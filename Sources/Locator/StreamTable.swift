import Chronology
import Delivery
import Positioning

/// All open streams, in the order they were opened.
struct StreamTable: Sendable {
    private var streams: [LiveStream] = []
    private var batches = 0

    var isEmpty: Bool { streams.isEmpty }
    var count: Int { streams.count }
    var demands: [StreamDemand] {
        streams.map {
            StreamDemand(id: $0.id, receiver: $0.receiver, demand: $0.demand, isPaused: $0.filter.isPaused)
        }
    }
    /// When the next batch is due.
    var deadline: Instant? { batches == 0 ? nil : streams.lazy.compactMap { $0.batch?.deadline }.min() }

    mutating func add(_ stream: LiveStream) {
        streams.append(stream)
        if stream.batch != nil { batches += 1 }
    }

    /// Removes streams and discards their batches.
    mutating func remove(_ ids: Set<StreamID>) {
        streams.removeAll { ids.contains($0.id) }
        batches = streams.count { $0.batch != nil }
    }

    /// Returns the updates of the streams that admit a location.
    mutating func updates(
        for location: Location, from source: ReceiverID, servedBy served: ServedSelections, at now: Instant
    ) -> [StreamUpdate] {
        var updates: [StreamUpdate] = []
        var unmarked: [StreamID] = []
        for index in streams.indices where served.contains(streams[index].receiver) {
            guard let kind = streams[index].admits(location.fix, from: source, at: now) else { continue }
            if kind == .unmarked, streams[index].batch == nil {
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
        about change: MotionChange, last location: Location, at now: Instant, epochEnd: Instant
    ) -> [StreamUpdate] {
        var updates: [StreamUpdate] = []
        var resting: Update?
        var reached: [StreamID] = []
        for index in streams.indices where streams[index].usesMotionDetector(change.threshold, for: change.receiver) {
            guard let update = streams[index].process(change.action, last: location, at: epochEnd) else { continue }
            resting = update
            if streams[index].batch == nil {
                reached.append(streams[index].id)
            } else {
                deliver(update, to: index, at: now, into: &updates)
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
        var groups: [(Unavailability, [StreamID])] = []
        for index in streams.indices {
            guard let cause = causes[streams[index].receiver] ?? nil, streams[index].filter.admits(cause) else {
                continue
            }
            if streams[index].batch != nil {
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

    /// Returns the updates of the batches that are due, or of all of them.
    mutating func tick(at now: Instant, all: Bool = false) -> [StreamUpdate] {
        guard batches > 0 else { return [] }
        var updates: [StreamUpdate] = []
        for index in streams.indices where streams[index].batch != nil {
            let due = all ? streams[index].batch?.flush(at: now) : streams[index].batch?.tick(at: now)
            for update in due ?? [] { updates.append(StreamUpdate(update, for: [streams[index].id])) }
        }
        return updates
    }

    /// Adds an update of one stream to `updates`, or to the stream's batch until that is due.
    private mutating func deliver(
        _ update: Update, to index: Int, at now: Instant, into updates: inout [StreamUpdate]
    ) {
        let due = streams[index].batch == nil ? [update] : streams[index].batch?.add(update, at: now) ?? []
        for update in due { updates.append(StreamUpdate(update, for: [streams[index].id])) }
    }
}

extension StreamTable {
    /// Whether any stream needs each fix without delay.
    var needsLowLatency: Bool { streams.indices.contains { streams[$0].needsLowLatency } }

    /// Returns whether any stream would admit a fix.
    func wouldAdmit(_ fix: Fix, at now: Instant) -> Bool {
        streams.indices.contains { streams[$0].filter.wouldAdmit(fix, at: now) }
    }

    /// Returns whether a stream uses the motion detector with this threshold.
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
