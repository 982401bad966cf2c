import Chronology
import Geodesy

/// Determines which conditions need an evaluation with a fix. The others cost nothing.
///
/// It identifies conditions by their slots in ``GeofenceEngine``. Each has one of these states:
/// - **unevaluated**: its state is unknown, and no fix has been evaluated yet. It is evaluated in
///   turn, or as soon as the device is near.
/// - **far**: the device is known to be outside, and the box of the condition lies beyond the
///   ``queueRadius``, up to which everything near is queued. The tree of boxes finds it again when
///   the device approaches it or passes it between two fixes.
/// - **near**: the distance to its boundary is known from its last evaluation. It waits until the
///   device can have travelled that distance.
/// - **close**: the device may be on the boundary, or a change is being decided. It is evaluated
///   with every fix.
struct EvaluationSchedule: Sendable {
    /// The radius in metres around the device within which all conditions are queued.
    private static let queueRadius = 1000.0
    /// The longest time between two fixes for which the path between them counts as known.
    private static let maxPassage = Instant.Span.seconds(120)

    private enum Proximity: UInt8, Sendable { case removed, unevaluated, far, near, close }

    private struct Entry: Sendable {
        /// The travelled distance at which the device may have reached the boundary.
        var dueDistance = -Double.infinity
        var proximity = Proximity.removed

        /// Whether only the tree finds the condition again.
        var isOnlyInTree: Bool { proximity == .far || proximity == .unevaluated }

        /// Returns whether an entry of the queue is valid.
        func isDue(_ queued: PriorityQueue<Double>.Entry) -> Bool { proximity == .near && dueDistance == queued.key }
    }

    /// The entries by slot.
    private var entries: [Entry] = []
    private var tree = BoxTree()
    private var travelBound = TravelBound()
    /// The travelled distance at which far conditions must be queued again.
    private var queuedThrough = -Double.infinity
    /// The near conditions, by the travelled distance at which they are due.
    private var due = PriorityQueue<Double>()
    /// The close conditions, and the index at which the next turn begins.
    private var close: [Int32] = []
    private var closeIndex = 0
    /// The conditions not yet evaluated, in the order added, and how many of them are done.
    private var unevaluated: [Int32] = []
    private var unevaluatedIndex = 0

    /// Whether there are no conditions.
    var isEmpty: Bool { tree.isEmpty }
    /// Whether a condition waits for its first evaluation.
    var hasUnevaluated: Bool { unevaluatedIndex < unevaluated.count }

    /// Returns whether a condition is evaluated at all.
    func contains(_ slot: Int32) -> Bool { entries[Int(slot)].proximity != .removed }

    /// Returns whether a close condition fulfils a predicate.
    func containsClose(where predicate: (Int32) -> Bool) -> Bool { close.contains(where: predicate) }

    /// Returns the distance in metres that the device can travel before any condition needs an
    /// evaluation; 0 if one is close or not yet evaluated.
    ///
    /// - Parameter reach: The ``LocatedFix/reach`` of the last fix.
    func distanceToNextEvaluation(reach: Double) -> Double {
        guard !hasUnevaluated else { return 0 }
        let nearest = close.reduce(min(queuedThrough, due.first?.key ?? .infinity)) {
            min($0, entries[Int($1)].dueDistance)
        }
        return max(0, nearest - travelBound.distance - reach)
    }

    /// Calls `visit` with every condition whose box is within `reach` metres of a point.
    func visit(within reach: Float, of point: SIMD4<Float>, _ visit: (Int32) -> Void) {
        tree.visit(within: reach, of: point) { slot, _ in visit(slot) }
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
        entries[Int(slot)] = Entry()
        switch state {
        case .unmonitored: break
        case .unsatisfied: entries[Int(slot)].proximity = .far
        case .unknown:
            entries[Int(slot)].proximity = .unevaluated
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
        entries[Int(slot)].proximity = .removed
    }

    /// Drops the close conditions that were removed, and stale entries at the front of the queue.
    /// Drops all stale entries once the queue has more than `limit`.
    mutating func removeStaleEntries(limit: Int) {
        let entries = entries
        if !close.isEmpty { close.removeAll { entries[Int($0)].proximity == .removed } }
        if due.count > limit { due.filter { entries[Int($0.slot)].isDue($0) } }
        while let first = due.first, !entries[Int(first.slot)].isDue(first) { _ = due.pop() }
    }
}

// MARK: Evaluations
extension EvaluationSchedule {
    /// Processes the position of the device. Queues the conditions that are now near if there may
    /// be new ones.
    mutating func process(_ fix: LocatedFix) {
        travelBound.process(fix.point)
        if travelBound.distance + fix.reach >= queuedThrough { queueNearby(fix) }
    }

