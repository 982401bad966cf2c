import Chronology
import Locator
import Permission
import ServiceRuntime
import SextantAPI
import Varlink

/// Serves `io.sextant.Location`: streams of updates and single locations.
final class LocationService: Service {
    let context: ServiceContext
    private let prepared = PreparedUpdate()
    private var endedStreams = UpdateCounts()
    private var rates: UpdateRates
    /// The receiver whose bytes were read in this turn.
    private var lastReadReceiver: ReceiverID?
    private let requests: PermittedRequests
    private lazy var reduced = ReducedUpdates(secret: permissions.reducedSecret())

    private let track: TrackService

    init(_ context: ServiceContext, track: TrackService) {
        self.context = context
        self.track = track
        requests = PermittedRequests(context, where: \.requestsLocation)
        rates = UpdateRates(perSecond: context.settings.maxUpdatesPerSecond)
    }

    let methods = [LocationMethods.subscribe.name, LocationMethods.getLocation.name]

    func apply(_ settings: Settings, at now: Instant) { rates.perSecond = settings.maxUpdatesPerSecond }

    func forgetLocation() { reduced = ReducedUpdates(secret: permissions.reducedSecret()) }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        switch call.method {
        case LocationMethods.subscribe.name: try subscribe(call, from: session)
        case LocationMethods.getLocation.name: try getLocation(call, from: session)
        default: throw call.methodNotImplemented
        }
    }

    /// The update counts of all streams, open and ended.
    var updateCounts: UpdateCounts {
        server.sessions(where: \.activity.isStream).reduce(endedStreams) { $0 + UpdateCounts.of($1.connection) }
    }

    func sessionClosed(_ session: ClientSession, at now: Instant) {
        switch session.activity {
        case .stream:
            endedStreams = endedStreams + UpdateCounts.of(session.connection)
            rates.end(RequestID(session.number))
        case .locationRequest: break
        case .idle, .visits, .heading, .receivers, .sentences, .beacons, .beaconScan, .monitor, .watch, .permission,
            .agent:
            return
        }
        requests.end(session)
    }
}

// MARK: Streams
extension LocationService {
    private func subscribe(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        let parameters = try call.decode(LocationMethods.subscribe)
        try check(parameters.receiver)
        var stream: StreamRequest
        do throws(ServiceError) { stream = try parameters.request() } catch { throw error.reply }
        if let rule = permissions.policy.rule(for: session.owner) {
            stream.configuration = rule.limited(stream.configuration)
        }
        let namespace = try session.owner.namespace(parameters.application)
        // Decoding a call uses a deep stack, which is no longer needed.
        memory.requestTrim()
        guard call.mode == .more else {
            // Without `more`, the current state is the only reply.
            let message = currentMessage(for: stream, of: session)
            return session.reply(to: LocationMethods.subscribe, message.counted(sequence: 1, dropped: 0))
        }
        let request = ActiveRequest(
            Purpose(rawValue: stream.configuration.rawValue) ?? .default, program: session.program,
            namespace: namespace, receiver: parameters.receiver, stream: stream, at: loop.now)
        let isBatched = stream.options.maximumDelay.map { $0 > .zero } ?? false
        session.begin(.stream(request, isBatched: isBatched))
        rates.begin(RequestID(session.number), isBatched: isBatched)
        queue(begin(stream, for: session, by: requests.begin(session)), for: session)
    }

    /// Opens a stream as far as its program may know the location, and returns its first update.
    private func begin(
        _ stream: StreamRequest, for session: ClientSession, by verdict: PermissionVerdict
    ) -> EncodedObject {
        let id = RequestID(session.number)
        requests[session.number] = verdict.allowsLocation ? .full : .denied(verdict)
        guard verdict.allowsLocation else { return deniedMessage(verdict, to: session).shared }
        guard verdict.accuracy == .reduced else {
            return prepared.encoded(context.locator.subscribe(stream, id: id, at: loop.now))
        }
        let update = context.locator.subscribe(ReducedUpdates.request(for: stream), id: id, at: loop.now)
        process(update.location)
        requests[session.number] = .reduced(verdict, lacksLocation: false)
        return encoded(update, for: session)
    }

