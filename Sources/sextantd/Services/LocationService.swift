import Chronology
import Delivery
import Locator
import Positioning
import Systemd
import Varlink
import Wire

/// Serves `io.sextant.Location`: streams of updates, visits and single locations.
final class LocationService: Service {
    /// The allowed timeouts of a location request in seconds.
    private static let timeouts = 0...300.0

    private let core: Core
    private let server: ClientServer
    private let loop: EventLoop
    private let memory: MemoryTrimmer
    private let prepared = PreparedUpdate()
    /// The update counts of the streams that have ended.
    private var endedStreams = UpdateCounts()
    private var rates: UpdateRates
    /// The receiver whose bytes were read in this turn.
    private var lastReadReceiver: ReceiverID?

    init(core: Core, server: ClientServer, loop: EventLoop, memory: MemoryTrimmer, settings: Settings) {
        self.core = core
        self.server = server
        self.loop = loop
        self.memory = memory
        rates = UpdateRates(perSecond: settings.maxUpdatesPerSecond)
    }

    /// Applies settings to the streams that begin from now on.
    func apply(_ settings: Settings) { rates.perSecond = settings.maxUpdatesPerSecond }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        switch call.method {
        case LocationMethods.subscribe.name: try subscribe(call, from: session)
        case LocationMethods.getLocation.name: try getLocation(call, from: session)
        case LocationMethods.watchVisits.name: watchVisits(call, from: session)
        default: throw call.methodNotImplemented
        }
    }

    /// The update counts of all streams, open and ended.
    var updateCounts: UpdateCounts {
        server.sessions(where: \.isStream).reduce(endedStreams) { $0 + UpdateCounts($1.connection) }
    }

    func sessionClosed(_ session: ClientSession) {
        switch session.activity {
        case .stream:
            endedStreams = endedStreams + UpdateCounts(session.connection)
            rates.end(StreamID(session.number))
        case .visits, .locationRequest: break
        case .idle, .receivers, .monitor: return
        }
        core.locator.cancel(StreamID(session.number))
    }
}

// MARK: Calls
extension LocationService {
    private func subscribe(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        let parameters = try call.decode(LocationMethods.subscribe)
        try check(parameters.receiver)
        let stream: StreamRequest
        do throws(ServiceError) { stream = try parameters.request() } catch { throw error.reply }
        let purpose = PurposeName(rawValue: stream.configuration.rawValue) ?? .default
        let request = ActiveRequest(
            purpose, program: session.program, receiver: parameters.receiver, stream: stream, at: loop.now)
        let isBatched = stream.options.maximumDelay.map { $0 > .zero } ?? false
        let id = StreamID(session.number)
        // Without `more`, the current state is the only reply.
        let update =
            call.mode == .more
            ? core.locator.subscribe(stream, id: id, at: loop.now)
            : core.locator.currentUpdate(for: stream, at: loop.now)
        // Decoding a call uses a deep stack, which is no longer needed.
        memory.requestTrim()
        if call.mode == .more {
            session.begin(.stream(request, isBatched: isBatched))
            rates.begin(id, isBatched: isBatched)
            queue(prepared.text(of: update), for: session)
        } else {
            let reply = SubscribeReply(sequence: 1, dropped: 0, UpdateMessage(update))
            session.reply(to: LocationMethods.subscribe, reply)
        }
    }

    private func watchVisits(_ call: Call, from session: ClientSession) {
        let isWatching = call.mode == .more
        let visit =
            isWatching
            ? core.locator.watchVisits(StreamID(session.number), at: loop.now)
            : core.locator.currentVisit(at: loop.now)
        if isWatching { session.begin(.visits) }
        session.reply(to: LocationMethods.watchVisits, WatchVisitsReply(visit), continues: true)
    }