    /// Queues the conditions near the last fix if conditions were added since.
    mutating func queueAdded(near fix: LocatedFix) {
        if queuedThrough < travelBound.distance { queueNearby(fix) }
    }

    /// Begins a turn of the close conditions and returns how many of them it evaluates, at most
    /// `limit`.
    mutating func beginCloseTurn(limit: Int) -> Int {
        if closeIndex >= close.count { closeIndex = 0 }
        return min(limit, close.count)
    }

    /// Returns a close condition of this turn by its index. Evaluations do not change the indices.
    func closeSlot(at index: Int) -> Int32 { close[(closeIndex + index) % close.count] }

    /// Ends a turn that evaluated `count` close conditions. Drops those that are no longer close.
    mutating func endCloseTurn(count: Int) {
        guard count > 0 else { return }
        closeIndex = (closeIndex + count) % close.count
        let entries = entries
        close.removeAll { entries[Int($0)].proximity != .close }
    }

    /// Removes and returns a condition to evaluate: first those that the device may have reached,
    /// then those not yet evaluated.
    mutating func takeNext(reach: Double) -> Int32? {
        let limit = travelBound.distance + reach
        while let first = due.first, first.key <= limit {
            _ = due.pop()
            if entries[Int(first.slot)].isDue(first) { return first.slot }
        }
        while hasUnevaluated {
            let slot = unevaluated[unevaluatedIndex]
            unevaluatedIndex += 1
            // Others were evaluated while near, or wait for the next fix.
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
        // A condition that would be due at once also counts as close.
        if needsNextFix || dueDistance <= travelBound.distance + fix.reach {
            if entries[index].proximity != .close { close.append(slot) }
            entries[index] = Entry(dueDistance: dueDistance, proximity: .close)
            return
        }
        if distance < -2 * Self.queueRadius, let box = tree.box(of: slot) {
            let separation = Double(box.distance(to: SIMD4<Float>(fix.point)))
            if separation > 2 * Self.queueRadius {
                entries[index].proximity = .far
                queuedThrough = min(queuedThrough, travelBound.bound(afterTravelling: separation))
                return
            }
        }
        queue(slot, at: dueDistance)
    }

    /// Queues the conditions that are now near, and those on the path from the previous fix.
    private mutating func queueNearby(_ fix: LocatedFix) {
        let point = SIMD4<Float>(fix.point)
        if let previous = fix.evidence.previous, fix.evidence.at - previous.at <= Self.maxPassage {
            let path = ECEFSegment(from: ECEFBox.floatPosition(of: previous.coordinate), to: point)
            var passed: [Int32] = []
            // The ground lies above a chord by the chord's square over eight Earth radii.
            let reach = fix.reach + previous.distance * previous.distance / 5e7
            tree.visit(within: Float(reach), of: path) { if entries[Int($0)].isOnlyInTree { passed.append($0) } }
            for slot in passed { queue(slot, at: -.infinity) }
        }
        var found: [(slot: Int32, distance: Float)] = []
        tree.visit(within: Float(max(Self.queueRadius, 2 * fix.reach)), of: point) { slot, distance in
            if entries[Int(slot)].isOnlyInTree { found.append((slot, distance)) }
        }
        for (slot, distance) in found {
            let isUnevaluated = entries[Int(slot)].proximity == .unevaluated
            queue(slot, at: isUnevaluated ? -.infinity : travelBound.bound(afterTravelling: Double(distance)))
        }
        let nearest = tree.nearest(to: point) { entries[Int($0)].isOnlyInTree }
        queuedThrough = travelBound.bound(afterTravelling: Double(nearest))
    }

    /// Marks a condition as near and queues it for evaluation at this travelled distance.
    private mutating func queue(_ slot: Int32, at dueDistance: Double) {
        entries[Int(slot)] = Entry(dueDistance: dueDistance, proximity: .near)
        due.push(slot, key: dueDistance)
    }
}
