/// A monitor, by whose it is and what that program calls it.
struct MonitorKey: Hashable {
    var owner: MonitorOwner
    var name: String
}
