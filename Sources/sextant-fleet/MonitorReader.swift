import Chronology
import DaemonLink
import Systemd
import Varlink
import Wire

/// The events of one monitor. Each is acknowledged when it is on disk.
final class MonitorReader {
    private let name: String
    private let socket: String
    private let handler: (EventMessage) -> Bool
    private var stream: DaemonStream<OpenParameters, OpenReply>?
    /// When the monitor is opened again after an event that could not be stored.
    private var reopening: Instant?
    private static let reopenInterval = Instant.Span.seconds(5)

    /// Opens a monitor, and creates it if necessary.
    ///
    /// - Parameter handler: Returns whether the event is on disk.
    init(_ name: String, socket: String, loop: EventLoop, handler: @escaping (EventMessage) -> Bool) {
        self.name = name
        self.socket = socket
        self.handler = handler
        stream = DaemonStream(MonitorMethods.open, of: socket, in: loop) { [weak self] event in
            if case .reply(let reply) = event, let message = reply.event { self?.receive(message) }
        }
        stream?.request(OpenParameters(name: name))
    }

    var deadline: Instant? { earliest(stream?.deadline, reopening) }

    func tick(at now: Instant) {
        stream?.tick(at: now)
        guard let reopening, now >= reopening else { return }
        self.reopening = nil
        stream?.request(OpenParameters(name: name))
    }

    /// An event that cannot be acknowledged is sent again, and recognised. One that cannot be
    /// stored, on a full disk, is sent again when the monitor is opened, before all later ones.
    private func receive(_ event: EventMessage) {
        guard reopening == nil else { return }
        guard handler(event) else {
            stream?.request(nil)
            reopening = EventLoop.currentTime + MonitorReader.reopenInterval
            return
        }
        let client = try? Client.connect(path: socket, timeout: .milliseconds(200))
        _ = try? client?.call(
            MonitorMethods.acknowledge, with: AcknowledgeParameters(name: name, events: [event.id]),
            timeout: .milliseconds(500))
    }
}