    /// Returns what a new stream would get first, without opening it.
    private func currentMessage(for stream: StreamRequest, of session: ClientSession) -> SubscribeReply {
        let verdict = permissions.verdict(of: session.owner)
        guard verdict.allowsLocation else { return deniedMessage(verdict, to: session) }
        let update = context.locator.currentUpdate(for: stream, at: loop.now)
        guard verdict.accuracy == .reduced else { return SubscribeReply(update) }
        process(update.location)
        return reducedMessage(for: update, verdict, to: session)
    }

    private func deniedMessage(_ verdict: PermissionVerdict, to session: ClientSession) -> SubscribeReply {
        SubscribeReply(denied: verdict.flags, detail: verdict.detail(for: session.owner))
    }

    private func reducedMessage(
        for update: Update, _ verdict: PermissionVerdict, to session: ClientSession
    ) -> SubscribeReply {
        var message = SubscribeReply(reduced.update(for: update, at: loop.now))
        message.permission = verdict.flags
        message.detail = message.detail ?? verdict.detail(for: session.owner)
        return message
    }

    private func check(_ receiver: String?) throws(VarlinkError) {
        guard let receiver, !context.locator.receivers.hasReceiver(named: receiver) else { return }
        let known = context.locator.reports(at: loop.now).map(\.name)
        throw NoSuchReceiverError(receiver: receiver, known: known).reply(in: .location)
    }
}

// MARK: Single locations
extension LocationService {
    private func getLocation(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        let parameters = try call.decode(LocationMethods.getLocation)
        let timeout = parameters.timeout ?? 10
        guard GetLocationParameters.timeoutRange.contains(timeout) else { throw ServiceError.invalid("timeout") }
        let request = LocationParameters(
            maximumAge: parameters.maximumAge ?? 1, deadline: loop.now + .seconds(timeout),
            receiver: parameters.receiver, timesBurst: parameters.timesBurst ?? false)
        guard request.maximumAge >= 0 else { throw ServiceError.invalid("maximumAge") }
        try check(parameters.receiver)
        let active = ActiveRequest(.oneShot, program: session.program, receiver: parameters.receiver, at: loop.now)
        session.begin(.locationRequest(active, request))
        begin(request, for: session, by: requests.begin(session))
    }

    private func begin(_ request: LocationParameters, for session: ClientSession, by verdict: PermissionVerdict) {
        guard verdict.allowsLocation else {
            guard verdict.flags.contains(.authorizationRequestInProgress) else { return deny(session, by: verdict) }
            return requests[session.number] = .waiting(verdict, until: request.deadline)
        }
        requests[session.number] = verdict.accuracy == .full ? .full : .reduced(verdict, lacksLocation: false)
        if verdict.accuracy == .reduced, reduced.isCurrent(at: loop.now) { return answerReduced(session) }
        let recent = context.locator.requestLocation(
            RequestID(session.number), maximumAge: .seconds(request.maximumAge), deadline: request.deadline,
            receiver: verdict.accuracy == .reduced ? .best : ReceiverSelection(request.receiver),
            timesBurst: request.timesBurst, at: loop.now)
        if let recent { answer(session, with: recent.location, age: recent.age) }
    }

    /// When ``tick(at:)`` is due; `nil` if nothing is.
    var deadline: Instant? { earliest(requests.deadline, rates.deadline) }

    /// Sends held updates, and rejects the location requests about which no agent has answered in
    /// time.
    func tick(at now: Instant) {
        sendHeldUpdates(at: now)
        for (number, verdict) in requests.expired(at: now) {
            guard let session = server[number] else { continue }
            deny(session, by: verdict)
            server.flush(session)
        }
    }

    private func deny(_ session: ClientSession, by verdict: PermissionVerdict) {
        session.end()
        requests.end(session)
        session.connection.fail(PermissionDeniedError(verdict, of: session.owner).reply(in: .location))
    }

    /// Returns the session of a location request; `nil` if it was answered or denied in this turn.
    private func openRequest(_ id: RequestID) -> ClientSession? {
        guard let session = server[id.rawValue], case .locationRequest = session.activity,
            requests[id.rawValue].verdict?.allowsLocation ?? true
        else { return nil }
        return session
    }

