import Chronology
import Fleet
import ServiceRuntime
import Varlink

/// Subscribes to the events of all simulated devices. Its session lasts over connections, so the
/// broker keeps what it misses.
final class EventObserver {
    private static let retryInterval = Instant.Span.milliseconds(500)

    private let settings: MQTTConnection.Settings
    private let topic: String
    private let loop: EventLoop
    private let handler: (_ device: String, _ identifier: String) -> Void
    private var connection: MQTTConnection?
    private var nextAttempt: Instant?
    private let credentials: Credentials

    /// Connects to a broker.
    ///
    /// - Parameter handler: Gets the name of the device, and the identifier of the fence.
    init(
        _ destination: Destination, user: String, credentials: Credentials, loop: EventLoop,
        handler: @escaping (_ device: String, _ identifier: String) -> Void
    ) {
        settings = MQTTConnection.Settings(
            host: destination.host, port: destination.port, clientID: "sextant-observer", user: user,
            isEncrypted: destination.isEncrypted, willTopic: "sextant/observer", will: [],
            isWillRetained: false, keepalive: Reporter.defaultKeepalive)
        topic = "owntracks/\(user)/+/event"
        self.credentials = credentials
        self.loop = loop
        self.handler = handler
        nextAttempt = loop.now
    }

    var isReady: Bool { connection?.isConnected == true }
    var deadline: Instant? { earliest(connection?.deadline, nextAttempt) }

    func tick(at now: Instant) {
        connection?.tick(at: now)
        guard let nextAttempt, now >= nextAttempt else { return }
        self.nextAttempt = nil
        connection = try? MQTTConnection(settings, credentials: credentials, in: loop) { [weak self] event in
            self?.process(event)
        }
        if connection == nil { self.nextAttempt = now + EventObserver.retryInterval }
    }

    private func process(_ event: MQTTConnection.Event) {
        switch event {
        case .connected: connection?.subscribe(to: topic)
        case .message(let topic, let bytes):
            let parts = topic.split(separator: "/")
            guard parts.count == 4, let message = try? JSONValue(parsing: bytes),
                let identifier = message["desc"]?.string
            else { return }
            handler(String(parts[2]), identifier)
        case .ended:
            let ended = connection
            connection = nil
            nextAttempt = loop.now + EventObserver.retryInterval
            withExtendedLifetime(ended) {}
        case .delivered, .tooLong: break
        }
    }
}
