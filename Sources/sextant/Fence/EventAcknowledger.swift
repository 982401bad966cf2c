import Varlink
import Wire

/// Acknowledges handled events to the daemon on a separate connection: the event stream occupies
/// its own.
final class EventAcknowledger {
    private let daemon: DaemonOptions
    private let monitor: String
    private let program: String
    /// Handled events whose acknowledgement the daemon could not record.
    private var pendingAcknowledgements: [Int] = []

    init(daemon: DaemonOptions, monitor: String, program: String) {
        self.daemon = daemon
        self.monitor = monitor
        self.program = program
    }

    /// Acknowledges an event. If the daemon cannot record it, prints a message and retries later.
    /// If the daemon is unavailable, does nothing: the daemon delivers the event again, which is
    /// then acknowledged.
    func acknowledge(_ event: Int) throws(CommandError) {
        pendingAcknowledgements.append(event)
        try send()
    }

    /// Retries pending acknowledgements when the monitor can record again.
    func retryPending(_ monitor: MonitorMessage) throws(CommandError) {
        if !monitor.persistenceUnavailable, !pendingAcknowledgements.isEmpty { try send() }
    }

    private func send() throws(CommandError) {
        let parameters = AcknowledgeParameters(name: monitor, events: pendingAcknowledgements, program: program)
        do throws(ClientError) {
            let client = try Client.connect(path: daemon.socket)
            _ = try client.call(MonitorMethods.acknowledge, with: parameters, timeout: .seconds(10))
            pendingAcknowledgements = []
        } catch {
            guard case .failed(_, let reply) = error else { return pendingAcknowledgements = [] }
            guard case .persistenceUnavailable(let reason)? = MonitorError(reply) else {
                throw CommandError(daemon: error)
            }
            let events = pendingAcknowledgements.map(String.init).joined(separator: ", ")
            StandardError.line(
                "sextant: cannot record the acknowledgement of event \(events) yet: \(reason)")
        }
    }
}
