import Geofencing

/// What the core has to watch from now on, and what no more; carried out at the end of a call.
struct WatchChanges {
    /// Everything that is watched is forgotten first.
    var isAnew = false
    /// Before those that are added.
    var removed: [ConditionID] = []
    var added: [FenceWatch.Entry] = []

    var isEmpty: Bool { !isAnew && removed.isEmpty && added.isEmpty }
}
