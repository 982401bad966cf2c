import Chronology
import Geodesy

/// Adding and removing conditions.
extension GeofenceEngine {
    /// A condition to monitor.
    public struct Entry: Sendable {
        /// The identifier of the condition.
        public var id: ConditionID
        /// The condition.
        public var condition: Condition
        /// The saved state; nil for a new condition.
        public var remembered: ConditionSnapshot?

        /// Creates an entry for a condition that is new or loaded from the store.
        public init(_ id: ConditionID, _ condition: Condition, remembered: ConditionSnapshot? = nil) {
            self.id = id
            self.condition = condition
            self.remembered = remembered
        }
    }

    /// Adds conditions. An entry with a known identifier replaces that condition. If the device's
    /// position is known, the next ticks evaluate them.
    public mutating func add(_ batch: [Entry], at now: Instant) {
        for entry in batch where slots[entry.id] != nil { remove(CollectionOfOne(entry.id)) }
        reserve(batch.count)
        var boxes: [(slot: Int32, box: ECEFBox)] = []
        boxes.reserveCapacity(batch.count)
        for entry in batch where slots[entry.id] == nil {
            let slot = slot(for: entry)
            slots[entry.id] = slot
            guard watched[Int(slot)].place != .removed else { continue }
            if let expiry = entry.condition.expiry { expiries.push(expiry, slot) }
            boxes.append((slot, ECEFBox(entry.condition.shape)))
            switch watched[Int(slot)].snapshot.state {
            case .unsatisfied, .unmonitored: break
            case .unknown: unevaluated.append(slot)
            case .satisfied: queue(slot, -.infinity)
            }
        }
        tree.insert(boxes)
        queuedThrough = -.infinity
        if let last, last.isRecent(at: now) { nextBatch = now }
    }

    /// Removes conditions.
    public mutating func remove(_ ids: some Sequence<ConditionID>) {
        var wasClose = false
        for id in ids {
            guard let slot = slots.removeValue(forKey: id) else { continue }
            wasClose = wasClose || watched[Int(slot)].place == .close
            deactivate(slot)
            // Release the memory of the rings. This also makes the timer and expiry entries stale.
            watched[Int(slot)].condition = Condition(shape: .corridor(path: [], width: 0))
            free.append(slot)
        }
        if wasClose { close.removeAll { watched[Int($0)].place != .close } }
        if slots.isEmpty { self = GeofenceEngine() } else { removeStaleEntries() }
    }

    /// Removes a condition from the tree and marks its slot as removed.
    mutating func deactivate(_ slot: Int32) {
        tree.remove(slot)
        watched[Int(slot)].place = .removed
    }

    /// Drops stale queue entries once they outnumber the valid ones. Also drops stale entries at
    /// the front, which would cause needless wakeups.
    mutating func removeStaleEntries() {
        let (most, watched) = (2 * slots.count + 64, watched)
        if due.count > most { due.filter { watched[Int($0.slot)].isDue($0) } }
        if timers.count > most { timers.filter { watched[Int($0.slot)].deadline == $0.key } }
        if expiries.count > most { expiries.filter { watched[Int($0.slot)].condition.expiry == $0.key } }
        while let entry = due.first, !watched[Int(entry.slot)].isDue(entry) { _ = due.pop() }
        while let timer = timers.first, watched[Int(timer.slot)].deadline != timer.key { _ = timers.pop() }
        while let expiry = expiries.first, !watched[Int(expiry.slot)].expires(at: expiry.key) { _ = expiries.pop() }
    }

    private mutating func reserve(_ more: Int) {
        guard more > 64 else { return }
        let wanted = slots.count + more
        slots.reserveCapacity(wanted)
        watched.reserveCapacity(max(watched.count, wanted))
        unevaluated.reserveCapacity(unevaluated.count + more)
    }

    private mutating func slot(for entry: Entry) -> Int32 {
        let snapshot = ConditionTracker(entry.condition, remembered: entry.remembered)
        var new = MonitoredCondition(id: entry.id, condition: entry.condition, snapshot: snapshot)
        if snapshot.state == .unmonitored { new.place = .removed }
        if let slot = free.popLast() {
            watched[Int(slot)] = new
            return slot
        }
        watched.append(new)
        return Int32(truncatingIfNeeded: watched.count - 1)
    }
}

extension GeofenceEngine.MonitoredCondition {
    func expires(at time: UTCTime) -> Bool { condition.expiry == time && snapshot.state != .unmonitored }
}
