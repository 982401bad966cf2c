import Chronology

/// Determines which conditions need an evaluation with a fix. The others cost nothing.
///
/// It identifies conditions by their slots in ``GeofenceEngine``. Each has one of these states:
/// - **unevaluated**: its state is unknown, and no fix has been evaluated yet. It is evaluated in
///   order, or as soon as the device is near.
/// - **far**: the device is known to be outside, and the box of the condition lies beyond the
///   ``queueRadius``, up to which conditions are queued. The tree of boxes finds it again when
///   the device approaches it or passes it between two fixes.
/// - **queued**: the distance to its boundary is known from its last evaluation. The next one is
///   due when the device can have travelled that distance.
/// - **everyFix**: the device may be on the boundary, or a change is being decided. It is evaluated
///   with every fix.
struct EvaluationSchedule: Sendable {
    /// The radius in metres around the device within which all conditions are queued.
    private static let queueRadius = 1000.0

    private enum Proximity: UInt8, Sendable { case removed, unevaluated, far, queued, everyFix }

    private struct Entry: Sendable {
        /// The travelled distance at which the device may have reached the boundary.
        var dueDistance = -Double.infinity
        var proximity = Proximity.removed

        /// Whether only the tree finds the condition again.
        var isOnlyInTree: Bool { proximity == .far || proximity == .unevaluated }

        func isDue(_ queued: PriorityQueue<Double>.Entry) -> Bool { proximity == .queued && dueDistance == queued.key }
    }

    private var entries: [Entry] = []
    private var tree = BoxTree()
    private var travelBound = TravelBound()
    /// The travelled distance at which far conditions must be queued again.
    private var queuedThrough = -Double.infinity
    /// The queued conditions, by the travelled distance at which they are due.
    private var due = PriorityQueue<Double>()
    /// The conditions to evaluate with every fix, and the index at which the next slice of them
    /// begins.
    private var everyFix: [Int32] = []
    private var sliceStart = 0
    /// The unevaluated conditions in the order added, among others that were evaluated or removed
    /// meanwhile, and the index of the next one.
    private(set) var unevaluated: [Int32] = []
    private var unevaluatedIndex = 0
    /// The number of unevaluated conditions.
    private var unevaluatedCount = 0

    /// Whether there are no conditions.
    var isEmpty: Bool { tree.isEmpty }
    /// Whether a condition waits for its first evaluation.
    var hasUnevaluated: Bool { unevaluatedCount > 0 }

    /// Returns whether a condition is evaluated at all.
    func contains(_ slot: Int32) -> Bool { entries[Int(slot)].proximity != .removed }

    /// Returns whether a condition that is evaluated with every fix fulfils a predicate.
    func isEvaluatedWithEveryFix(where predicate: (Int32) -> Bool) -> Bool { everyFix.contains(where: predicate) }

    /// Returns the distance in metres that the device can travel before any condition needs an
    /// evaluation; 0 if the next fix or a first evaluation is needed.
    ///
    /// - Parameter distance: The ``LocatedFix/influenceDistance`` of the last fix.
    func distanceToNextEvaluation(influenceDistance distance: Double) -> Double {
        guard !hasUnevaluated else { return 0 }
        let nearest = everyFix.reduce(min(queuedThrough, due.first?.key ?? .infinity)) {
            min($0, entries[Int($1)].dueDistance)
        }
        return max(0, nearest - travelBound.distance - distance)
    }
}

// MARK: Adding and removing conditions
extension EvaluationSchedule {
    /// Reserves memory for `additional` conditions.
    mutating func reserveCapacity(_ count: Int, additional: Int) {
        entries.reserveCapacity(max(entries.count, count))
        unevaluated.reserveCapacity(unevaluated.count + additional)
    }

    /// Adds a condition with its saved state. A call of ``insert(_:)`` with its box must follow,
    /// unless it is not monitored.
    mutating func add(_ slot: Int32, state: ConditionState) {
        while entries.count <= Int(slot) { entries.append(Entry()) }
        switch state {
        case .unmonitored: set(slot, to: Entry())
        case .unsatisfied: set(slot, to: Entry(proximity: .far))
        case .unknown:
            set(slot, to: Entry(proximity: .unevaluated))
            unevaluated.append(slot)
        case .satisfied: queue(slot, at: -.infinity)
        }
    }

    /// Inserts the boxes of added conditions into the tree.
    mutating func insert(_ boxes: [(slot: Int32, box: ECEFBox)]) {
        tree.insert(boxes)
        queuedThrough = -.infinity
    }

    /// Removes a condition. A call of ``removeStaleEntries(limit:)`` must follow before its slot is
    /// used again.
    mutating func remove(_ slot: Int32) {
        tree.remove(slot)
        set(slot, to: Entry())
    }

