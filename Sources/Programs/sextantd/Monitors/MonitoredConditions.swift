import Geofencing
import Logging
import Permission
import SQLite
import StateStore

/// The selection of the monitored conditions: the earliest of each program, up to the limit.
///
/// It collects the changes that the core has yet to apply.
struct MonitoredConditions {
    /// Changes of the monitored conditions, applied to the core before the next call and at the end
    /// of the turn.
    struct Changes {
        /// Whether all monitored conditions are removed first.
        var resetsAll = false
        /// Conditions to remove, before others are added.
        var removed: [ConditionID] = []
        var added: [GeofenceEngine.Entry] = []

        /// Removes conditions, including those that were still to be added.
        mutating func remove(_ ids: [ConditionID]) {
            guard !ids.isEmpty else { return }
            removed += ids
            guard !added.isEmpty else { return }
            let gone = Set(ids)
            added.removeAll { gone.contains($0.id) }
        }

        var isEmpty: Bool { !resetsAll && removed.isEmpty && added.isEmpty }
    }

    /// The number of conditions read from the store at a time.
    private static let fetchSize = 16_384

    /// What is still to be done for a program, of which a later case includes the earlier ones.
    private enum PendingChange: Int {
        /// Its permission, or the number of its conditions that may be monitored, has changed.
        case fill
        /// Its monitored conditions are selected again.
        case reload
        /// It was denied while the store was closed, and may be allowed again.
        case deniedWhileClosed
    }

    private let log: Logger
    private(set) var limits: MonitorLimits
    /// The changes that the core has yet to apply.
    private var changes = Changes()
    /// The place of the last monitored condition of each program; those before it are monitored
    /// too.
    private var lastMonitored: [ProgramID: ConditionOrdinal] = [:]
    /// Returns whether a program may know the full location. Otherwise its conditions are not
    /// monitored.
    private let isAllowed: (ProgramID) -> Bool
    /// The programs whose conditions are still to be changed. A failed change remains here.
    private var pending: [ProgramID: PendingChange] = [:]
    /// The programs whose excess of conditions is logged, with the limit that they exceed.
    private var overLimit: [ProgramID: Int] = [:]
    /// The places of the last monitored conditions before a change of the limit that is still to be
    /// applied.
    private var placesBefore: [ProgramID: ConditionOrdinal] = [:]
    /// The conditions to which the limit has begun or ceased to apply since
    /// ``recordChangesSent()``.
    private(set) var limitChanges: [ConditionID] = []
    /// The conditions whose records have changed otherwise without an event since then.
    private(set) var recordChanges: Set<ConditionID> = []

    init(limits: MonitorLimits, isAllowed: @escaping (ProgramID) -> Bool, log: Logger) {
        self.limits = limits
        self.isAllowed = isAllowed
        self.log = log
    }

    var owners: some Collection<ProgramID> { lastMonitored.keys }

    /// Returns the changes since the last call; `nil` if there are none.
    mutating func takeChanges() -> Changes? {
        guard !changes.isEmpty else { return nil }
        defer { changes = Changes() }
        return changes
    }

    /// Records that clients are told of these conditions, whose records have changed without an
    /// event.
    mutating func recordsChanged(_ conditions: [ConditionID]) { recordChanges.formUnion(conditions) }

    /// Whether records have changed without an event.
    var hasRecordChanges: Bool { !limitChanges.isEmpty || !recordChanges.isEmpty }

    /// Records that the clients learn of the conditions to which the limit has begun or ceased to
    /// apply.
    mutating func recordChangesSent() { (limitChanges, recordChanges) = ([], []) }

    /// Loads the conditions of programs for the first time from a store. After an error none are
    /// loaded.
    mutating func load(_ owners: [ProgramID], from store: MonitorStore) throws(StoreError) {
        forgetPlaces()
        let before = changes.added.count
        do throws(StoreError) { for owner in owners { try fill(owner, from: store) } } catch {
            changes.added.removeLast(changes.added.count - before)
            forgetPlaces()
            throw error
        }
    }

    private mutating func forgetPlaces() {
        (lastMonitored, pending) = ([:], [:])
        (placesBefore, limitChanges) = ([:], [])
        recordChanges = []
    }

    /// Stops monitoring all conditions, because their store is lost.
    mutating func removeAll() {
        forgetPlaces()
        changes = Changes(resetsAll: true)
    }

    /// Whether the conditions of a program are read only when the store has all its events.
    private func waits(_ owner: ProgramID) -> Bool { pending[owner] != nil && lastMonitored[owner] == nil }

    /// Adds further conditions of a program, up to the limit, unless all of them wait. After an
    /// error nothing is added, and it is done again later.
    mutating func fill(_ owner: ProgramID, from store: MonitorStore) throws(StoreError) {
        if !waits(owner) { try fillNow(owner, from: store) }
    }

    private mutating func fillNow(_ owner: ProgramID, from store: MonitorStore) throws(StoreError) {
        let before = (changes.added.count, limitChanges.count)
        do throws(StoreError) { try addConditions(of: owner, from: store) } catch {
            changes.added.removeLast(changes.added.count - before.0)
            limitChanges.removeLast(limitChanges.count - before.1)
            require(.fill, for: owner)
            throw error
        }
    }

    private mutating func require(_ change: PendingChange, for owner: ProgramID) {
        if pending[owner, default: .fill].rawValue <= change.rawValue { pending[owner] = change }
    }

    private mutating func addConditions(of owner: ProgramID, from store: MonitorStore) throws(StoreError) {
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
        try reportLimit(of: owner, isReached: capacity <= 0, after: horizon, in: store)
        // Without monitored conditions the program does not use the location.
        lastMonitored[owner] = count == 0 ? nil : horizon
    }

