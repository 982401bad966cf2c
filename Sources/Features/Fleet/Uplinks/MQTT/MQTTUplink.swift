import Chronology
import Geodesy
import ServiceRuntime
import SystemCalls
import Varlink

/// A broker that gets the messages of OwnTracks and Home Assistant.
final class MQTTUplink: Uplink {
    /// The minimum time between two positions for Home Assistant.
    private static let attributesInterval = Instant.Span.seconds(60)

    /// The minimum distance in metres between two positions for Home Assistant.
    private static let attributesDistance = 10.0

    let maxInFlight = 20

    private let destination: Destination
    private let messages: OwnTracks
    private let encryption: OwnTracksEncryption
    private let home: HomeAssistant
    private let hasHomeAssistant: Bool
    private let receivesCommands: Bool
    private let name: String
    private let user: String
    private let keepalive: Instant.Span
    private let loop: EventLoop
    private let credentials: Credentials?
    private let handler: (UplinkEvent) -> Void
    private var connection: MQTTConnection?
    private var retry: RetryDelay
    private var nextAttempt: Instant?
    /// The records in flight by the identifiers of their messages.
    private var records: [Int32: SentRecord] = [:]

    /// Whether a message of this connection has been acknowledged.
    private var isCaughtUp = false
    private var fencesInFlight: (message: Int32, hash: Int64)?

    private struct SentRecord {
        var sequences: [Int64]
        var bytes: Int
    }

    /// Creates an uplink that connects after `delay`.
    init(
        _ options: Reporter.Options, encryption: OwnTracksEncryption, delay: Instant.Span, loop: EventLoop,
        handler: @escaping (UplinkEvent) -> Void
    ) {
        destination = options.destination
        (user, name) = (options.user, options.device)
        keepalive = options.effectiveKeepalive
        credentials = options.credentials
        // Home Assistant cannot decrypt the positions that it gets as attributes.
        hasHomeAssistant = options.hasHomeAssistant && !encryption.isOn
        receivesCommands = options.receivesCommands
        self.encryption = encryption
        retry = RetryDelay(first: options.firstRetry)
        self.loop = loop
        self.handler = handler
        messages = OwnTracks(user: user, device: name)
        home = HomeAssistant(device: "\(user)_\(name)", name: name, statusTopic: messages.topic)
        nextAttempt = loop.now + delay
    }

    var isReady: Bool { connection?.isConnected == true }

    var deadline: Instant? { earliest(connection?.deadline, nextAttempt) }

    func tick(at now: Instant) {
        connection?.tick(at: now)
        if let nextAttempt, now >= nextAttempt { connect(at: now) }
    }

    private func connect(at now: Instant) {
        nextAttempt = nil
        if destination.isEncrypted, !HostClock.isSet {
            return end("the clock of this device is not set, so no certificate is valid", isRefusal: true)
        }
        let settings = MQTTConnection.Settings(
            host: destination.host, port: destination.port, clientID: "sextant-\(user)-\(name)",
            user: user, isEncrypted: destination.isEncrypted, willTopic: messages.topic,
            will: encryption.bytes(of: messages.will(at: HostClock.utc)), isWillRetained: hasHomeAssistant,
            isSessionKept: receivesCommands, maxLength: OwnTracksEncryption.maxMessageLength, keepalive: keepalive)
        do throws(FleetError) {
            connection = try MQTTConnection(settings, credentials: credentials, in: loop) { [weak self] event in
                self?.process(event)
            }
        } catch {
            end("\(error)", isRefusal: true)
        }
    }

    private func process(_ event: MQTTConnection.Event) {
        switch event {
        case .connected:
            retry.reset()
            attributes = nil
            isCaughtUp = false
            greet()
            handler(.connected)
        case .delivered(let message):
            // All messages follow the subscription. The broker sends the commands that wait before
            // the first acknowledgement.
            if !isCaughtUp {
                isCaughtUp = true
                handler(.caughtUp)
            }
            if let fences = fencesInFlight, fences.message == message {
                fencesInFlight = nil
                handler(.fencesDelivered(hash: fences.hash))
            }
            guard let record = records.removeValue(forKey: message) else { return }
            handler(.delivered(record.sequences, bytes: record.bytes))
        case .message(let topic, let bytes):
            if topic == messages.commandTopic { handler(.command(encryption.command(bytes))) }
        case .tooLong(let topic):
            if topic == messages.commandTopic {
                handler(.command(.refused(action: "", reason: OwnTracksEncryption.tooLong)))
            }
        case .ended(let reason, let isRefusal): end(reason, isRefusal: isRefusal)
        }
    }

