import Chronology
import Delivery
import Locator
import Permission
import Positioning
import Systemd
import Varlink
import Wire

/// Serves `io.sextant.Location`: streams of updates and single locations.
///
/// The core knows only the requests of programs that may know the location. A request of another
/// program stays open here, without any demand on receivers, until its permission changes.
final class LocationService: Service {
    /// The allowed timeouts of a location request in seconds.
    private static let timeouts = 0...300.0

    private let core: Core
    private let server: ClientServer
    private let permissions: Permissions
    private let loop: EventLoop
    private let memory: MemoryTrimmer
    private let prepared = PreparedUpdate()
    /// The update counts of the streams that have ended.
    private var endedStreams = UpdateCounts()
    private var rates: UpdateRates
    /// The receiver whose bytes were read in this turn.
    private var lastReadReceiver: ReceiverID?
    /// The requests that do not get the full location.
    private var limited: [Int: PermissionVerdict] = [:]
    /// The reduced streams whose last update has no location.
    private var lackingLocation: Set<Int> = []
    /// The location requests that wait for the answer of an agent.
    private var awaitingAnswer: [Int: Instant] = [:]
    private lazy var reduced = ReducedUpdates(secret: permissions.reducedSecret())

    init(
        core: Core, server: ClientServer, permissions: Permissions, loop: EventLoop, memory: MemoryTrimmer,
        settings: Settings
    ) {
        self.core = core
        self.server = server
        self.permissions = permissions
        self.loop = loop
        self.memory = memory
        rates = UpdateRates(perSecond: settings.maxUpdatesPerSecond)
    }

    /// Applies settings to the streams that begin from now on.
    func apply(_ settings: Settings) { rates.perSecond = settings.maxUpdatesPerSecond }

    /// Forgets the reduced location.
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
        server.sessions(where: \.isStream).reduce(endedStreams) { $0 + UpdateCounts.of($1.connection) }
    }

    func sessionClosed(_ session: ClientSession) {
        switch session.activity {
        case .stream:
            endedStreams = endedStreams + UpdateCounts.of(session.connection)
            rates.end(StreamID(session.number))
        case .locationRequest: break
        case .idle, .visits, .heading, .receivers, .sentences, .monitor, .permission, .agent: return
        }
        release(session)
    }

    /// Ends the request of a session in the core and in the permissions.
    private func release(_ session: ClientSession) {
        core.locator.cancel([StreamID(session.number)])
        limited[session.number] = nil
        awaitingAnswer[session.number] = nil
        lackingLocation.remove(session.number)
        permissions.endRequest(of: session.owner)
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
        let part = try session.owner.part(parameters.application)
        // Decoding a call uses a deep stack, which is no longer needed.
        memory.requestTrim()
        guard call.mode == .more else {
            // Without `more`, the current state is the only reply.
            let message = currentMessage(for: stream, of: session)
            return session.reply(to: LocationMethods.subscribe, SubscribeReply(sequence: 1, dropped: 0, message))
        }
        let request = ActiveRequest(
            PurposeName(rawValue: stream.configuration.rawValue) ?? .default, program: session.program,
            part: part, receiver: parameters.receiver, stream: stream, at: loop.now)
        let isBatched = stream.options.maximumDelay.map { $0 > .zero } ?? false
        session.begin(.stream(request, isBatched: isBatched))
        rates.begin(StreamID(session.number), isBatched: isBatched)
        queue(begin(stream, for: session, by: permissions.beginRequest(of: session.owner)), for: session)
    }

    /// Opens a stream as far as its program may know the location, and returns its first update.
    private func begin(
        _ stream: StreamRequest, for session: ClientSession, by verdict: PermissionVerdict
    ) -> EncodedObject {
        let id = StreamID(session.number)
        limited[session.number] = verdict.allowsLocation ? nil : verdict
        guard verdict.allowsLocation else { return deniedMessage(verdict, to: session).text }
        guard verdict.accuracy == .reduced else {
            return prepared.text(of: core.locator.subscribe(stream, id: id, at: loop.now))
        }
        let update = core.locator.subscribe(ReducedUpdates.request(for: stream), id: id, at: loop.now)
        process(update.location)
        limited[session.number] = verdict
        return text(of: update, for: session)
    }

    /// Returns what a new stream would get first, without opening it.
    private func currentMessage(for stream: StreamRequest, of session: ClientSession) -> UpdateMessage {
        let verdict = permissions.verdict(of: session.owner)
        guard verdict.allowsLocation else { return deniedMessage(verdict, to: session) }
        let update = core.locator.currentUpdate(for: stream, at: loop.now)
        guard verdict.accuracy == .reduced else { return UpdateMessage(update) }
        process(update.location)
        return reducedMessage(for: update, verdict, to: session)
    }

    private func deniedMessage(_ verdict: PermissionVerdict, to session: ClientSession) -> UpdateMessage {
        UpdateMessage(denied: verdict.flags, detail: verdict.detail(for: session.owner))
    }

    private func reducedMessage(
        for update: Update, _ verdict: PermissionVerdict, to session: ClientSession
    ) -> UpdateMessage {
        var message = UpdateMessage(reduced.update(for: update, at: loop.now))
        message.permission = verdict.flags
        message.detail = message.detail ?? verdict.detail(for: session.owner)
        return message
    }

    private func check(_ receiver: String?) throws(VarlinkError) {
        guard let receiver, !core.locator.hasReceiver(named: receiver) else { return }
        let known = core.locator.reports(at: loop.now).map(\.name)
        throw NoSuchReceiverError(receiver: receiver, known: known).reply(in: .location)
    }
}