    /// Answers a pending location request with a location of this age.
    ///
    /// - Parameter burstAge: The time since the first byte of its burst arrived, if observed.
    private func answer(_ id: RequestID, with location: ReceiverFix, age: Instant.Span, burstAge: Instant.Span?) {
        guard let session = openRequest(id) else { return }
        answer(session, with: location, age: age, burstAge: burstAge)
        server.flush(session)
    }

    private func answer(
        _ session: ClientSession, with location: ReceiverFix, age: Instant.Span, burstAge: Instant.Span? = nil
    ) {
        if !requests.isFull(session) {
            process(location)
            return answerReduced(session)
        }
        guard let message = Location(location) else { return }
        session.end()
        requests.end(session)
        let restingSince = context.locator.restingSince(at: loop.now)
        let reply = RecentLocation(
            location: message, age: age.seconds, restingSince: restingSince, burstAge: burstAge?.seconds)
        session.reply(to: LocationMethods.getLocation, reply)
    }

    private func answerReduced(_ session: ClientSession) {
        guard let current = reduced.current(at: loop.now), let message = Location(current) else { return }
        session.end()
        requests.end(session)
        let reply = RecentLocation(location: message, age: current.age.seconds)
        session.reply(to: LocationMethods.getLocation, reply)
    }

    /// Rejects a location request whose timeout has passed.
    private func reject(_ id: RequestID, reason: Unavailability) {
        guard let session = openRequest(id) else { return }
        session.end()
        requests.end(session)
        session.connection.fail(LocationError(reason).reply)
        server.flush(session)
    }
}

// MARK: Changes of permission
extension LocationService {
    /// Applies a new verdict to the open requests of a program. They stay open.
    func verdictChanged(of program: ProgramID, to verdict: PermissionVerdict, at now: Instant) {
        requests.verdictChanged(of: program, to: verdict) { session in
            rates.discardHeld(RequestID(session.number))
            apply(verdict, to: session)
        }
    }

    private func apply(_ verdict: PermissionVerdict, to session: ClientSession) {
        switch session.activity {
        case .stream(let request, isBatched: _):
            guard let stream = request.stream else { return }
            queue(begin(stream, for: session, by: verdict), for: session)
        case .locationRequest(_, let parameters): begin(parameters, for: session, by: verdict)
        case .idle, .visits, .heading, .receivers, .sentences, .beacons, .beaconScan, .monitor, .watch, .permission,
            .agent:
            return
        }
    }
}

// MARK: Delivery
extension LocationService {
    func perform(_ effect: Effect.Request, at now: Instant) {
        switch effect {
        case .publish(let update, let streams): publish(update, to: streams)
        case .answer(let id, let location, let age, let burstAge):
            answer(id, with: location, age: age, burstAge: burstAge)
            context.uses.requestEnded(id.rawValue, wasAnswered: true, at: now)
        case .reject(let id, let reason):
            reject(id, reason: reason)
            context.uses.requestEnded(id.rawValue, wasAnswered: false, at: now)
        }
    }

    /// Sends updates that a read caused, before anything else of the turn.
    func publish(_ updates: [StreamUpdate], readFrom receiver: ReceiverID) {
        lastReadReceiver = receiver
        for update in updates { publish(update.update, to: update.streams) }
    }

    /// Encodes an update once and sends it to all these streams, later if it exceeds the rate of a
    /// stream.
    private func publish(_ update: Update, to streams: [RequestID]) {
        if update.unavailability?.cause == .receiverSilent { memory.requestTrim() }
        var shared: EncodedObject?
        var limited: [ClientSession] = []
        for id in streams {
            guard let session = server[id.rawValue] else {
                if id == TrackService.stream { track.add(update, at: loop.now) }
                continue
            }
            guard requests.isFull(session) else {
                limited.append(session)
                continue
            }
            guard let replaced = rates.admit(update, to: id, at: loop.now) else { continue }
            let text = shared ?? prepared.encoded(update)
            shared = text
            send(text, to: session, replacing: replaced)
        }
        guard !limited.isEmpty else { return }
        process(update.location)
        send(reduced.update(for: update, at: loop.now), toReduced: limited, onlyLacking: update.location != nil)
    }