    /// Replaces the entry of a condition.
    private mutating func set(_ slot: Int32, to entry: Entry) {
        if entries[Int(slot)].proximity == .unevaluated { unevaluatedCount -= 1 }
        if entry.proximity == .unevaluated { unevaluatedCount += 1 }
        entries[Int(slot)] = entry
    }

    /// Drops removed conditions that were evaluated with every fix, and stale entries at the front
    /// of the queue. Drops all stale entries once the queue has more than `limit`. The same applies
    /// to the conditions not yet evaluated.
    mutating func removeStaleEntries(limit: Int) {
        if unevaluated.count > limit || !hasUnevaluated { removeStaleUnevaluated() }
        let entries = entries
        if !everyFix.isEmpty { everyFix.removeAll { entries[Int($0)].proximity == .removed } }
        if due.count > limit { due.filter { entries[Int($0.slot)].isDue($0) } }
        while let first = due.first, !entries[Int(first.slot)].isDue(first) { _ = due.pop() }
    }

    /// Drops evaluated and removed conditions from ``unevaluated``. A slot that was used again
    /// stays once.
    private mutating func removeStaleUnevaluated() {
        guard !unevaluated.isEmpty else { return }
        let entries = entries
        var kept: Set<Int32> = []
        unevaluated = unevaluated[unevaluatedIndex...].filter {
            entries[Int($0)].proximity == .unevaluated && kept.insert($0).inserted
        }
        unevaluatedIndex = 0
    }
}

// MARK: Evaluations
extension EvaluationSchedule {
    /// Processes the position of the device. Queues the conditions that are now near if there may
    /// be new ones.
    mutating func process(_ fix: LocatedFix) {
        travelBound.process(fix.point)
        if travelBound.distance + fix.influenceDistance >= queuedThrough { queueNearby(fix) }
    }

    /// Queues the conditions near the last fix if conditions were added since.
    mutating func queueAdded(near fix: LocatedFix) {
        if queuedThrough < travelBound.distance { queueNearby(fix) }
    }

    /// Begins a slice of the conditions to evaluate with every fix. Returns how many of them it
    /// contains, at most `limit`.
    mutating func beginSlice(limit: Int) -> Int {
        if sliceStart >= everyFix.count { sliceStart = 0 }
        return min(limit, everyFix.count)
    }

    /// Returns a condition of this slice by its index. Evaluations do not change the indices.
    func slot(inSliceAt index: Int) -> Int32 { everyFix[(sliceStart + index) % everyFix.count] }

    /// Ends a slice of `count` conditions. Drops those that no longer need every fix.
    mutating func endSlice(count: Int) {
        guard count > 0 else { return }
        sliceStart = (sliceStart + count) % everyFix.count
        let entries = entries
        everyFix.removeAll { entries[Int($0)].proximity != .everyFix }
    }

    /// Removes and returns a condition to evaluate: first those that the device may have reached,
    /// then those not yet evaluated.
    ///
    /// - Parameter distance: The ``LocatedFix/influenceDistance`` of the fix.
    mutating func takeNext(influenceDistance distance: Double) -> Int32? {
        let limit = travelBound.distance + distance
        while let first = due.first, first.key <= limit {
            _ = due.pop()
            if entries[Int(first.slot)].isDue(first) { return first.slot }
        }
        while unevaluatedIndex < unevaluated.count {
            let slot = unevaluated[unevaluatedIndex]
            unevaluatedIndex += 1
            // Others were evaluated while queued, or need the next fix.
            if entries[Int(slot)].proximity == .unevaluated { return slot }
        }
        (unevaluated, unevaluatedIndex) = ([], 0)
        return nil
    }

    /// Schedules the next evaluation of a condition after one with this fix.
    ///
    /// - Parameters:
    ///   - distance: The distance from the fix to the boundary in metres, positive inside.
    ///   - needsNextFix: Whether the condition needs the next fix at any position.
    mutating func schedule(_ slot: Int32, after fix: LocatedFix, distance: Double, needsNextFix: Bool) {
        let index = Int(slot)
        let dueDistance = travelBound.bound(afterTravelling: abs(distance))
        // A condition that would be due at once also needs every fix.
        if needsNextFix || dueDistance <= travelBound.distance + fix.influenceDistance {
            if entries[index].proximity != .everyFix { everyFix.append(slot) }
            set(slot, to: Entry(dueDistance: dueDistance, proximity: .everyFix))
            return
        }
        if distance < -2 * Self.queueRadius, let box = tree.box(of: slot) {
            let separation = Double(box.distance(to: SIMD4<Float>(fix.point)))
            if separation > 2 * Self.queueRadius {
                set(slot, to: Entry(proximity: .far))
                queuedThrough = min(queuedThrough, travelBound.bound(afterTravelling: separation))
                return
            }
        }
        queue(slot, at: dueDistance)
    }

