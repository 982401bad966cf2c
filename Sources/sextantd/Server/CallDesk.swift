import Chronology
import Delivery
import Locator
import Logging
import Receivers
import Systemd
import Varlink
import Wire

/// Serves the calls of the daemon's own interfaces: turns each into a wish to the core, or answers it on the spot.
extension Daemon {
    /// Seconds a client may ask to wait for a position.
    static let longestTimeout = 300.0

    func serve(_ call: Call, for session: ClientSession) {
        do throws(ServiceError) {
            switch call.method {
            case "io.sextant.Location.Subscribe": try subscribe(call, session)
            case "io.sextant.Location.GetLocation": try getLocation(call, session)
            case "io.sextant.Location.WatchVisits": watchVisits(call, session)
            case "io.sextant.Receiver.List": reply(ReceiversReply(receivers: receivers(nil)), to: session)
            case "io.sextant.Receiver.Watch": try watch(call, session)
            case "io.sextant.Manager.GetStatus": reply(GetStatusReply(status: status), to: session)
            case "io.sextant.Manager.GetPower": try getPower(call, session)
            case "io.sextant.Manager.GetConsumers": reply(consumers, to: session)
            case _ where call.interface == "io.sextant.Monitor": try serveMonitor(call, for: session)
            default: session.connection.fail(.methodNotImplemented(method: call.method))
            }
        } catch {
            session.connection.fail(error)
        }
    }

    private func subscribe(_ call: Call, _ session: ClientSession) throws(ServiceError) {
        let wish = try call.decode(SubscribeParameters.self)
        if let name = wish.receiver, !locator.knows(name) { return unknown(name, NoSuchReceiverError.locationName, session) }
        let request = try wish.request()
        session.held = .stream
        note(PurposeName(rawValue: request.configuration.rawValue) ?? .default, request, request.receiver, session)
        session.isBatched = request.options.maximumDelay.map { $0 > .zero } ?? false
        let id = StreamID(session.number)
        locator.subscribe(id, request, at: loop.now, into: &effects)
        // Taking a call apart goes deep, and is over.
        hasSettled = true
        guard call.mode != .more else { return }
        // The present state is the one reply; it is among the effects and answered from there, and nothing follows it.
        session.held = .nothing
        locator.cancel(id)
        let told = effects.lastIndex { if case .publish(_, [id]) = $0 { true } else { false } }
        guard let told, case .publish(let update, _) = effects.remove(at: told) else { return session.connection.reply() }
        reply(SubscribeReply(sequence: 1, dropped: 0, UpdateMessage(update)), to: session)
    }

    private func watchVisits(_ call: Call, _ session: ClientSession) {
        session.held = .visits
        let id = StreamID(session.number)
        locator.watchVisits(id, at: loop.now, into: &effects)
        guard call.mode != .more else { return }
        // As with a stream: the present state is among the effects, and is the answer.
        session.held = .nothing
        locator.cancel(id)
        let told = effects.lastIndex { if case .visit(_, [id]) = $0 { true } else { false } }
        guard let told, case .visit(let visit, _) = effects.remove(at: told) else { return session.connection.reply() }
        reply(WatchVisitsReply(visit), to: session)
    }

    private func getLocation(_ call: Call, _ session: ClientSession) throws(ServiceError) {
        let wish = try call.decode(GetLocationParameters.self)
        let maximumAge = wish.maximumAge ?? 1
        let timeout = wish.timeout ?? 10
        guard maximumAge >= 0 else { throw .invalidParameter(parameter: "maximumAge") }
        guard (0...Daemon.longestTimeout).contains(timeout) else { throw .invalidParameter(parameter: "timeout") }
        if let name = wish.receiver, !locator.knows(name) { return unknown(name, NoSuchReceiverError.locationName, session) }
        session.held = .question
        note(.question, nil, wish.receiver, session)
        locator.locate(
            StreamID(session.number), maximumAge: .seconds(maximumAge), timeout: .seconds(timeout), receiver: wish.receiver, at: loop.now,
            into: &effects)
    }

    private func watch(_ call: Call, _ session: ClientSession) throws(ServiceError) {
        let wish = try call.decode(WatchParameters.self)
        if let name = wish.receiver, !locator.knows(name) { return unknown(name, NoSuchReceiverError.receiverName, session) }
        if call.mode == .more {
            session.held = .receivers(wish.receiver)
            note(.receivers, nil, wish.receiver, session)
        }
        show(wish.receiver, to: session, continues: call.mode == .more)
    }

    /// Keeps who has asked for what.
    private func note(_ purpose: PurposeName, _ stream: StreamRequest?, _ receiver: String?, _ session: ClientSession) {
        session.wish = Wish(
            purpose: purpose, program: session.wish?.program ?? Program(session.peer), receiver: receiver, stream: stream, at: loop.now,
            date: HostTime.now)
    }

    private func unknown(_ receiver: String, _ error: String, _ session: ClientSession) {
        let known = locator.reports(at: loop.now).map { JSONValue.string($0.name) }
        session.connection.fail(VarlinkError(name: error, parameters: ["receiver": .string(receiver), "known": .array(known)]))
    }

    /// Answers with a message; every message here can be encoded, since its numbers are finite.
    func reply(_ message: some Encodable, to session: ClientSession, continues: Bool = false) {
        do {
            try session.connection.reply(encoding: message, continues: continues)
        } catch {
            log.error("a reply could not be encoded: \(error)")
            session.connection.fail(VarlinkError(name: "io.sextant.Manager.Internal"))
        }
    }

    /// Shows the receivers to a watching client; the newest state replaces one that it has not read yet.
    func show(_ wanted: String?, to session: ClientSession, continues: Bool) {
        let message = ReceiversReply(receivers: receivers(wanted))
        guard continues else { return reply(message, to: session) }
        do {
            session.connection.publish(try EncodedObject(encoding: message), stamp: .none)
        } catch {
            log.error("the receivers could not be encoded: \(error)")
        }
    }

    /// The receivers as clients see them, all or the one of that name or port.
    func receivers(_ wanted: String?) -> [ReceiverMessage] {
        locator.reports(at: loop.now).compactMap { report in
            guard wanted == nil || wanted == report.name || wanted == report.port else { return nil }
            var message = ReceiverMessage(report)
            guard let port = ports[report.id] else { return message }
            message.product = port.device.model
            message.usb = port.device.usb?.numbers
            message.serialNumber = port.device.usb?.serial
            message.baud = port.speed
            message.driver = port.driving.report.map(DriverMessage.init)
            return message
        }
    }
}

extension DriverMessage {
    /// What a driver reports of itself.
    fileprivate init(_ report: DriverReport) {
        let activity: Activity =
            switch report.activity {
            case .unknown: .unknown
            case .talking: .talking
            case .working: .working
            case .savingPower: .savingPower
            case .resting: .resting
            case .unheard: .unheard
            }
        self.init(
            activity: activity, chip: report.chip?.rawValue, restsBy: report.restsBy, period: report.period?.seconds, isDeaf: report.isDeaf)
    }
}
