import Chronology
import Locator
import SextantAPI
import SystemCalls
import Varlink
import VarlinkClient

/// A recording of the sentences that the service receives, while the service has the port open.
///
/// A second stream of locations keeps the receiver on. The sentences also pass through a core of
/// this program's own, which counts them.
struct ServiceRecording {
    private static let id = ReceiverID(0)

    private let writer: CaptureWriter
    private let name: String
    private var sentences: ReplyStream
    /// The stream that keeps the receiver on; nil after its end, which does not end the recording.
    private var locations: ReplyStream?
    private var counter = Locator()
    /// The bytes that are not written yet.
    private var received: [UInt8] = []
    private var receiver: Receiver?
    private var place: Location?
    private var silence: SilenceCheck
    private let socket: String
    private let start = HostClock.now
    private let date = HostClock.utc
    private(set) var dropped = 0

    /// Begins a recording.
    ///
    /// - Parameters:
    ///   - name: The name or port of the receiver.
    ///   - writer: Gets the sentences.
    /// - Throws: An error of the daemon, such as one without such a receiver.
    init(_ name: String, of daemon: DaemonOptions, to writer: CaptureWriter) throws(CommandError) {
        self.name = name
        self.writer = writer
        socket = daemon.socket
        silence = SilenceCheck(of: daemon.socket, at: start)
        do {
            try daemon.declareSession()
            var list = try daemon.connect().stream(ReceiverMethods.watch, with: WatchParameters(receiver: name))
            receiver = try list.next(timeout: .seconds(10)).flatMap {
                try? $0.parameters(of: ReceiverMethods.watch).receivers.first
            }
            sentences = try daemon.connect().stream(
                ReceiverMethods.sentences, with: SentencesParameters(receiver: name))
            locations = try daemon.connect().stream(
                LocationMethods.subscribe,
                with: SubscribeParameters(
                    configuration: .otherNavigation, receiver: name, pausesWhenStationary: false))
        } catch let error as ClientError {
            writer.discard()
            throw CommandError(daemon: error)
        } catch let error as CommandError {
            writer.discard()
            throw error
        } catch {
            writer.discard()
            throw CommandError("\(error)")
        }
        counter.attach(ServiceRecording.id, name: name, port: name, status: .open, at: start)
    }

    /// Records until a signal or the duration ends it. Returns the reason if the service has ended
    /// it.
    mutating func run(for duration: Instant.Span?) throws(CommandError) -> CommandError? {
        let signals = try SignalDescriptor(SignalDescriptor.terminating)
        let end = duration.map { start + $0 }
        var messages = ConnectionMessages()
        while end.map({ HostClock.now < $0 }) ?? true {
            let streams = [sentences.fileDescriptor, locations?.fileDescriptor, silence.descriptor].compactMap { $0 }
            let deadline = earliest(end, silence.deadline)
            let ready = try Poller.readable([signals.descriptor] + streams, until: deadline)
            // What has arrived is written, also if a signal or the service ends the recording.
            var loss: CommandError?
            if ready.contains(sentences.fileDescriptor) {
                do throws(ClientError) { try readSentences() } catch { loss = CommandError(daemon: error) }
            }
            if let locations, ready.contains(locations.fileDescriptor) { readLocations() }
            check(hasData: !received.isEmpty, &messages)
            try writeReceived()
            if ready.contains(signals.descriptor) { return nil }
            if let loss { return loss }
        }
        return nil
    }

    /// Reports a service that does not reply any more, or again.
    private mutating func check(hasData: Bool, _ messages: inout ConnectionMessages) {
        let now = HostClock.now
        switch hasData ? silence.recordData(at: now) : silence.advance(to: now) {
        case .hung?: messages.report(.hung(HungDaemon(at: socket).error(at: socket)))
        case .replied?: messages.report(.replied)
        case nil: break
        }
    }

    private mutating func readSentences() throws(ClientError) {
        while let reply = try ServiceRecording.next(&sentences) {
            guard let message = try? reply.parameters(of: ReceiverMethods.sentences) else { continue }
            dropped = message.dropped
            for sentence in message.sentences {
                // Each character is one byte.
                for character in sentence.unicodeScalars { received.append(UInt8(truncatingIfNeeded: character.value)) }
                received += [13, 10]
            }
        }
    }

    private mutating func writeReceived() throws(CommandError) {
        guard !received.isEmpty else { return }
        let bytes = received
        _ = counter.receive(bytes.span.bytes, from: ServiceRecording.id, at: HostClock.now)
        _ = counter.takeEffects()
        try writer.append(bytes)
        received.removeAll(keepingCapacity: true)
    }

    private mutating func readLocations() {
        do throws(ClientError) {
            while var stream = locations, let reply = try ServiceRecording.next(&stream) {
                locations = stream
                place = (try? reply.parameters(of: LocationMethods.subscribe))?.location ?? place
            }
        } catch {
            locations = nil
        }
    }

    private static func next(_ stream: inout ReplyStream) throws(ClientError) -> Reply? {
        switch try stream.nextIfAvailable() {
        case .pending: nil
        case .reply(let reply): reply
        case .ended: throw .disconnected(method: ReceiverMethods.sentences.name)
        }
    }

    /// Completes the capture.
    ///
    /// - Parameter loss: The reason if the service has ended the recording.
    /// - Throws: An error, without leaving a file, if nothing was recorded.
    mutating func finish(
        title: String, isExact: Bool, after loss: CommandError?
    ) throws(CommandError) -> RecordSummary {
        guard writer.bytes > 0 else {
            writer.discard()
            throw loss
                ?? CommandError(
                    "nothing was recorded: the service received no sentences from \(name)", exitStatus: .noResult)
        }
        let now = HostClock.now
        counter.finish(at: now)
        let counts = counter.reports(at: now).first.map { Receiver($0).counts }
        var header = RecordHeader(title: title, hostDate: date)
        header.receiverTexts = receiver?.says ?? []
        header.product = receiver?.product
        header.receiverDate = receiver?.lastEpoch
        header.place = place.map { ($0.latitude, $0.longitude) }
        header.isExact = isExact
        header.baud = receiver?.baud
        try writer.finish(header: header.text)
        return RecordSummary(
            file: writer.path, bytes: writer.bytes, sentences: counts?.sentences ?? 0, fixes: counts?.fixes ?? 0,
            seconds: (now - start).seconds, baud: receiver?.baud)
    }
}
