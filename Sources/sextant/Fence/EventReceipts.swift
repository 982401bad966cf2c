import Varlink
import Wire

/// Tells the daemon which events were dealt with, on a connection of its own: that of the events is busy.
struct EventReceipts {
    let daemon: DaemonOptions
    let monitor: String
    let program: String

    /// The event shall not come again. A daemon that is away is no error: the event comes again when it is back, and is acknowledged then.
    func acknowledge(_ event: Int) throws(CommandError) {
        let receipt = AcknowledgeParameters(name: monitor, events: [event], program: program)
        do throws(ClientError) {
            let client = try Client.connect(path: daemon.socket)
            _ = try client.call(DaemonMethod.acknowledge, receipt, as: AcknowledgeReply.self, timeout: .seconds(10))
        } catch {
            guard case .failed = error else { return }
            throw CommandError(daemon: error)
        }
    }
}
