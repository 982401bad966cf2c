import Chronology
import ServiceRuntime
import SystemCalls
import Varlink

/// A server that gets each record as one HTTP request: OwnTracks' Recorder, or Traccar. Home
/// Assistant gets the positions of long rests alone.
final class HTTPUplink: Uplink {
    /// The statuses that may concern the record alone: bad request, content too large, URI too
    /// long, unsupported media type, unprocessable content, header fields too large (RFC 9110,
    /// RFC 6585).
    private static let recordRefusals: Set<Int> = [400, 413, 414, 415, 422, 431]

    let maxInFlight: Int

    private let destination: Destination
    private let messages: OwnTracks
    private let encryption: OwnTracksEncryption
    private let device: String
    private let sendsTraccarJSON: Bool
    private let loop: EventLoop
    private let handler: (UplinkEvent) -> Void
    private var transfer: HTTPTransfer?
    private let credentials: Credentials?
    private var retry: RetryDelay
    private var nextAttempt: Instant?
    private var isConnected = false
    /// What Home Assistant gets; nil for other servers.
    private var home: HomeFollower?

    /// Creates an uplink that sends after `delay`.
    init(
        _ options: Reporter.Options, encryption: OwnTracksEncryption, delay: Instant.Span, loop: EventLoop,
        handler: @escaping (UplinkEvent) -> Void
    ) {
        destination = options.destination
        device = options.device
        sendsTraccarJSON = options.sendsTraccarJSON
        self.encryption = encryption
        credentials = options.credentials
        retry = RetryDelay(first: options.firstRetry)
        self.loop = loop
        self.handler = handler
        messages = OwnTracks(user: options.user, device: options.device)
        home = options.destination.isHomeAssistant ? HomeFollower() : nil
        // A position at which the device may rest is in flight while newer ones come.
        maxInFlight = home == nil ? 1 : 2
        nextAttempt = loop.now + delay
    }

    var isReady: Bool { nextAttempt == nil && transfer?.isBusy == false }

    var deadline: Instant? {
        earliest(earliest(transfer?.deadline, nextAttempt), isReady ? home?.deadline : nil)
    }

    func tick(at now: Instant) {
        transfer?.tick(at: now)
        if isReady, let (sequence, point) = home?.due(at: now) { post(home: point, sequence) }
        guard let nextAttempt, now >= nextAttempt else { return }
        if destination.isEncrypted, !HostClock.isSet {
            return fail("the clock of this device is not set, so no certificate is valid", isRefusal: true)
        }
        self.nextAttempt = nil
        do throws(FleetError) {
            if transfer == nil { transfer = try HTTPTransfer(credentials: credentials, loop: loop) }
            if home != nil, !isConnected { checkHome() }
        } catch {
            fail("\(error)", isRefusal: true)
        }
    }

    func send(_ record: FleetRecord, of state: DeviceState, trigger: OwnTracks.Trigger?) -> Bool {
        guard isReady, let transfer else { return false }
        if let done = home?.add(record, at: loop.now) {
            if !done.isEmpty { handler(.delivered(done, bytes: 0)) }
            return true
        }
        guard let (url, body, header) = request(record, state, trigger) else {
            // Traccar knows no event without a position.
            handler(.delivered([record.sequence], bytes: 0))
            return true
        }
        transfer.post(body, to: url, header: header + destination.headers) { [weak self] result in
            self?.finish(result, of: record.sequence, bytes: body.count)
        }
        return true
    }

    /// Sets the home location (https://www.home-assistant.io/integrations/homeassistant/). The
    /// first line of the file `password` is the token, unless the destination has a header with
    /// one.
    private func post(home point: FleetPoint, _ sequence: Int64) {
        let body = HomeFollower.body(point).bytes
        transfer?.post(body, to: destination.httpURL(), header: homeHeader) { [weak self] result in
            self?.finish(result, of: sequence, bytes: body.count)
        }
    }

    /// Asks for the status of the interface, long before the first position is sent.
    private func checkHome() {
        let url = destination.httpURL()
        guard url.hasSuffix(HomeFollower.path) else { return }
        transfer?.post(nil, to: url.dropLast(HomeFollower.path.count) + "/api/", header: homeHeader) {
            [weak self] result in
            self?.finish(result, of: nil, bytes: 0)
        }
    }

    private var homeHeader: [String] {
        let header = ["Content-Type: application/json"] + destination.headers
        guard !destination.hasAuthorization, let token = credentials?.password else { return header }
        return header + ["Authorization: Bearer \(token)"]
    }

    /// A server over HTTP gets one record per request.
    func send(track: [(sequence: Int64, point: FleetPoint)]) -> Bool { false }