    /// Queues the conditions that are now near, and those on the path from the previous fix.
    private mutating func queueNearby(_ fix: LocatedFix) {
        let point = SIMD4<Float>(fix.point)
        if let previous = fix.evidence.previous, fix.evidence.at - previous.at <= FenceEvidence.maxPassage {
            let path = ECEFSegment(from: ECEFBox.floatPosition(of: previous.coordinate), to: point)
            var passed: [Int32] = []
            // The ground lies above a chord by the chord's square over eight Earth radii.
            let distance = fix.influenceDistance + previous.distance * previous.distance / 5e7
            tree.forEachBox(within: Float(distance), of: path) {
                if entries[Int($0)].isOnlyInTree { passed.append($0) }
            }
            for slot in passed { queue(slot, at: -.infinity) }
        }
        var found: [(slot: Int32, distance: Float)] = []
        tree.forEachBox(within: Float(max(Self.queueRadius, 2 * fix.influenceDistance)), of: point) { slot, distance in
            if entries[Int(slot)].isOnlyInTree { found.append((slot, distance)) }
        }
        for (slot, distance) in found {
            let isUnevaluated = entries[Int(slot)].proximity == .unevaluated
            queue(slot, at: isUnevaluated ? -.infinity : travelBound.bound(afterTravelling: Double(distance)))
        }
        let nearest = tree.nearest(to: point) { entries[Int($0)].isOnlyInTree }
        queuedThrough = travelBound.bound(afterTravelling: Double(nearest))
    }

    /// Queues a condition for evaluation at this travelled distance.
    private mutating func queue(_ slot: Int32, at dueDistance: Double) {
        set(slot, to: Entry(dueDistance: dueDistance, proximity: .queued))
        due.push(slot, key: dueDistance)
    }
}

/// An upper bound of the distance that the device has travelled. A condition at a known distance
/// needs no evaluation before the bound grows by that distance.
///
/// Jitter does not accumulate. The bound grows in steps from one reference position to the next;
/// between them it includes the distance from the current one.
struct TravelBound: Sendable {
    /// The distance in metres from the reference position at which a new one is set. The positions
    /// of a stationary receiver stay within it.
    private static let step = 10.0

    private var reference: SIMD4<Double>?
    private var distanceToReference = 0.0
    private var distanceFromReference = 0.0

    /// The upper bound of the travelled distance, in metres.
    var distance: Double { distanceToReference + distanceFromReference }

    /// Returns the ``distance`` before which the device cannot reach a point that is `clearance`
    /// metres from its current position.
    func bound(afterTravelling clearance: Double) -> Double { distanceToReference - distanceFromReference + clearance }

    /// Processes a position of the device in space.
    mutating func process(_ point: SIMD4<Double>) {
        guard let reference else {
            reference = point
            return
        }
        distanceFromReference = TravelBound.groundDistance(from: reference, to: point)
        guard distanceFromReference > TravelBound.step else { return }
        distanceToReference += distanceFromReference
        (self.reference, distanceFromReference) = (point, 0)
    }

    /// Returns an upper bound of the distance in metres over the ground between two points of the
    /// surface.
    static func groundDistance(from a: SIMD4<Double>, to b: SIMD4<Double>) -> Double {
        let difference = a - b
        let line = (difference.x * difference.x + difference.y * difference.y + difference.z * difference.z)
            .squareRoot()
        // An arc of 1000 km is 0.1 % longer than its chord; a half circle is longer by the factor
        // pi / 2.
        return line * (line < 1e6 ? 1.002 : 1.6)
    }
}

/// A priority queue of slots, smallest key first: a binary heap with 16 bytes per entry.
///
/// Entries cannot be removed individually. If a key no longer applies, its entry is stale; the
/// caller that pops it must detect that.
struct PriorityQueue<Key: Comparable & Sendable>: Sendable {
    struct Entry: Sendable {
        var key: Key
        var slot: Int32
    }

    private var heap: [Entry] = []

    var count: Int { heap.count }
    /// The entry with the smallest key, valid or stale.
    var first: Entry? { heap.first }

    mutating func push(_ slot: Int32, key: Key) {
        let entry = Entry(key: key, slot: slot)
        heap.append(entry)
        var index = heap.count - 1
        while index > 0, key < heap[(index - 1) / 2].key {
            heap[index] = heap[(index - 1) / 2]
            index = (index - 1) / 2
        }
        heap[index] = entry
    }

    mutating func pop() -> Entry? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty { sink(last) }
        return first
    }

    /// Drops the stale entries.
    mutating func filter(where isValid: (Entry) -> Bool) {
        let kept = heap.filter(isValid)
        heap.removeAll(keepingCapacity: kept.count > heap.count / 4)
        for entry in kept { push(entry.slot, key: entry.key) }
    }

    /// Moves an entry down from the root to its position.
    private mutating func sink(_ entry: Entry) {
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].key < heap[child].key { child += 1 }
            guard heap[child].key < entry.key else { break }
            heap[index] = heap[child]
            index = child
        }
        heap[index] = entry
    }
}
