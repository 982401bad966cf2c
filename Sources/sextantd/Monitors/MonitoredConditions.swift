import Geofencing
import Logging
import Permission
import Store

/// The selection of the monitored conditions: the earliest of each program, up to the limit.
///
/// It collects the changes that the core has yet to apply.
struct MonitoredConditions {
    /// The number of conditions read from the store at a time.
    private static let fetchSize = 16_384

    /// How the permission of a program has changed.
    private enum PendingChange {
        /// It applies as it is now.
        case any
        /// The program was denied while the store was closed, and may be allowed again.
        case deniedWhileClosed
    }

    var log: Logger
    private(set) var limits: MonitorLimits
    /// The changes that the core has yet to apply.
    private var changes = ConditionChanges()
    /// The place of the last monitored condition of each program; those before it are monitored
    /// too.
    private var lastMonitored: [ProgramID: ConditionOrdinal] = [:]
    /// Returns whether a program may know the full location. Otherwise its conditions are not
    /// monitored.
    private let isAllowed: (ProgramID) -> Bool
    /// The programs whose permission has changed, but not yet their conditions.
    private var unapplied: [ProgramID: PendingChange] = [:]
    /// The programs whose excess of conditions is logged, with the limit that they exceed.
    private var overLimit: [ProgramID: Int] = [:]
    /// The conditions to which the limit has begun or ceased to apply.
    private var limitChanges: [ConditionID] = []

    init(limits: MonitorLimits, isAllowed: @escaping (ProgramID) -> Bool, log: Logger) {
        self.limits = limits
        self.isAllowed = isAllowed
        self.log = log
    }

    /// The programs with monitored conditions.
    var owners: some Collection<ProgramID> { lastMonitored.keys }

    /// Returns the changes since the last call; `nil` if there are none.
    mutating func takeChanges() -> ConditionChanges? {
        guard !changes.isEmpty else { return nil }
        defer { changes = ConditionChanges() }
        return changes
    }

    /// Returns the conditions to which the limit has begun or ceased to apply since the last call.
    mutating func takeLimitChanges() -> [ConditionID] {
        defer { limitChanges = [] }
        return limitChanges
    }

    /// Loads the conditions of programs for the first time from a store.
    mutating func load(_ owners: [ProgramID], from store: MonitorStore) throws(StoreError) {
        (lastMonitored, unapplied) = ([:], [:])
        for owner in owners { try fill(owner, from: store) }
    }

    /// Stops monitoring all conditions, because their store is lost.
    mutating func removeAll() {
        (lastMonitored, unapplied) = ([:], [:])
        changes = ConditionChanges(resetsAll: true)
    }

    /// Adds further conditions of a program, up to the limit.
    mutating func fill(_ owner: ProgramID, from store: MonitorStore) throws(StoreError) {
        guard isAllowed(owner) else { return }
        let program = owner.description
        var horizon = lastMonitored(of: owner)
        var count = try store.selection.unexpiredCount(of: program, upTo: horizon)
        var capacity = limits.monitoredPerProgram.map { max(0, $0 - count) } ?? .max
        while capacity > 0 {
            let next = try store.selection.unexpired(
                of: program, after: horizon, limit: min(capacity, MonitoredConditions.fetchSize))
            guard let last = next.last else { break }
            horizon = last.ordinal
            capacity -= next.count
            count += next.count
            if overLimit[owner] != nil { limitChanges += next.map(\.id) }
            changes.added += next.map {
                GeofenceEngine.Entry(
                    id: $0.id, condition: $0.condition, snapshot: ConditionSnapshot($0.snapshot), place: $0.place)
            }
        }
        // Without monitored conditions the program does not use the location.
        lastMonitored[owner] = count == 0 ? nil : horizon
        try reportLimit(of: owner, isReached: capacity <= 0, in: store)
    }

    /// Logs once that a program exceeds its limit, and again only after it was within the limit.
    private mutating func reportLimit(of owner: ProgramID, isReached: Bool, in store: MonitorStore)
        throws(StoreError)
    {
        guard isReached, let limit = limits.monitoredPerProgram else { return overLimit[owner] = nil }
        let excess = try store.selection.unexpiredCount(of: owner.description, after: lastMonitored(of: owner))
        guard excess > 0 else { return overLimit[owner] = nil }
        guard overLimit.updateValue(limit, forKey: owner) != limit else { return }
        let conditions = excess == 1 ? "1 condition of \(owner) is" : "\(excess) conditions of \(owner) are"
        log.warning(
            "\(conditions) not monitored: the limit is \(limit). Remove others, or raise max_conditions_per_program",
            metadata: ["program": "\(owner)"])
    }

    /// Returns whether an unexpired condition is not monitored because its program exceeds the
    /// limit.
    func exceedsLimit(_ ordinal: ConditionOrdinal, of owner: ProgramID) -> Bool {
        ordinal > lastMonitored(of: owner) && isAllowed(owner)
    }

    /// Returns whether an unexpired condition is monitored.
    private func isMonitored(_ ordinal: ConditionOrdinal, of owner: ProgramID) -> Bool {
        isAllowed(owner) && ordinal <= lastMonitored(of: owner)
    }