// MARK: Single locations
extension LocationService {
    private func getLocation(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        let parameters = try call.decode(LocationMethods.getLocation)
        let timeout = parameters.timeout ?? 10
        guard LocationService.timeouts.contains(timeout) else { throw ServiceError.invalid("timeout") }
        let request = LocationParameters(
            maximumAge: parameters.maximumAge ?? 1, deadline: loop.now + .seconds(timeout),
            receiver: parameters.receiver, timesBurst: parameters.timesBurst ?? false)
        guard request.maximumAge >= 0 else { throw ServiceError.invalid("maximumAge") }
        try check(parameters.receiver)
        let active = ActiveRequest(.oneShot, program: session.program, receiver: parameters.receiver, at: loop.now)
        session.begin(.locationRequest(active, request))
        begin(request, for: session, by: permissions.beginRequest(of: session.owner))
    }

    private func begin(_ request: LocationParameters, for session: ClientSession, by verdict: PermissionVerdict) {
        limited[session.number] = verdict.allowsFullLocation ? nil : verdict
        if verdict.flags.contains(.authorizationRequestInProgress) {
            awaitingAnswer[session.number] = request.deadline
            return
        }
        awaitingAnswer[session.number] = nil
        guard verdict.allowsLocation else { return deny(session, by: verdict) }
        if verdict.accuracy == .reduced, reduced.isCurrent(at: loop.now) { return answerReduced(session) }
        let recent = core.locator.requestLocation(
            StreamID(session.number), maximumAge: .seconds(request.maximumAge), deadline: request.deadline,
            receiver: verdict.accuracy == .reduced ? .best : ReceiverSelection(request.receiver),
            timesBurst: request.timesBurst, at: loop.now)
        if let recent { answer(session, with: recent.location, age: recent.age) }
    }

    /// When ``tick(at:)`` is due; `nil` if nothing is.
    var deadline: Instant? { earliest(awaitingAnswer.values.min(), rates.deadline) }

    /// Sends held updates, and rejects the location requests about which no agent has answered in
    /// time.
    func tick(at now: Instant) {
        sendHeldUpdates(at: now)
        for (number, deadline) in awaitingAnswer where deadline <= now {
            guard let session = server[number], let verdict = limited[number] else { continue }
            deny(session, by: verdict)
            server.advance(session)
        }
    }

    private func deny(_ session: ClientSession, by verdict: PermissionVerdict) {
        session.end()
        release(session)
        session.connection.fail(PermissionDeniedError(verdict, of: session.owner).reply(in: .location))
    }

    /// Returns the session of a location request; `nil` if it was answered or denied in this turn.
    private func openRequest(_ id: StreamID) -> ClientSession? {
        guard let session = server[id.rawValue], case .locationRequest = session.activity,
            limited[id.rawValue]?.allowsLocation ?? true
        else { return nil }
        return session
    }

    /// Answers a pending location request with a location of this age.
    ///
    /// - Parameter burstAge: The time since the first byte of its burst arrived, if observed.
    func answer(_ id: StreamID, with location: Location, age: Instant.Span, burstAge: Instant.Span?) {
        guard let session = openRequest(id) else { return }
        answer(session, with: location, age: age, burstAge: burstAge)
        server.advance(session)
    }

    private func answer(
        _ session: ClientSession, with location: Location, age: Instant.Span, burstAge: Instant.Span? = nil
    ) {
        if limited[session.number] != nil {
            process(location)
            return answerReduced(session)
        }
        guard let message = LocationMessage(location) else { return }
        session.end()
        release(session)
        let restingSince = core.locator.restingSince(at: loop.now)
        let reply = GetLocationReply(
            location: message, age: age.seconds, restingSince: restingSince?.description, burstAge: burstAge?.seconds)
        session.reply(to: LocationMethods.getLocation, reply)
    }

    private func answerReduced(_ session: ClientSession) {
        guard let current = reduced.current(at: loop.now), let message = LocationMessage(current) else { return }
        session.end()
        release(session)
        let reply = GetLocationReply(location: message, age: current.age.seconds)
        session.reply(to: LocationMethods.getLocation, reply)
    }

    /// Rejects a location request whose timeout has passed.
    func reject(_ id: StreamID, reason: Unavailability) {
        guard let session = openRequest(id) else { return }
        session.end()
        release(session)
        session.connection.fail(LocationError(reason).reply)
        server.advance(session)
    }
}

