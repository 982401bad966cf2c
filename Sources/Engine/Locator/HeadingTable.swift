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
    ) -> HeadingChange {
        let held = deadline
        let selected = select(receivers, at: now)
        // A heading that another subscriber gets later stays due.
        deadline = earliest(held, deadline)
        let update = HeadingTable.update(selected, receivers, at: now)
        streams.append(HeadingStream(id: id, request: request, sent: HeadingStream.Sent(selected, update), at: now))
        return update
    }

    /// Returns the first update of a subscriber without adding one.
    func currentUpdate(_ receivers: ReceiverTable, at now: Instant) -> HeadingChange {
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
    ) -> (heading: HeadingChange, subscribers: [RequestID])? {
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
    ) -> HeadingChange {
        selected.flatMap { receivers.headingUpdate($0, at: now) }
            ?? HeadingChange(unavailability: receivers.unavailability(for: .best, at: now))
    }
}

/// One subscriber of the heading, and what it was sent last.
private struct HeadingStream: Sendable {
    /// An update, as far as the next one depends on it.
    enum Sent: Sendable, Equatable {
        /// A heading of this source.
        case heading(HeadingCandidate)
        /// No heading, for this cause.
        case none(Cause?)

        init(_ selected: HeadingCandidate?, _ update: HeadingChange) {
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
    func nextUpdate(_ selected: HeadingCandidate?, cause: Cause?, at now: Instant) -> Instant? {
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

/// A heading that one source of one receiver reports.
struct HeadingCandidate: Sendable, Equatable {
    var receiver: ReceiverID
    /// The latest report of the source.
    var entry: HeadingReports.Entry

    /// Returns whether both have the same receiver and source.
    func isSameSource(as other: HeadingCandidate) -> Bool {
        receiver == other.receiver && entry.report.source == other.entry.report.source
    }

    func isBetter(than other: HeadingCandidate) -> Bool {
        entry.report.source.isBetter(than: other.entry.report.source)
    }
}

/// Selects the heading of the device among the sources of all receivers.
///
/// A better source takes over when it has reported for ``takeoverDelay`` without a gap; it replaces
/// a course at once. A source that stops is replaced when its last report is no longer valid. Of
/// equal sources the present one stays.
struct HeadingSelector: Sendable {
    /// How long a better source must report before it replaces another one. A receiver that
    /// acquires and loses the vector between its antennas then causes few changes.
    static let takeoverDelay = Instant.Span.seconds(5)

    private var current: HeadingCandidate?

    /// Selects the heading and keeps it as the present one.
    ///
    /// - Parameter candidates: The latest reports; of equal ones, the first is preferred.
    mutating func select(_ candidates: [HeadingCandidate], at now: Instant) -> HeadingCandidate? {
        current = selection(among: candidates, at: now)
        return current
    }

    /// Returns what ``select(_:at:)`` would select.
    func selection(among candidates: [HeadingCandidate], at now: Instant) -> HeadingCandidate? {
        let valid = candidates.lazy.filter { $0.entry.isCurrent(at: now) }
        let present = current.flatMap { current in valid.first { $0.isSameSource(as: current) } }
        var best = present
        for candidate in valid where best.map(candidate.isBetter) ?? true {
            if let present, !mayReplace(present, candidate) { continue }
            best = candidate
        }
        return best
    }

    private func mayReplace(_ present: HeadingCandidate, _ candidate: HeadingCandidate) -> Bool {
        let entry = candidate.entry
        return present.entry.report.source == .course || entry.at - entry.since >= HeadingSelector.takeoverDelay
    }
}

/// One message about the heading to its clients.
public struct HeadingChange: Sendable, Equatable {
    /// The heading; nil if there is none.
    public var heading: HeadingSample?
    /// The name of the receiver that reports the heading; nil without one.
    public var receiver: String?
    /// Why there is no heading, as a code; nil if there is one, and if receivers work but report
    /// none.
    public var cause: Cause?
    /// Why there is no heading, as text; nil if there is one.
    public var detail: String?

    /// Creates an update with a heading.
    public init(_ heading: HeadingSample, receiver: String) {
        self.heading = heading
        self.receiver = receiver
    }

    /// Creates an update without a heading.
    ///
    /// - Parameter unavailability: Why the receivers give no position; nil if they do.
    public init(unavailability: Unavailability?) {
        cause = unavailability?.cause
        detail =
            unavailability?.detail
            ?? "no receiver reports a heading, and the device moves too slowly for a course"
    }
}

/// A request for the heading.
public struct HeadingRequest: Sendable, Equatable {
    /// The minimum change in degrees since the last update, 0 ... 180.
    public var filter: Double
    /// Whether the request makes no demand on receivers.
    public var isPassive: Bool

    /// Creates a request.
    public init(filter: Double = 0, isPassive: Bool = false) {
        self.filter = filter
        self.isPassive = isPassive
    }
}