    /// Sends an update to those of these sessions that have a reduced stream.
    ///
    /// - Parameter onlyLacking: Whether only those get it whose last update has no location.
    private func send(_ update: Update, toReduced sessions: [ClientSession], onlyLacking: Bool = false) {
        for session in sessions {
            guard case .reduced(_, let lacksLocation) = requests[session.number], lacksLocation || !onlyLacking,
                let replaced = rates.admit(update, to: RequestID(session.number), at: loop.now)
            else { continue }
            send(encoded(update, for: session), to: session, replacing: replaced)
        }
    }

    /// Processes a location for the reduced one. If that changes, every reduced stream gets it at
    /// the same time.
    private func process(_ location: ReceiverFix?) {
        guard let location, reduced.process(location, at: loop.now) else { return }
        send(
            reduced.update(for: Update(location: location), at: loop.now),
            toReduced: server.sessions(where: \.activity.isStream)
        )
    }

    /// Sends the held updates that may be sent now.
    private func sendHeldUpdates(at now: Instant) {
        for due in rates.takeDue(at: now) {
            guard let session = server[due.stream.rawValue] else { continue }
            send(encoded(due.update, for: session), to: session, replacing: due.replaced)
        }
    }

    /// Returns an update as far as the program of a session may know it.
    private func encoded(_ update: Update, for session: ClientSession) -> EncodedObject {
        guard let verdict = requests[session.number].verdict else { return SubscribeReply(update).shared }
        let message = reducedMessage(for: update, verdict, to: session)
        if verdict.allowsLocation {
            requests[session.number] = .reduced(verdict, lacksLocation: message.location == nil)
        }
        return message.shared
    }

    private func send(_ update: EncodedObject, to session: ClientSession, replacing unpublished: Int) {
        queue(update, for: session, replacing: unpublished)
        // The rest of a batch is sent when the output queue has space.
        guard session.activity.isBatched, session.hasPendingOutput else { return server.flush(session) }
        server.countBytes(of: session)
    }

    private func queue(_ update: EncodedObject, for session: ClientSession, replacing unpublished: Int = 0) {
        if session.activity.isBatched, server.mayQueueInOrder(for: session) {
            session.connection.publishInOrder(update, replacing: unpublished)
        } else {
            session.connection.publish(update, counters: .counted, replacing: unpublished)
        }
    }

    /// Prepares the expected update while the last sentence of the burst is still to arrive.
    func endTurn(at now: Instant) {
        guard let id = lastReadReceiver.take() else { return }
        if let expected = context.locator.expectedUpdate(from: id, at: now) { prepared.prepare(expected) }
    }
}

/// The parameters of a location request.
struct LocationParameters {
    /// The maximum age of the position in seconds.
    var maximumAge: Double
    /// When the wait for an answer and a position ends. A change of permission does not extend it.
    var deadline: Instant
    /// The name or port of the only receiver to use; `nil` for the primary receiver.
    var receiver: String?
    /// Whether the time since the beginning of the burst is needed.
    var timesBurst: Bool
}

/// The numbers of updates that were published, and that newer ones replaced before they were sent.
struct UpdateCounts {
    var published = 0
    var dropped = 0

    static func of(_ connection: ServerConnection) -> UpdateCounts {
        UpdateCounts(published: connection.updates.published, dropped: connection.updates.dropped)
    }

    static func + (a: UpdateCounts, b: UpdateCounts) -> UpdateCounts {
        UpdateCounts(published: a.published + b.published, dropped: a.dropped + b.dropped)
    }
}

/// The encoded form of the update that is expected next, prepared while the receiver is still
/// sending its burst.
///
/// An epoch contains all data for clients long before its last sentence, which is a GSV or repeats
/// the time. At 115,200 baud, a burst takes a tenth of a second to arrive. Preparation removes the
/// encoding from the latency of an update. If another update is published instead, the encoder is
/// already in the processor's caches.
final class PreparedUpdate {
    private var update: Update?
    private var prepared = EncodedObject.empty

    func prepare(_ expected: Update) {
        guard expected != update else { return }
        prepared = SubscribeReply(expected).shared
        update = expected
    }

    /// Returns the encoded form of an update: the prepared one if it matches, otherwise a new one.
    func encoded(_ present: Update) -> EncodedObject {
        present == update ? prepared : SubscribeReply(present).shared
    }
}
