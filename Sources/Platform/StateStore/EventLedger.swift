import Chronology
import Geofencing
import SQLite

/// Writes events to disk, and buffers them while the disk cannot be written.
///
/// An event is on disk before it is published. While events cannot be written (the disk is full,
/// read-only or failing), they stay in memory and are *not* published. Otherwise a power failure
/// could lose an event that a client has already received. ``writeError`` is set during that time,
/// and the daemon informs its clients (`persistenceUnavailable`, the name of Apple's flag). States
/// are still evaluated and shown. The first successful attempt writes the buffered events in order.
package final class EventLedger {
    /// The largest number of events held in memory, about 6 MB. Beyond it, events that together
    /// change nothing are folded, as in the store. If that is not enough, the oldest events are
    /// dropped and counted.
    package static let maxBufferedEvents = 16_384
    /// The interval between the first attempts to write; each failure doubles it up to the maximum.
    static let firstRetryInterval = Instant.Span.seconds(5)
    static let maxRetryInterval = Instant.Span.seconds(300)
    /// The time after which a database that was closed because of a device error is opened again.
    package static let reopenInterval = Instant.Span.seconds(5)

    /// The store that receives the events; nil while the database is closed.
    private var store: EventStore?
    /// The reason why events cannot be written; nil if writing works.
    package private(set) var writeError: StoreError?
    /// The number of events dropped since the start.
    package private(set) var droppedCount = 0
    /// When ``retry(at:)`` is due; nil if no events are held.
    package private(set) var deadline: Instant?

    private var events: [UnsavedEvent] = []
    private var snapshots: [ConditionID: StoredConditionState] = [:]
    private var retryInterval = EventLedger.firstRetryInterval
    /// Whether events may be in the log of the database although writing them has failed: if their
    /// fsync fails, and the database is opened again, they are found there.
    private var mayBeStored = false

    /// Creates an empty ledger.
    package init(_ store: EventStore) {
        self.store = store
    }

    /// The number of events held in memory.
    package var bufferedCount: Int { events.count }

    /// Records the events of a turn, and the `snapshots` of conditions that changed without an
    /// event.
    ///
    /// - Parameter recorded: The host's time.
    /// - Returns: The monitors with new events on disk.
    package func append(
        _ new: [ConditionEvent], snapshots changed: [(ConditionID, StoredConditionState)] = [], recorded: UTCTime,
        at now: Instant
    ) -> Set<MonitorID> {
        guard !new.isEmpty || !changed.isEmpty else { return [] }
        for event in new { snapshots[event.condition] = nil }
        events += new.map { UnsavedEvent($0, recorded: recorded) }
        for (id, snapshot) in changed { snapshots[id] = snapshot }
        if let deadline, now < deadline {
            limitBuffer()
            return []
        }
        return write(at: now)
    }

    /// Tries again to write the held events. Call this at ``deadline`` and at shutdown.
    package func retry(at now: Instant) -> Set<MonitorID> {
        events.isEmpty && snapshots.isEmpty ? [] : write(at: now)
    }

    /// Holds all events in memory until ``resume(on:)``, because the database is closed.
    ///
    /// - Parameter retry: When the owner opens the database again.
    package func suspend(because error: StoreError, until retry: Instant) {
        // Otherwise the database would stay open.
        store = nil
        writeError = error
        deadline = retry
    }

    /// Continues with the same database after it was opened again. ``retry(at:)``, which is due at
    /// once, then writes the held events.
    package func resume(on store: EventStore) {
        self.store = store
        writeError = nil
        deadline = events.isEmpty && snapshots.isEmpty ? nil : .zero
        retryInterval = EventLedger.firstRetryInterval
    }

    /// Discards what is not written of these conditions.
    package func discardEvents(of conditions: Set<ConditionID>) {
        events.removeAll { conditions.contains($0.event.condition) }
        snapshots = snapshots.filter { !conditions.contains($0.key) }
    }

    private func write(at now: Instant) -> Set<MonitorID> {
        guard let store else {
            limitBuffer()
            return []
        }
        do throws(StoreError) {
            let monitors = try store.append(
                events, snapshots: snapshots.map { ($0.key, $0.value) }, mayBeStored: mayBeStored)
            mayBeStored = false
            events = []
            snapshots = [:]
            writeError = nil
            deadline = nil
            retryInterval = EventLedger.firstRetryInterval
            return monitors
        } catch {
            mayBeStored = true
            if writeError != nil { retryInterval = min(retryInterval + retryInterval, EventLedger.maxRetryInterval) }
            writeError = error
            deadline = now + retryInterval
            limitBuffer()
            return []
        }
    }

    private func limitBuffer() {
        guard events.count > EventLedger.maxBufferedEvents else { return }
        events = UnsavedEvent.folded(events)
        let excess = events.count - EventLedger.maxBufferedEvents / 4 * 3
        guard events.count > EventLedger.maxBufferedEvents, excess > 0 else { return }
        droppedCount += events.prefix(excess).reduce(0) { $0 + 1 + $1.folded }
        events.removeFirst(excess)
    }
}

/// An event that is not on disk yet.
struct UnsavedEvent: Sendable, Equatable {
    var event: ConditionEvent
    var recorded: UTCTime
    /// The number of preceding events of the condition that were folded in memory.
    var folded = 0

    init(_ event: ConditionEvent, recorded: UTCTime) {
        self.event = event
        self.recorded = recorded
    }

    /// Returns the events without those that together return a condition to the state after its
    /// first event here. The last event of each condition is always kept and can carry the folded
    /// count.
    static func folded(_ events: [UnsavedEvent]) -> [UnsavedEvent] {
        var start: [ConditionID: ConditionState] = [:]
        var last: [ConditionID: Int] = [:]
        for (index, pending) in events.enumerated() { last[pending.event.condition] = index }
        var runs: [ConditionID: [Int]] = [:]
        var carried: [ConditionID: Int] = [:]
        var kept: [UnsavedEvent?] = events
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
        // The first remaining event after the folded ones gets their count.
        var seen: Set<ConditionID> = []
        for index in kept.indices {
            guard let id = kept[index]?.event.condition else { continue }
            if seen.insert(id).inserted { continue }
            if let count = carried.removeValue(forKey: id) { kept[index]?.folded += count }
        }
        return kept.compactMap { $0 }
    }
}
