import Geofencing

/// Changes of the monitored conditions, applied to the core before the next call and at the end of
/// the turn.
struct ConditionChanges {
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
