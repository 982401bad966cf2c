import Chronology
import ServiceRuntime
import SextantAPI
import SystemCalls

/// The events of one monitor. Each is acknowledged when it is on disk.
final class MonitorEventStream {
    private static let retryInterval = Instant.Span.seconds(5)

    let name: String
    private let calls: DaemonCalls
    private var stream: DaemonStream<OpenParameters, OpenReply>?
    private var isOpen = false
    /// When the monitor is opened again after an event that could not be stored.
    private var reopening: Instant?
    /// The events on disk whose acknowledgement the daemon has not confirmed.
    private var stored: Set<Int> = []
    private var isAcknowledging = false
    private var nextAcknowledgement: Instant?

    /// Called with each event; then either ``acknowledge(_:)`` or ``postpone()`` follows.
    var received: (Event, MonitorEventStream) -> Void = { _, _ in }
    /// Called when the daemon has opened the monitor, also after a new connection.
    var opened: () -> Void = {}

    /// Creates the stream of a monitor, which ``open()`` requests.
    init(_ name: String, socket: String, calls: DaemonCalls, loop: EventLoop) {
        self.name = name
        self.calls = calls
        stream = DaemonStream(MonitorMethods.open, of: socket, in: loop, isInSession: true) { [weak self] event in
            switch event {
            case .reply(let reply): self?.receive(reply)
            case .lost: self?.isOpen = false
            }
        }
    }

    /// Opens the monitor, and creates it if necessary.
    func open() { stream?.request(OpenParameters(name: name)) }

    /// When ``tick(at:)`` must be called.
    var deadline: Instant? { earliest(earliest(stream?.deadline, reopening), nextAcknowledgement) }

    /// Acts if it is time.
    func tick(at now: Instant) {
        stream?.tick(at: now)
        if let nextAcknowledgement, now >= nextAcknowledgement { sendAcknowledgements() }
        guard let reopening, now >= reopening else { return }
        self.reopening = nil
        open()
    }

    private func receive(_ reply: OpenReply) {
        if !isOpen {
            isOpen = true
            opened()
        }
        if let event = reply.event, reopening == nil { received(event, self) }
    }

    /// Acknowledges an event that is on disk. If that fails, it is tried again; until then the
    /// daemon may send the event again, which is recognised.
    func acknowledge(_ event: Event) {
        stored.insert(event.id)
        if nextAcknowledgement == nil { sendAcknowledgements() }
    }

    /// Several events at once: those that were stored while the daemon answered.
    private func sendAcknowledgements() {
        guard !isAcknowledging, !stored.isEmpty else { return }
        isAcknowledging = true
        nextAcknowledgement = nil
        let events = stored.sorted()
        let parameters = AcknowledgeParameters(name: name, events: events)
        calls.call(MonitorMethods.acknowledge, with: parameters) { [weak self] result in
            guard let self else { return }
            isAcknowledging = false
            guard case .success = result else {
                nextAcknowledgement = HostClock.now + MonitorEventStream.retryInterval
                return
            }
            stored.subtract(events)
            sendAcknowledgements()
        }
    }

    /// Opens the monitor again later, after an event that cannot be stored, as on a full disk. The
    /// daemon then sends it again, before all later ones.
    func postpone() {
        stream?.request(nil)
        isOpen = false
        reopening = HostClock.now + MonitorEventStream.retryInterval
    }
}
