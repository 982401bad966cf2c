import Chronology
import Geodesy

/// Who comes and goes.
extension FenceWatch {
    /// A condition to be watched.
    public struct Entry: Sendable {
        /// What the edge calls it.
        public var id: ConditionID
        /// Where it holds.
        public var condition: Condition
        /// What was known of it when the process ended.
        public var remembered: RememberedStanding?

        /// A condition, new or from the store.
        public init(_ id: ConditionID, _ condition: Condition, remembered: RememberedStanding? = nil) {
            (self.id, self.condition, self.remembered) = (id, condition, remembered)
        }
    }

    /// Watches more of them. One whose name is known already takes its place.
    public mutating func add(_ batch: [Entry], at now: Instant) {
        remove(batch.lazy.map(\.id))
        reserve(batch.count)
        var boxes: [(slot: Int32, box: SpaceBox)] = []
        boxes.reserveCapacity(batch.count)
        for entry in batch {
            let slot = slot(for: entry, at: now)
            slots[entry.id] = slot
            if let expiry = entry.condition.expiry { expiries.push(expiry, slot) }
            guard watched[Int(slot)].place != .gone else { continue }
            boxes.append((slot, SpaceBox(entry.condition.shape)))
            switch watched[Int(slot)].standing.state {
            case .unsatisfied where !watched[Int(slot)].standing.isPending: break
            case .unknown: fresh.append(slot)
            default: queue(slot, -.infinity)
            }
        }
        tree.insert(boxes)
        coverage = -.infinity
    }

    /// Watches these no more.
    public mutating func remove(_ ids: some Sequence<ConditionID>) {
        var wasClose = false
        for id in ids {
            guard let slot = slots.removeValue(forKey: id) else { continue }
            wasClose = wasClose || watched[Int(slot)].place == .close
            leave(slot)
            watched[Int(slot)].condition.shape = .corridor(path: [], width: 0)
            watched[Int(slot)].condition.expiry = nil
            free.append(slot)
        }
        if wasClose { close.removeAll { watched[Int($0)].place != .close } }
        tidy()
    }

    /// Takes one out of all but the table.
    mutating func leave(_ slot: Int32) {
        tree.remove(slot)
        watched[Int(slot)].place = .gone
        watched[Int(slot)].mark = -.infinity
    }

    private mutating func reserve(_ more: Int) {
        guard more > 64 else { return }
        let wanted = slots.count + more
        slots.reserveCapacity(wanted)
        watched.reserveCapacity(max(watched.count, wanted))
        fresh.reserveCapacity(fresh.count + more)
    }

    private mutating func slot(for entry: Entry, at now: Instant) -> Int32 {
        let standing = ConditionStanding(entry.condition, remembered: entry.remembered, at: now)
        var new = Watched(id: entry.id, condition: entry.condition, standing: standing)
        if standing.state == .unmonitored { new.place = .gone }
        if let slot = free.popLast() {
            watched[Int(slot)] = new
            return slot
        }
        watched.append(new)
        return Int32(truncatingIfNeeded: watched.count - 1)
    }

    /// Lets go of what is void once it is more than what is not.
    private mutating func tidy() {
        if slots.isEmpty { return self = FenceWatch() }
        let (most, watched) = (2 * slots.count + 64, watched)
        if due.count > most { due.keep { watched[Int($0.slot)].isDue($0) } }
        if timers.count > most { timers.keep { watched[Int($0.slot)].standing.deadline == $0.key } }
        if expiries.count > most { expiries.keep { watched[Int($0.slot)].condition.expiry == $0.key } }
    }
}

extension FenceWatch.Watched {
    func isDue(_ entry: DueQueue<Double>.Entry) -> Bool { place == .near && mark == entry.key }
}
