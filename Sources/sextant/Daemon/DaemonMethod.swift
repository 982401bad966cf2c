/// The daemon's methods, as they are called.
enum DaemonMethod {
    static let subscribe = "io.sextant.Location.Subscribe"
    static let getLocation = "io.sextant.Location.GetLocation"
    static let watchVisits = "io.sextant.Location.WatchVisits"
    static let listReceivers = "io.sextant.Receiver.List"
    static let watchReceivers = "io.sextant.Receiver.Watch"
    static let getStatus = "io.sextant.Manager.GetStatus"
}