    /// Logs once that a program exceeds its limit, and again only after it was within the limit.
    private mutating func reportLimit(
        of owner: ProgramID, isReached: Bool, after horizon: ConditionOrdinal, in store: MonitorStore
    ) throws(StoreError) {
        guard isReached, let limit = limits.monitoredPerProgram else { return overLimit[owner] = nil }
        let excess = try store.selection.unexpiredCount(of: owner.description, after: horizon)
        guard excess > 0 else { return overLimit[owner] = nil }
        guard overLimit.updateValue(limit, forKey: owner) != limit else { return }
        let conditions = excess == 1 ? "1 condition of \(owner) is" : "\(excess) conditions of \(owner) are"
        log.warning(
            "\(conditions) not monitored: the limit is \(limit). Remove others, or raise max_conditions_per_program",
            .conditionLimit, ["program": "\(owner)"])
    }

    /// Returns whether an unexpired condition is not monitored because its program exceeds the
    /// limit.
    func exceedsLimit(_ ordinal: ConditionOrdinal, of owner: ProgramID) -> Bool {
        ordinal > lastMonitored(of: owner) && isAllowed(owner) && !waits(owner)
    }

    private func isMonitored(_ ordinal: ConditionOrdinal, of owner: ProgramID) -> Bool {
        isAllowed(owner) && ordinal <= lastMonitored(of: owner)
    }

    func lastMonitored(of owner: ProgramID) -> ConditionOrdinal { lastMonitored[owner] ?? ConditionOrdinal(0) }

    /// Removes conditions and monitors others in their place.
    mutating func remove(_ ids: [ConditionID], of owner: ProgramID, from store: MonitorStore) throws(StoreError) {
        changes.remove(ids)
        try fill(owner, from: store)
    }

    mutating func forget(_ ids: [ConditionID]) { changes.remove(ids) }

    /// Applies the result of an addition to the core. A condition that replaces a monitored one is
    /// monitored in its place.
    ///
    /// - Returns: The identifiers of the conditions that are not monitored.
    mutating func add(
        _ additions: [(NewCondition, AdditionResult)], of owner: ProgramID, from store: MonitorStore
    ) throws(StoreError) -> [String] {
        let ordinals: [ConditionID: ConditionOrdinal]
        do throws(StoreError) { ordinals = try store.selection.ordinals(of: additions.map { $0.1.id }) } catch {
            changes.remove(additions.compactMap { if case .replaced(let old, _) = $0.1 { old } else { nil } })
            require(.reload, for: owner)
            throw error
        }
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

    /// Begins to apply new limits, which ``applyPending(from:statesAreCurrent:)`` completes.
    mutating func apply(_ new: MonitorLimits) {
        guard new != limits else { return }
        limits = new
        for owner in lastMonitored.keys {
            if placesBefore[owner] == nil { placesBefore[owner] = lastMonitored(of: owner) }
            require(.reload, for: owner)
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

// MARK: Changes that wait for the store
extension MonitoredConditions {
    /// Records that what programs may know has changed.
    ///
    /// While the store is closed, the conditions of a denied program stay monitored, and no client
    /// gets their events. Once it is open again, the events that are not written are discarded, and
    /// the conditions continue from their stored states if the program is allowed again.
    mutating func permissionChanged(of owners: [ProgramID], isReadable: Bool) {
        for owner in owners { require(isReadable || isAllowed(owner) ? .fill : .deniedWhileClosed, for: owner) }
    }

    /// Whether ``applyPending(from:statesAreCurrent:)`` has something to do.
    var hasPendingChanges: Bool { !pending.isEmpty }

    /// Returns the conditions of the programs that were denied while the store was closed.
    func conditionsOfDenied(in store: MonitorStore) throws(StoreError) -> Set<ConditionID> {
        var conditions: Set<ConditionID> = []
        for (owner, change) in pending where change == .deniedWhileClosed {
            conditions.formUnion(try store.conditions(of: owner.description, monitor: nil))
        }
        return conditions
    }

    /// Applies the changes that wait. Those after an error remain: the store is closed then, and
    /// the conditions of denied programs stay monitored until it is open again.
    ///
    /// - Parameter statesAreCurrent: Whether the store has all events so far. Otherwise conditions
    ///   that are read again would repeat them, and are left as they are.
    mutating func applyPending(from store: MonitorStore, statesAreCurrent: Bool) throws(StoreError) {
        do throws(StoreError) {
            for (owner, change) in pending.sorted(by: { $0.key < $1.key })
            where !isAllowed(owner) || statesAreCurrent || change != .reload && lastMonitored[owner] != nil {
                try apply(change, to: owner, from: store)
            }
        } catch {
            for owner in pending.keys where !isAllowed(owner) { pending[owner] = .deniedWhileClosed }
            throw error
        }
    }

    private mutating func apply(
        _ change: PendingChange, to owner: ProgramID, from store: MonitorStore
    ) throws(StoreError) {
        if lastMonitored[owner] != nil, change != .fill || !isAllowed(owner) {
            changes.remove(try store.conditions(of: owner.description, monitor: nil))
            lastMonitored[owner] = nil
        }
        let recorded = limitChanges.count
        try fillNow(owner, from: store)
        if let before = placesBefore[owner] {
            // Filling counts all conditions as new.
            limitChanges.removeLast(limitChanges.count - recorded)
            try recordLimitChanges(of: owner, since: before, in: store)
            placesBefore[owner] = nil
        }
        pending[owner] = nil
    }
}

extension ConditionSnapshot {
    /// Creates a state from the store; `nil` if the state is unknown.
    fileprivate init?(_ stored: StoredConditionState) {
        guard stored.state != .unknown else { return nil }
        self.init(state: stored.state, hasDwelt: stored.hasDwelt)
    }
}