    private func greet() {
        if receivesCommands { connection?.subscribe(to: messages.commandTopic) }
        publish(messages.card(name: name), to: messages.infoTopic, isRetained: true)
        guard hasHomeAssistant else { return }
        _ = connection?.publish(
            home.configuration(version: SextantVersion.current).bytes, to: home.configurationTopic, isRetained: true)
        _ = connection?.publish(Array("online".utf8), to: home.availabilityTopic, isRetained: true)
        // It replaces the retained will of the last connection: the device is online.
        publish(messages.card(name: name), to: messages.topic, isRetained: true)
    }

    private func end(_ reason: String, isRefusal: Bool) {
        // The connection calls this, but not in a callback of the library. `ended` holds it until
        // the handler returns, and its method that led here holds it after that: the last reference
        // ends when the library no longer uses the connection.
        let ended = connection
        connection = nil
        records = [:]
        fencesInFlight = nil
        let delay = retry.next(fraction: Double.random(in: 0...1), isRefusal: isRefusal)
        nextAttempt = loop.now + delay
        withExtendedLifetime(ended) { handler(.lost(reason: reason)) }
    }

    func send(_ record: FleetRecord, of state: DeviceState, trigger: OwnTracks.Trigger?) -> Bool {
        let message: JSONValue
        let topic: String
        switch record.content {
        case .point(let point):
            message = messages.location(point, sequence: record.sequence, of: state, trigger: trigger)
            topic = messages.topic
            newest(point)
        case .event(let event):
            message = messages.transition(event, sequence: record.sequence)
            topic = messages.eventTopic
        }
        return publish(message, to: topic, for: [record.sequence])
    }

    func send(track: [(sequence: Int64, point: FleetPoint)]) -> Bool {
        publish(messages.track(track), to: messages.trackTopic, for: track.map(\.sequence))
    }

    private func publish(_ message: JSONValue, to topic: String, for sequences: [Int64]) -> Bool {
        let bytes = encryption.bytes(of: message)
        guard let number = connection?.publish(bytes, to: topic) else { return false }
        records[number] = SentRecord(sequences: sequences, bytes: bytes.count + topic.utf8.count + 6)
        return true
    }

    /// The last attributes: Home Assistant gets the newest position, once a minute.
    private var attributes: FleetPoint?

    private func newest(_ point: FleetPoint) {
        guard hasHomeAssistant else { return }
        if let attributes {
            guard point.time.span(since: attributes.time) >= MQTTUplink.attributesInterval else { return }
            // The tracker stays where it is.
            if point.coordinate.distance(to: attributes.coordinate) < MQTTUplink.attributesDistance { return }
        }
        attributes = point
        // The next one replaces it, so an acknowledgement is of no use.
        _ = connection?.publish(home.attributes(point).bytes, to: home.attributesTopic, isRetained: true, quality: 0)
    }

    /// The position has the number under which it was or will be sent.
    func sendRequested(_ record: FleetRecord, of state: DeviceState) {
        guard case .point(let point) = record.content else { return }
        publish(
            messages.location(point, sequence: record.sequence, of: state, trigger: .requested), to: messages.topic)
    }

    func sendResult(_ result: CommandResult, fences: [RemoteFence], all: [Waypoint]) {
        var status: [String: JSONValue] = [
            "_type": "status", "action": .string(result.action), "result": result.refusal == nil ? "done" : "refused",
            "fences": .int(Int64(fences.count)), "hash": .string(FenceHash.text(of: fences)),
        ]
        if let refusal = result.refusal { status["reason"] = .string(refusal) }
        publish(.object(status), to: messages.statusTopic)
        guard result.refusal == nil, result.listsFences else { return }
        for message in messages.waypoints(all) { publish(message, to: messages.waypointsTopic) }
    }

    func send(_ fences: [ReportedFence], areAll: Bool, hash: Int64) {
        var last: Int32?
        func put(_ message: JSONValue, to topic: String) {
            last = connection?.publish(encryption.bytes(of: message), to: topic) ?? last
        }
        for fence in fences {
            if !areAll { put(messages.waypoint(fence.waypoint), to: messages.waypointTopic) }
            if let geometry = fence.geometry {
                put(messages.fence(fence.waypoint, shape: geometry), to: messages.fenceTopic)
            }
        }
        if areAll {
            for message in messages.waypoints(fences.map(\.waypoint)) { put(message, to: messages.waypointsTopic) }
        }
        // The broker acknowledges messages in their order.
        if let last { fencesInFlight = (last, hash) }
    }

    private func publish(_ message: JSONValue, to topic: String, isRetained: Bool = false) {
        _ = connection?.publish(encryption.bytes(of: message), to: topic, isRetained: isRetained)
    }
}
