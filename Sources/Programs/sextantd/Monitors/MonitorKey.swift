import Permission

/// Identifies a monitor by its owner and the owner's name for it.
struct MonitorKey: Hashable {
    var owner: ProgramID
    var name: String
}
