import Chronology
import Locator
import Permission
import ServiceRuntime
import SextantAPI
import Varlink

/// Serves `io.sextant.Receiver.Sentences`. Without such a stream it costs nothing per sentence.
final class SentenceService: Service {
    let context: ServiceContext
    let methods = [ReceiverMethods.sentences.name]
    private let requests: PermittedRequests
    /// The streams, by the number of their session.
    private var streams: [Int: SentencesParameters] = [:]
    private var bodies: [[UInt8]] = []

    init(_ context: ServiceContext) {
        self.context = context
        requests = PermittedRequests(context, where: \.watchesSentences)
    }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        let parameters = try call.decode(ReceiverMethods.sentences)
        guard parameters.hasValidTypes else { throw ServiceError.invalid("types") }
        if let receiver = parameters.receiver, !context.locator.receivers.hasReceiver(named: receiver) {
            let known = context.locator.reports(at: loop.now).map(\.name)
            throw NoSuchReceiverError(receiver: receiver, known: known).reply(in: .receiver)
        }
        guard call.mode == .more else { throw ServiceError.expectedMore.reply }
        let verdict = requests.begin(session)
        guard verdict.allowsFullLocation else {
            requests.end(session)
            throw PermissionDeniedError(verdict, of: session.owner).reply(in: .receiver)
        }
        session.begin(.sentences)
        streams[session.number] = parameters
    }

    func sessionClosed(_ session: ClientSession, at now: Instant) {
        if streams.removeValue(forKey: session.number) != nil { requests.end(session) }
    }

    /// Ends the streams of a program that may not know the full location any more.
    func verdictChanged(of program: ProgramID, to verdict: PermissionVerdict, at now: Instant) {
        requests.verdictChanged(of: program, to: verdict) { session in
            sessionClosed(session, at: now)
            session.end()
            session.connection.fail(PermissionDeniedError(verdict, of: session.owner).reply(in: .receiver))
        }
    }

    /// Returns what must see the sentences of a read: `other`, and the streams if there are any.
    func observer(besides other: ((RawSpan) -> Void)?) -> ((RawSpan) -> Void)? {
        guard !streams.isEmpty else { return other }
        return { [unowned self] body in
            bodies.append(body.withUnsafeBytes { Array($0) })
            other?(body)
        }
    }

    /// Sends the sentences of a read. Streams of the same types share a message.
    func finishRead(receiver name: String, port: String) {
        guard !bodies.isEmpty else { return }
        let sentences = bodies.map { (address: $0.prefix { $0 != UInt8(ascii: ",") }, text: SentenceService.text($0)) }
        var messages: [[String]?: EncodedObject?] = [:]
        for (number, parameters) in streams {
            guard let session = server[number],
                parameters.receiver == nil || parameters.receiver == name || parameters.receiver == port
            else { continue }
            let message =
                messages[parameters.types]
                ?? {
                    let wanted = sentences.filter { parameters.includes(address: $0.address) }.map(\.text)
                    guard !wanted.isEmpty else { return nil }
                    // The connection adds the counters.
                    return EncodedObject { object in
                        object.append(name, forKey: "receiver")
                        object.append(wanted, forKey: "sentences")
                    }
                }()
            messages.updateValue(message, forKey: parameters.types)
            if let message { send(message, to: session) }
        }
        bodies.removeAll(keepingCapacity: true)
    }

    /// Sends a message behind those that the client has not read, as far as its user may have so
    /// many unread.
    private func send(_ message: EncodedObject, to session: ClientSession) {
        if server.mayQueueInOrder(for: session) {
            session.connection.publishInOrder(message)
        } else {
            session.connection.publish(message, counters: .counted)
        }
        // The rest is sent when the client reads.
        if session.hasPendingOutput { server.countBytes(of: session) } else { server.flush(session) }
    }

    /// Returns a whole sentence, one character per byte.
    private static func text(_ body: [UInt8]) -> String {
        let sum = body.reduce(0, ^)
        let digits = Array("0123456789ABCDEF".unicodeScalars)
        var text = String.UnicodeScalarView()
        // AIS: the only sentences of a receiver that begin with another character.
        let isEncapsulated = body.count > 4 && body[2] == UInt8(ascii: "V") && body[3] == UInt8(ascii: "D")
        text.append(isEncapsulated ? "!" : "$")
        for byte in body { text.append(Unicode.Scalar(byte)) }
        text.append("*")
        text.append(digits[Int(sum >> 4)])
        text.append(digits[Int(sum & 15)])
        return String(text)
    }
}
