import Chronology
import Geofencing

/// The way of events to the disk, also while it takes none.
///
/// An event is on the disk before anybody hears of it. While it cannot be written — the disk is full, read-only or failing — it is held in
/// memory and *not* delivered: what was told and then lost by a power cut would have been invented. ``trouble`` says so for as long as it
/// lasts, and the edge tells its clients (`persistenceUnavailable`, as Apple's flag is called); states go on to be judged and shown. What
/// is held is written in its order at the first attempt that succeeds.
public final class EventLedger {
    /// Events held in memory at most; about 6 MB. Beyond it those that change nothing together are folded, as in the store, and if that is
    /// not enough the oldest are lost and counted.
    public static let mostHeld = 16_384
    /// Attempts to write are at first this far apart, then twice as far each time.
    static let firstPatience = Instant.Span.seconds(5)
    static let longestPatience = Instant.Span.seconds(300)

    /// Where events go.
    public let store: MonitorStore
    /// Why nothing can be written; nil while all is well.
    public private(set) var trouble: StoreError?
    /// Events that could not be held and are gone, since the start.
    public private(set) var lost = 0
    /// When ``retry(at:)`` is due; nil while nothing is held.
    public private(set) var deadline: Instant?

    private var events: [PendingEvent] = []
    private var standings: [ConditionID: StoredStanding] = [:]
    private var patience = EventLedger.firstPatience

    /// A ledger with nothing held.
    public init(_ store: MonitorStore) {
        self.store = store
    }

    /// Events that are held in memory.
    public var held: Int { events.count }

    /// Takes what has happened in a turn; `standings` of conditions that changed without an event.
    ///
    /// - Parameter recorded: now, by the host's clock.
    /// - Returns: monitors with news on the disk.
    public func append(
        _ new: [ConditionEvent], standings changed: [(ConditionID, StoredStanding)] = [], recorded: UTCTime, at now: Instant
    ) -> Set<MonitorID> {
        guard !new.isEmpty || !changed.isEmpty else { return [] }
        for event in new { standings[event.condition] = nil }
        events += new.map { PendingEvent($0, recorded: recorded) }
        for (id, standing) in changed { standings[id] = standing }
        if let deadline, now < deadline {
            bound()
            return []
        }
        return write(at: now)
    }

    /// Tries again to write what is held. To be called at ``deadline``, and at the end of the service.
    public func retry(at now: Instant) -> Set<MonitorID> {
        events.isEmpty && standings.isEmpty ? [] : write(at: now)
    }

    private func write(at now: Instant) -> Set<MonitorID> {
        do throws(StoreError) {
            let news = try store.append(events, standings: standings.map { ($0.key, $0.value) })
            (events, standings, trouble, deadline, patience) = ([], [:], nil, nil, EventLedger.firstPatience)
            return news
        } catch {
            if trouble != nil { patience = min(patience + patience, EventLedger.longestPatience) }
            trouble = error
            deadline = now + patience
            bound()
            return []
        }
    }

    private func bound() {
        guard events.count > EventLedger.mostHeld else { return }
        events = PendingEvent.folded(events)
        let excess = events.count - EventLedger.mostHeld / 4 * 3
        guard events.count > EventLedger.mostHeld, excess > 0 else { return }
        lost += events.prefix(excess).reduce(0) { $0 + 1 + $1.folded }
        events.removeFirst(excess)
    }
}

/// An event on its way to the disk.
struct PendingEvent: Sendable, Equatable {
    var event: ConditionEvent
    var recorded: UTCTime
    /// Events of this condition directly before it that were folded away in memory.
    var folded = 0

    init(_ event: ConditionEvent, recorded: UTCTime) {
        (self.event, self.recorded) = (event, recorded)
    }

    /// The same without those that lead a condition back to the state after its first event here, unless they are its last: their number
    /// has to travel with another.
    static func folded(_ events: [PendingEvent]) -> [PendingEvent] {
        var start: [ConditionID: ConditionState] = [:]
        var last: [ConditionID: Int] = [:]
        for (index, pending) in events.enumerated() { last[pending.event.condition] = index }
        var runs: [ConditionID: [Int]] = [:]
        var carried: [ConditionID: Int] = [:]
        var kept: [PendingEvent?] = events
        for (index, pending) in events.enumerated() {
            let id = pending.event.condition
            guard let first = start[id] else {
                start[id] = pending.event.state
                continue
            }
            let run = runs[id, default: []] + [index]
            runs[id] = run
            guard pending.event.state == first, last[id] != index else { continue }
            carried[id, default: 0] += run.reduce(0) { $0 + 1 + events[$1].folded }
            for index in run { kept[index] = nil }
            runs[id] = []
        }
        // The first that is left after what was folded takes the number.
        var seen: Set<ConditionID> = []
        for index in kept.indices {
            guard let id = kept[index]?.event.condition else { continue }
            if seen.insert(id).inserted { continue }
            if let count = carried.removeValue(forKey: id) { kept[index]?.folded += count }
        }
        return kept.compactMap { $0 }
    }
}
