/// The daemon's methods, as they are called.
enum DaemonMethod {
    static let subscribe = "io.sextant.Location.Subscribe"
    static let getLocation = "io.sextant.Location.GetLocation"
    static let listReceivers = "io.sextant.Receiver.List"
    static let watchReceivers = "io.sextant.Receiver.Watch"
    static let getStatus = "io.sextant.Manager.GetStatus"
    static let openMonitor = "io.sextant.Monitor.Open"
    static let listMonitors = "io.sextant.Monitor.ListMonitors"
    static let deleteMonitor = "io.sextant.Monitor.Delete"
    static let addConditions = "io.sextant.Monitor.Add"
    static let removeConditions = "io.sextant.Monitor.Remove"
    static let listConditions = "io.sextant.Monitor.List"
    static let getRecord = "io.sextant.Monitor.GetRecord"
    static let acknowledge = "io.sextant.Monitor.Acknowledge"
    static let importConditions = "io.sextant.Monitor.Import"
    static let exportConditions = "io.sextant.Monitor.Export"
    static let nearestConditions = "io.sextant.Monitor.Nearest"
}