    /// Returns the place of the last monitored condition of a program.
    func lastMonitored(of owner: ProgramID) -> ConditionOrdinal { lastMonitored[owner] ?? ConditionOrdinal(0) }

    /// Removes conditions and monitors others in their place.
    mutating func remove(_ ids: [ConditionID], of owner: ProgramID, from store: MonitorStore) throws(StoreError) {
        changes.remove(ids)
        try fill(owner, from: store)
    }

    /// Stops monitoring conditions of deleted monitors.
    mutating func forget(_ ids: [ConditionID]) { changes.remove(ids) }

    /// Applies the result of an addition to the core. A condition that replaces a monitored one is
    /// monitored in its place.
    ///
    /// - Returns: The identifiers of the conditions that are not monitored.
    mutating func add(
        _ additions: [(NewCondition, AdditionResult)], of owner: ProgramID, from store: MonitorStore
    ) throws(StoreError) -> [String] {
        let ordinals = try store.selection.ordinals(of: additions.map { $0.1.id })
        var replacements: [GeofenceEngine.Entry] = []
        var removed: [ConditionID] = []
        for case (let new, .replaced(let old, let id)) in additions {
            removed.append(old)
            if let ordinal = ordinals[id], isMonitored(ordinal, of: owner) {
                replacements.append(GeofenceEngine.Entry(id: id, condition: new.condition))
            }
        }
        changes.remove(removed)
        changes.added += replacements
        try fill(owner, from: store)
        var unmonitored: [String] = []
        for (new, addition) in additions {
            guard let ordinal = ordinals[addition.id], exceedsLimit(ordinal, of: owner) else { continue }
            unmonitored.append(new.identifier)
        }
        return unmonitored
    }

    /// Applies new limits.
    mutating func apply(_ new: MonitorLimits, from store: MonitorStore?) {
        guard new != limits else { return }
        limits = new
        guard let store else { return }
        let previous = lastMonitored
        removeAll()
        for owner in previous.keys.sorted() {
            do throws(StoreError) {
                let recorded = limitChanges.count
                try fill(owner, from: store)
                // Filling counts all conditions as new.
                limitChanges.removeLast(limitChanges.count - recorded)
                try recordLimitChanges(of: owner, since: previous[owner] ?? ConditionOrdinal(0), in: store)
            } catch {
                log.error("cannot monitor the conditions of \(owner): \(error)")
            }
        }
    }

    /// Records the conditions between the place of the last monitored one before a change of the
    /// limit and the present place.
    private mutating func recordLimitChanges(
        of owner: ProgramID, since previous: ConditionOrdinal, in store: MonitorStore
    ) throws(StoreError) {
        let present = lastMonitored(of: owner)
        var place = min(previous, present)
        while place < max(previous, present) {
            let next = try store.selection.unexpired(
                of: owner.description, after: place, limit: MonitoredConditions.fetchSize)
            guard let last = next.last else { break }
            place = last.ordinal
            limitChanges += next.filter { $0.ordinal <= max(previous, present) }.map(\.id)
        }
    }
}

// MARK: Permissions
extension MonitoredConditions {
    /// Records that what programs may know has changed.
    ///
    /// While the store is closed, the conditions of a denied program stay monitored, and no client
    /// gets their events. Once it is open again, the events that are not written are discarded, and
    /// the conditions continue from their stored states if the program is allowed again.
    mutating func permissionChanged(of owners: [ProgramID], isReadable: Bool) {
        for owner in owners where unapplied[owner] != .deniedWhileClosed {
            unapplied[owner] = isReadable || isAllowed(owner) ? .any : .deniedWhileClosed
        }
    }

    /// Whether ``applyPermissions(from:)`` has something to do.
    var hasUnappliedPermissions: Bool { !unapplied.isEmpty }

    /// Returns the conditions of the programs that were denied while the store was closed.
    func conditionsOfDenied(in store: MonitorStore) throws(StoreError) -> Set<ConditionID> {
        var conditions: Set<ConditionID> = []
        for (owner, change) in unapplied where change == .deniedWhileClosed {
            conditions.formUnion(try store.conditions(of: owner.description, monitor: nil))
        }
        return conditions
    }

    /// Applies the changes of permission. Those after an error remain: the store is closed then,
    /// and the conditions of denied programs stay monitored until it is open again.
    mutating func applyPermissions(from store: MonitorStore) throws(StoreError) {
        do throws(StoreError) {
            try applyEach(from: store)
        } catch {
            for owner in unapplied.keys where !isAllowed(owner) { unapplied[owner] = .deniedWhileClosed }
            throw error
        }
    }

    private mutating func applyEach(from store: MonitorStore) throws(StoreError) {
        for (owner, change) in unapplied.sorted(by: { $0.key < $1.key }) {
            if lastMonitored[owner] != nil, change == .deniedWhileClosed || !isAllowed(owner) {
                changes.remove(try store.conditions(of: owner.description, monitor: nil))
                lastMonitored[owner] = nil
            }
            try fill(owner, from: store)
            unapplied[owner] = nil
        }
    }
}

extension ConditionSnapshot {
    /// Creates a state from the store; `nil` if the state is unknown.
    fileprivate init?(_ stored: StoredConditionState) {
        guard stored.state != .unknown else { return nil }
        self.init(state: stored.state, hasDwelt: stored.hasDwelt)
    }
}