    private typealias Request = (url: String, body: [UInt8], header: [String])

    private func request(
        _ record: FleetRecord, _ state: DeviceState, _ trigger: OwnTracks.Trigger?
    ) -> Request? {
        guard !destination.isTraccar else {
            switch record.content {
            case .point(let point): return traccar(point, sequence: record.sequence, state)
            case .event(let event):
                return event.point.map { traccar($0, sequence: record.sequence, state, event: event) }
            }
        }
        let message =
            switch record.content {
            case .point(let point):
                messages.location(
                    point, sequence: record.sequence, of: state, trigger: trigger, topic: messages.topic)
            case .event(let event): messages.transition(event, sequence: record.sequence, topic: messages.eventTopic)
            }
        let (userName, deviceName) = (Traccar.encoded(messages.user), Traccar.encoded(messages.device))
        // OwnTracks' Recorder reads either of both, Home Assistant the header.
        return (
            url: destination.httpURL(adding: "u=\(userName)&d=\(deviceName)"), body: encryption.bytes(of: message),
            header: ["Content-Type: application/json", "X-Limit-U: \(userName)", "X-Limit-D: \(deviceName)"]
        )
    }

    private func traccar(
        _ point: FleetPoint, sequence: Int64, _ state: DeviceState, event: FleetEvent? = nil
    ) -> Request {
        guard !sendsTraccarJSON else {
            let message = Traccar.body(
                point, device: device, sequence: sequence, of: state, event: event?.kind.rawValue,
                geofence: event?.identifier)
            return (url: destination.httpURL(), body: message.bytes, header: ["Content-Type: application/json"])
        }
        let attributes = event.map { [("event", $0.kind.rawValue), ("geofence", $0.identifier)] } ?? []
        let query = Traccar.query(
            point, device: device, sequence: sequence, of: state, attributes: attributes)
        return (
            url: destination.httpURL(), body: Array(query.utf8),
            header: ["Content-Type: application/x-www-form-urlencoded"]
        )
    }

    private func finish(_ result: HTTPTransfer.Result, of sequence: Int64?, bytes: Int) {
        switch result {
        case .answered(let status, let body) where (200..<300).contains(status):
            retry.reset()
            if sequence != nil { home?.finish(isAccepted: true) }
            if !isConnected {
                isConnected = true
                handler(.connected)
            }
            guard let sequence else { return }
            handler(.delivered([sequence], bytes: bytes))
            if !destination.isTraccar, home == nil { receive(body) }
        case .answered(let status, _) where HTTPUplink.recordRefusals.contains(status) && sequence != nil:
            if let sequence { refuse(sequence, status: status) }
        case .answered(let status, _):
            fail("the server answers with status \(status)\(hint(status))", isRefusal: (400..<500).contains(status))
        case .failed(let reason, let isRefusal): fail(reason, isRefusal: isRefusal)
        }
    }

    /// If the server accepts other records, the pause is short: only this one is refused.
    private func refuse(_ sequence: Int64, status: Int) {
        home?.finish(isAccepted: false)
        nextAttempt = loop.now + retry.next(fraction: Double.random(in: 0...1), isRefusal: !isConnected)
        isConnected = false
        handler(.refused(sequence, reason: "the server answers with status \(status)\(hint(status))"))
    }

    private func hint(_ status: Int) -> String {
        switch status {
        case 401 where home != nil: "; write a long-lived access token of an administrator into the file password"
        case 400 where home == nil, 404 where home == nil: "; does the server know this device?"
        case 404: "; this is not the address of a Home Assistant"
        default: ""
        }
    }

    /// OwnTracks' Recorder answers with a list of messages, also those of other devices. A refused
    /// command cannot be answered.
    private func receive(_ body: [UInt8]) {
        guard let list = try? JSONValue(parsing: body, depthLimit: 8) else { return }
        for message in list.array ?? [] {
            let command = encryption.command(message.bytes)
            if case .refused = command { continue }
            handler(.command(command))
        }
    }

    private func fail(_ reason: String, isRefusal: Bool) {
        home?.finish(isAccepted: false)
        isConnected = false
        nextAttempt = loop.now + retry.next(fraction: Double.random(in: 0...1), isRefusal: isRefusal)
        handler(.lost(reason: reason))
    }

    /// A server over HTTP gets each position anyway.
    func sendRequested(_ record: FleetRecord, of state: DeviceState) {}

    /// A server over HTTP cannot receive an answer; it sees the events of its fences.
    func sendResult(_ result: CommandResult, fences: [RemoteFence], all: [Waypoint]) {}

    /// A server over HTTP gets the events of fences only.
    func send(_ fences: [ReportedFence], areAll: Bool, hash: Int64) {}
}
