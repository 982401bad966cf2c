import Geofencing
import Logging
import Store

/// Which conditions are watched: of each program those that were added first, as many as the limit allows.
extension MonitorRegister {
    /// Conditions are handed to the core in pieces of this size.
    private static let piece = 16_384

    /// Has the core watch more of a program's conditions where there is room for them.
    func fill(_ owner: MonitorOwner, from store: MonitorStore) throws(StoreError) {
        let program = owner.description
        var horizon = horizons[owner] ?? ConditionID(0)
        var room = Int.max
        if let limit = limits.watched { room = max(0, limit - (try store.unexpiredCount(of: program, upTo: horizon))) }
        while room > 0 {
            let next = try store.unexpired(of: program, after: horizon, limit: min(room, MonitorRegister.piece))
            guard let last = next.last else { break }
            horizon = last.id
            room -= next.count
            changes.added += next.map { FenceWatch.Entry($0.id, $0.condition, remembered: RememberedStanding($0.standing)) }
        }
        horizons[owner] = horizon
    }

    /// Whether a condition that has not expired is left out because its program has too many.
    func exceedsLimit(_ id: ConditionID, of owner: MonitorOwner) -> Bool { id > horizons[owner] ?? ConditionID(0) }

    /// Conditions have gone; others may take their place.
    func release(_ ids: [ConditionID], of owner: MonitorOwner, from store: MonitorStore) throws(StoreError) {
        changes.removed += ids
        try fill(owner, from: store)
    }

    /// Takes a new limit over.
    func apply(_ new: MonitorLimits) {
        guard new != limits else { return }
        limits = new
        guard let store = ledger?.store else { return }
        let owners = horizons.keys.sorted()
        horizons = [:]
        changes = WatchChanges(isAnew: true)
        for owner in owners {
            do throws(StoreError) { try fill(owner, from: store) } catch {
                log.error("the conditions of \(owner) are not watched: \(error)")
            }
        }
    }
}

extension RememberedStanding {
    /// What the store has kept; nil where nothing is known.
    fileprivate init?(_ stored: StoredStanding) {
        guard stored.state != .unknown else { return nil }
        self.init(state: stored.state, hasDwelt: stored.hasDwelt)
    }
}
