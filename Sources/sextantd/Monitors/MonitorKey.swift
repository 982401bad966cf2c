/// A monitor, by whose it is and what that program calls it.
struct MonitorKey: Hashable {
    var program: Program
    var name: String
}
