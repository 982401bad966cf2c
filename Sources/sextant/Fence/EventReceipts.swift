import Varlink
import Wire

/// Tells the daemon which events were dealt with, on a connection of its own: that of the events is busy.
final class EventReceipts {
    private let daemon: DaemonOptions
    private let monitor: String
    private let program: String
    /// Dealt with, and the daemon could not write that down.
    private var owed: [Int] = []

    init(daemon: DaemonOptions, monitor: String, program: String) {
        (self.daemon, self.monitor, self.program) = (daemon, monitor, program)
    }

    /// The event shall not come again. That the daemon cannot write is no error: it is said, and tried again when the daemon can. Nor that it is
    /// away: the event comes again when it is back, and is acknowledged then.
    func acknowledge(_ event: Int) throws(CommandError) {
        owed.append(event)
        try send()
    }

    /// The monitor has told how it stands: what is owed can be acknowledged when it can write again.
    func settle(_ monitor: MonitorMessage) throws(CommandError) {
        if !monitor.persistenceUnavailable, !owed.isEmpty { try send() }
    }

    private func send() throws(CommandError) {
        let receipt = AcknowledgeParameters(name: monitor, events: owed, program: program)
        do throws(ClientError) {
            let client = try Client.connect(path: daemon.socket)
            _ = try client.call(DaemonMethod.acknowledge, receipt, as: AcknowledgeReply.self, timeout: .seconds(10))
            owed = []
        } catch {
            guard case .failed(_, let reply) = error else { return owed = [] }
            guard case .persistenceUnavailable(let reason)? = MonitorError(reply) else { throw CommandError(daemon: error) }
            let events = owed.map(String.init).joined(separator: ", ")
            StandardError.line("sextant: that event \(events) was dealt with cannot be written down yet: \(Columns.harmless(reason))")
        }
    }
}
