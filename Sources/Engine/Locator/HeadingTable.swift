import Chronology
import Positioning

/// The subscribers of the heading, and its selection.
struct HeadingTable: Sendable {
    /// The demand of a subscriber: each epoch without delay, also while stationary, because a
    /// stationary device turns.
    static let demand = Demand(interval: .seconds(1), isLowLatency: true, stationaryCheckInterval: nil)
    /// The minimum time between two updates of a subscriber, on the host's clock. A gyrocompass
    /// reports up to 50 times per second.
    static let minInterval = Instant.Span.milliseconds(100)

    private var streams: [HeadingStream] = []
    private var selector = HeadingSelector()
    /// When the selected heading is no longer valid, or may be sent to a subscriber that got one
    /// just before; nil if neither.
    private(set) var deadline: Instant?

    var isEmpty: Bool { streams.isEmpty }
    /// The demand of all subscribers; nil if none makes any.
    var demand: Demand? { streams.contains { !$0.request.isPassive } ? HeadingTable.demand : nil }
    var demands: [StreamDemand] {
        streams.map {
            let demand = $0.request.isPassive ? nil : HeadingTable.demand
            return StreamDemand(id: $0.id, receiver: .best, demand: demand, isPaused: false)
        }
    }

    /// Adds a subscriber and returns its first update.
    mutating func add(
        _ request: HeadingRequest, id: RequestID, _ receivers: ReceiverTable, at now: Instant
    ) -> HeadingUpdate {
        let held = deadline
        let selected = select(receivers, at: now)
        // A heading that another subscriber gets later stays due.
        deadline = earliest(held, deadline)
        let update = HeadingTable.update(selected, receivers, at: now)
        streams.append(HeadingStream(id: id, request: request, sent: HeadingStream.Sent(selected, update), at: now))
        return update
    }

    /// Returns the first update of a subscriber without adding one.
    func currentUpdate(_ receivers: ReceiverTable, at now: Instant) -> HeadingUpdate {
        let candidates = receivers.headingCandidates(at: now)
        return HeadingTable.update(selector.selection(among: candidates, at: now), receivers, at: now)
    }

    mutating func remove(_ ids: Set<RequestID>) {
        streams.removeAll { ids.contains($0.id) }
        if streams.isEmpty { deadline = nil }
    }

    /// Returns the update that is due and its subscribers; nil if none is.
    mutating func nextUpdate(
        _ receivers: ReceiverTable, at now: Instant
    ) -> (heading: HeadingUpdate, subscribers: [RequestID])? {
        if streams.isEmpty { return nil }
        let selected = select(receivers, at: now)
        var update = selected == nil ? HeadingTable.update(nil, receivers, at: now) : nil
        var due: [RequestID] = []
        for index in streams.indices {
            guard let next = streams[index].nextUpdate(selected, cause: update?.cause, at: now) else { continue }
            if next > now {
                deadline = earliest(deadline, next)
                continue
            }
            // Both directions are computed only for an update that is sent.
            let message = update ?? HeadingTable.update(selected, receivers, at: now)
            update = message
            streams[index].recordSent(HeadingStream.Sent(selected, message), at: now)
            due.append(streams[index].id)
        }
        guard let update, !due.isEmpty else { return nil }
        return (update, due)
    }

    private mutating func select(_ receivers: ReceiverTable, at now: Instant) -> HeadingCandidate? {
        let selected = selector.select(receivers.headingCandidates(at: now), at: now)
        deadline = selected.map { $0.entry.at + HeadingReports.lifetime }
        return selected
    }

    private static func update(
        _ selected: HeadingCandidate?, _ receivers: ReceiverTable, at now: Instant
    ) -> HeadingUpdate {
        selected.flatMap { receivers.headingUpdate($0, at: now) }
            ?? HeadingUpdate(unavailability: receivers.unavailability(for: .best, at: now))
    }
}

/// One subscriber of the heading, and what it was sent last.
private struct HeadingStream: Sendable {
    /// An update, as far as the next one depends on it.
    enum Sent: Sendable, Equatable {
        /// A heading of this source.
        case heading(HeadingCandidate)
        /// No heading, for this cause.
        case none(UnavailableCause?)

        init(_ selected: HeadingCandidate?, _ update: HeadingUpdate) {
            self = selected.map(Sent.heading) ?? .none(update.cause)
        }
    }

    let id: RequestID
    let request: HeadingRequest
    private var sent: Sent
    private var sentAt: Instant

    init(id: RequestID, request: HeadingRequest, sent: Sent, at now: Instant) {
        self.id = id
        self.request = request
        self.sent = sent
        sentAt = now
    }

    mutating func recordSent(_ sent: Sent, at now: Instant) { (self.sent, sentAt) = (sent, now) }

    /// Returns when the next update may be sent; nil if there is none.
    ///
    /// - Parameter cause: Why there is no heading; ignored if there is one.
    func nextUpdate(_ selected: HeadingCandidate?, cause: UnavailableCause?, at now: Instant) -> Instant? {
        let earliest = sentAt + HeadingTable.minInterval
        switch (sent, selected) {
        case (.heading, nil): return now
        case (.none(let last), nil): return last == cause ? nil : now
        case (.none, .some): return earliest
        case (.heading(let last), .some(let selected)):
            guard selected.isSameSource(as: last) else { return earliest }
            if selected.entry.at == last.entry.at { return nil }
            let (old, new) = (last.entry.report, selected.entry.report)
            let isChanged =
                old.isMagnetic != new.isMagnetic || HeadingSample.difference(old.degrees, new.degrees) >= request.filter
            return isChanged ? earliest : nil
        }
    }
}
