import Chronology
import SextantAPI
import SystemCalls
import Varlink
import VarlinkClient

/// Acknowledges handled events to the daemon on a separate connection: the event stream occupies
/// its own.
final class EventAcknowledger {
    /// When to call ``retry(at:)``; nil if no acknowledgement failed.
    private(set) var deadline: Instant?

    private let daemon: DaemonOptions
    private let monitor: String
    private let program: String
    /// The connection of the last acknowledgement; nil before the first and after an error.
    private var client: BlockingClient?
    /// Handled events whose acknowledgement the daemon has not confirmed.
    private var pendingAcknowledgements: [Int] = []
    private var backoff = ExponentialBackoff()

    /// The pause after the first failed attempt; it doubles with each further one.
    private static let firstPause = Instant.Span.milliseconds(250)
    private static let maxPause = Instant.Span.seconds(60)

    init(daemon: DaemonOptions, monitor: String, program: String) {
        self.daemon = daemon
        self.monitor = monitor
        self.program = program
    }

    /// Acknowledges an event, and the earlier ones that are pending. If the daemon cannot record
    /// it, prints a message and retries later. If the daemon is unavailable, retries at
    /// ``deadline``.
    func acknowledge(_ event: Int) throws(CommandError) {
        // The daemon may have sent the event again before it got the acknowledgement.
        if !pendingAcknowledgements.contains(event) { pendingAcknowledgements.append(event) }
        if deadline == nil { try send() }
    }

    /// Retries pending acknowledgements if ``deadline`` has passed.
    func retry(at now: Instant) throws(CommandError) {
        if let deadline, now >= deadline { try send() }
    }

    /// Retries pending acknowledgements when the monitor can record again.
    func retryPending(_ monitor: MonitorState) throws(CommandError) {
        if !monitor.persistenceUnavailable, !pendingAcknowledgements.isEmpty { try send() }
    }

    private func send() throws(CommandError) {
        let parameters = AcknowledgeParameters(name: monitor, events: pendingAcknowledgements, program: program)
        do throws(ClientError) {
            try call(parameters)
            pendingAcknowledgements = []
            succeed()
        } catch {
            guard case .failed(_, let reply) = error, !EventAcknowledger.isRefusal(reply) else { return fail() }
            guard case .persistenceUnavailable(let reason)? = MonitorError(reply) else {
                throw CommandError(daemon: error)
            }
            succeed()
            let events = pendingAcknowledgements.map(String.init).joined(separator: ", ")
            StandardError.line(
                "sextant: cannot record the acknowledgement of event \(events) yet: \(reason)")
        }
    }

    /// Calls on the open connection. If the daemon has closed it since the last call, connects
    /// again and repeats the call.
    private func call(_ parameters: AcknowledgeParameters) throws(ClientError) {
        if let client {
            do throws(ClientError) {
                return try EventAcknowledger.call(parameters, on: client)
            } catch .disconnected {
                self.client = nil
            }
        }
        let client = try BlockingClient.connect(path: daemon.socket)
        self.client = client
        try EventAcknowledger.call(parameters, on: client)
    }

    private static func call(_ parameters: AcknowledgeParameters, on client: BlockingClient) throws(ClientError) {
        _ = try client.call(MonitorMethods.acknowledge, with: parameters, timeout: .seconds(10))
    }

    /// Whether the daemon has refused the connection rather than the call.
    private static func isRefusal(_ reply: VarlinkError) -> Bool {
        switch ManagerError(reply) {
        case .tooManyConnections?, .tooManyNewConnections?: true
        default: false
        }
    }

    private func succeed() {
        deadline = nil
        backoff.reset()
    }

    private func fail() {
        client = nil
        let pause = backoff.next(from: EventAcknowledger.firstPause, max: EventAcknowledger.maxPause)
        deadline = HostClock.now + pause
    }
}