    private func getLocation(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        let parameters = try call.decode(LocationMethods.getLocation)
        let maximumAge = parameters.maximumAge ?? 1
        let timeout = parameters.timeout ?? 10
        guard maximumAge >= 0 else { throw ServiceError.invalid("maximumAge") }
        guard LocationService.timeouts.contains(timeout) else { throw ServiceError.invalid("timeout") }
        try check(parameters.receiver)
        session.begin(
            .locationRequest(
                ActiveRequest(.oneShot, program: session.program, receiver: parameters.receiver, at: loop.now)))
        let recent = core.locator.requestLocation(
            StreamID(session.number), maximumAge: .seconds(maximumAge), timeout: .seconds(timeout),
            receiver: ReceiverSelection(parameters.receiver), at: loop.now)
        if let recent { answer(session, with: recent.location, age: recent.age) }
    }

    private func check(_ receiver: String?) throws(VarlinkError) {
        guard let receiver, !core.locator.hasReceiver(named: receiver) else { return }
        let known = core.locator.reports(at: loop.now).map(\.name)
        throw NoSuchReceiverError(receiver: receiver, known: known).reply(in: .location)
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

    /// When a held update may be sent; nil if none is held.
    var deadline: Instant? { rates.deadline }

    /// Sends the held updates that may be sent now.
    func tick(at now: Instant) {
        for due in rates.takeDue(at: now) {
            guard let session = server[due.stream.rawValue] else { continue }
            send(UpdateMessage(due.update).text, to: session, replacing: due.replaced)
        }
    }

    private func send(_ update: EncodedObject, to session: ClientSession, replacing unpublished: Int) {
        queue(update, for: session, replacing: unpublished)
        // The rest of a batch is sent when the output queue has space.
        if session.activity.isBatched, session.hasPendingOutput { return }
        server.advance(session)
    }

    private func queue(_ update: EncodedObject, for session: ClientSession, replacing unpublished: Int = 0) {
        if session.activity.isBatched {
            session.connection.publishInOrder(update, replacing: unpublished)
        } else {
            session.connection.publish(update, counters: .counted, replacing: unpublished)
        }
    }

    /// Sends a visit to all its subscribers. No visit is dropped.
    func publish(_ visit: Visit?, to watchers: [StreamID]) {
        for id in watchers {
            guard let session = server[id.rawValue] else { continue }
            session.reply(to: LocationMethods.watchVisits, WatchVisitsReply(visit), continues: true)
            server.advance(session)
        }
    }

    /// Answers a pending location request with the location of the epoch that just ended.
    func answer(_ id: StreamID, with location: Location) {
        guard let session = server[id.rawValue] else { return }
        answer(session, with: location, age: .zero)
        server.advance(session)
    }

    private func answer(_ session: ClientSession, with location: Location, age: Instant.Span) {
        guard let message = LocationMessage(location) else { return }
        session.end()
        let restingSince = core.locator.restingSince(at: loop.now)
        let reply = GetLocationReply(location: message, age: age.seconds, restingSince: restingSince)
        session.reply(to: LocationMethods.getLocation, reply)
    }

    /// Rejects a location request whose timeout has passed.
    func reject(_ id: StreamID, reason: Unavailability) {
        guard let session = server[id.rawValue] else { return }
        session.end()
        session.connection.fail(LocationUnavailableError(reason).reply)
        server.advance(session)
    }

    /// Prepares the expected update while the last sentence of the burst is still to arrive.
    func prepareUpdate(at now: Instant) {
        guard let id = lastReadReceiver else { return }
        lastReadReceiver = nil
        if let expected = core.locator.expectedUpdate(from: id, at: now) { prepared.prepare(expected) }
    }
}

/// The numbers of updates that were published, and that newer ones replaced before they were sent.
struct UpdateCounts {
    var published = 0
    var dropped = 0

    init() {}

    init(_ connection: ServerConnection) {
        published = connection.updates.published
        dropped = connection.updates.dropped
    }

    static func + (a: UpdateCounts, b: UpdateCounts) -> UpdateCounts {
        var sum = a
        sum.published += b.published
        sum.dropped += b.dropped
        return sum
    }
}
