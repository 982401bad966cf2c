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
        /// How it stood when it was last watched; nil for a new one.
        public var remembered: RememberedStanding?

        /// A condition, new or from the store.
        public init(_ id: ConditionID, _ condition: Condition, remembered: RememberedStanding? = nil) {
            (self.id, self.condition, self.remembered) = (id, condition, remembered)
        }
    }

    /// Watches more of them. One whose name is known already takes its place. Where it is known where the device is, they are looked at in
    /// the next ticks.
    public mutating func add(_ batch: [Entry], at now: Instant) {
        for entry in batch where slots[entry.id] != nil { remove(CollectionOfOne(entry.id)) }
        reserve(batch.count)
        var boxes: [(slot: Int32, box: SpaceBox)] = []
        boxes.reserveCapacity(batch.count)
        for entry in batch where slots[entry.id] == nil {
            let slot = slot(for: entry)
            slots[entry.id] = slot
            guard watched[Int(slot)].place != .gone else { continue }
            if let expiry = entry.condition.expiry { expiries.push(expiry, slot) }
            boxes.append((slot, SpaceBox(entry.condition.shape)))
            switch watched[Int(slot)].standing.state {
            case .unsatisfied, .unmonitored: break
            case .unknown: fresh.append(slot)
            case .satisfied: queue(slot, -.infinity)
            }
        }
        tree.insert(boxes)
        coverage = -.infinity
        if let last, last.holds(at: now) { nextTurn = now }
    }

    /// Watches these no more.
    public mutating func remove(_ ids: some Sequence<ConditionID>) {
        var wasClose = false
        for id in ids {
            guard let slot = slots.removeValue(forKey: id) else { continue }
            wasClose = wasClose || watched[Int(slot)].place == .close
            leave(slot)
            // Its rings are let go of; a timer or an expiry of it is void.
            watched[Int(slot)].condition = Condition(shape: .corridor(path: [], width: 0))
            free.append(slot)
        }
        if wasClose { close.removeAll { watched[Int($0)].place != .close } }
        if slots.isEmpty { self = FenceWatch() } else { tidy() }
    }

    /// Takes one out of all but the table.
    mutating func leave(_ slot: Int32) {
        tree.remove(slot)
        watched[Int(slot)].place = .gone
    }

    /// Lets go of what is void once it is more than what is not, and of what is void and would be due first: it must wake nobody.
    mutating func tidy() {
        let (most, watched) = (2 * slots.count + 64, watched)
        if due.count > most { due.keep { watched[Int($0.slot)].isDue($0) } }
        if timers.count > most { timers.keep { watched[Int($0.slot)].deadline == $0.key } }
        if expiries.count > most { expiries.keep { watched[Int($0.slot)].condition.expiry == $0.key } }
        while let entry = due.first, !watched[Int(entry.slot)].isDue(entry) { _ = due.pop() }
        while let timer = timers.first, watched[Int(timer.slot)].deadline != timer.key { _ = timers.pop() }
        while let expiry = expiries.first, !watched[Int(expiry.slot)].expires(at: expiry.key) { _ = expiries.pop() }
    }

    private mutating func reserve(_ more: Int) {
        guard more > 64 else { return }
        let wanted = slots.count + more
        slots.reserveCapacity(wanted)
        watched.reserveCapacity(max(watched.count, wanted))
        fresh.reserveCapacity(fresh.count + more)
    }

    private mutating func slot(for entry: Entry) -> Int32 {
        let standing = ConditionStanding(entry.condition, remembered: entry.remembered)
        var new = Watched(id: entry.id, condition: entry.condition, standing: standing)
        if standing.state == .unmonitored { new.place = .gone }
        if let slot = free.popLast() {
            watched[Int(slot)] = new
            return slot
        }
        watched.append(new)
        return Int32(truncatingIfNeeded: watched.count - 1)
    }
}

extension FenceWatch.Watched {
    func expires(at time: UTCTime) -> Bool { condition.expiry == time && standing.state != .unmonitored }
}