// MARK: Changes of permission
extension LocationService {
    /// Applies a new verdict to the open requests of a program. They stay open.
    func verdictChanged(of program: ProgramID, to verdict: PermissionVerdict) {
        // A change of what decided alone changes nothing for a program that gets everything.
        let sessions = server.sessions(of: program, where: \.requestsLocation).filter { session in
            limited[session.number] != nil || !verdict.allowsFullLocation
        }
        core.locator.cancel(Set(sessions.map { StreamID($0.number) }))
        for session in sessions {
            rates.discardHeld(StreamID(session.number))
            // A client that has not read its updates must not get them after a denial.
            if session.activity.isStream, !verdict.allowsFullLocation { session.connection.discardUpdates() }
            apply(verdict, to: session)
            server.advance(session)
        }
    }

    private func apply(_ verdict: PermissionVerdict, to session: ClientSession) {
        switch session.activity {
        case .stream(let request, isBatched: _):
            guard let stream = request.stream else { return }
            queue(begin(stream, for: session, by: verdict), for: session)
        case .locationRequest(_, let parameters): begin(parameters, for: session, by: verdict)
        case .idle, .visits, .heading, .receivers, .sentences, .monitor, .permission, .agent: return
        }
    }
}

// MARK: Delivery
extension LocationService {
    /// Sends updates that a read caused, before anything else of the turn.
    func publish(_ updates: [StreamUpdate], readFrom receiver: ReceiverID) {
        lastReadReceiver = receiver
        for update in updates { publish(update.update, to: update.streams) }
    }

    /// Encodes an update once and sends it to all these streams, later if it exceeds the rate of a
    /// stream.
    func publish(_ update: Update, to streams: [StreamID]) {
        if update.unavailability?.cause == .receiverSilent { memory.requestTrim() }
        guard limited.isEmpty else { return publishWithLimits(update, to: streams) }
        var shared: EncodedObject?
        for id in streams {
            guard let session = server[id.rawValue],
                let replaced = rates.admit(update, to: id, at: loop.now)
            else { continue }
            let text = shared ?? prepared.text(of: update)
            shared = text
            send(text, to: session, replacing: replaced)
        }
    }

    /// Sends an update to streams of which some get a reduced location.
    private func publishWithLimits(_ update: Update, to streams: [StreamID]) {
        let shared = prepared.text(of: update)
        var reducedStreams: [ClientSession] = []
        for id in streams {
            guard let session = server[id.rawValue] else { continue }
            guard limited[id.rawValue] == nil else {
                reducedStreams.append(session)
                continue
            }
            guard let replaced = rates.admit(update, to: id, at: loop.now) else { continue }
            send(shared, to: session, replacing: replaced)
        }
        guard !reducedStreams.isEmpty else { return }
        if update.location != nil {
            process(update.location)
            reducedStreams.removeAll { !lackingLocation.contains($0.number) }
        }
        send(reduced.update(for: update, at: loop.now), toReduced: reducedStreams)
    }

    private func send(_ reducedUpdate: Update, toReduced sessions: [ClientSession]) {
        for session in sessions where limited[session.number]?.allowsLocation == true {
            let id = StreamID(session.number)
            guard let replaced = rates.admit(reducedUpdate, to: id, at: loop.now) else { continue }
            send(text(of: reducedUpdate, for: session), to: session, replacing: replaced)
        }
    }

    /// Processes a location for the reduced one. If that changes, every reduced stream gets it at
    /// the same time.
    private func process(_ location: Location?) {
        guard let location, reduced.process(location, at: loop.now) else { return }
        send(
            reduced.update(for: Update(location: location), at: loop.now), toReduced: server.sessions(where: \.isStream)
        )
    }

    /// Sends the held updates that may be sent now.
    private func sendHeldUpdates(at now: Instant) {
        for due in rates.takeDue(at: now) {
            guard let session = server[due.stream.rawValue] else { continue }
            send(text(of: due.update, for: session), to: session, replacing: due.replaced)
        }
    }

    /// Returns an update as far as the program of a session may know it.
    private func text(of update: Update, for session: ClientSession) -> EncodedObject {
        guard let verdict = limited[session.number] else { return UpdateMessage(update).text }
        let message = reducedMessage(for: update, verdict, to: session)
        if message.location == nil {
            lackingLocation.insert(session.number)
        } else {
            lackingLocation.remove(session.number)
        }
        return message.text
    }

    private func send(_ update: EncodedObject, to session: ClientSession, replacing unpublished: Int) {
        queue(update, for: session, replacing: unpublished)
        // The rest of a batch is sent when the output queue has space.
        guard session.activity.isBatched, session.hasPendingOutput else { return server.advance(session) }
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
    func prepareUpdate(at now: Instant) {
        guard let id = lastReadReceiver.take() else { return }
        if let expected = core.locator.expectedUpdate(from: id, at: now) { prepared.prepare(expected) }
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
