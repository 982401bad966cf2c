import Chronology
import Locator
import NMEA
import Receivers
import ServiceRuntime
import SextantAPI
import Varlink

/// Serves `io.sextant.Receiver.WriteCorrections`: programs write frames of RTCM 3 to receivers.
final class CorrectionService: Service, ReceiverContributor {
    /// The frames that were written to a receiver.
    private struct Written {
        var source: String
        var bytes = 0
        /// The writes of the last ``CorrectionService/window``.
        var recent: [(bytes: Int, at: Instant)] = []
    }

    /// The time over which the rate is measured.
    private static let window = Instant.Span.seconds(10)
    /// How long corrections are shown after the last ones.
    private static let shownTime = Instant.Span.seconds(300)
    /// The maximum number of writes that count for the rate.
    private static let maxRecent = 64

    let context: ServiceContext
    let methods = [ReceiverMethods.writeCorrections.name]
    private let feeds: FeedService
    private let receivers: ReceiverService
    private var written: [ReceiverID: Written] = [:]

    init(_ context: ServiceContext, feeds: FeedService, receivers: ReceiverService) {
        self.context = context
        self.feeds = feeds
        self.receivers = receivers
    }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) {
        let parameters = try call.decode(ReceiverMethods.writeCorrections)
        do throws(ReceiverError) { try feeds.checkUser(of: session) } catch { throw error.reply }
        guard parameters.hasDisplayableSource else { throw ServiceError.invalid("source") }
        guard let frames = CorrectionService.frames(of: parameters) else { throw ServiceError.invalid("frames") }
        session.reply(
            to: ReceiverMethods.writeCorrections, try write(frames, of: parameters, at: loop.now))
    }

    private func write(
        _ frames: [RTCMFrame], of parameters: WriteCorrectionsParameters, at now: Instant
    ) throws(VarlinkError) -> WriteCorrectionsReply {
        let reports = context.locator.reports(at: now)
        let wanted = parameters.receiver
        let found = reports.first { wanted == nil ? $0.isPrimary : wanted == $0.name || wanted == $0.port }
        if let wanted, found == nil {
            throw NoSuchReceiverError(receiver: wanted, known: reports.map(\.name)).reply(in: .receiver)
        }
        guard let found else {
            return WriteCorrectionsReply(receiver: nil, written: false, detail: "there is no primary receiver")
        }
        guard let port = receivers.ports.first(where: { $0.id == found.id }) else {
            return WriteCorrectionsReply(
                receiver: found.name, written: false, detail: "\(found.name) is provided by a program")
        }
        // A receiver without RTCM 3 would carry out commands that a caster has hidden in frames.
        let harmless = frames.filter { !$0.hidesCommand }
        let detail = harmless.count < frames.count ? "a frame contains a command of a receiver" : nil
        let bytes = harmless.flatMap(\.bytes)
        guard !bytes.isEmpty else { return WriteCorrectionsReply(receiver: found.name, written: false, detail: detail) }
        do throws(CorrectionRefusal) { try port.write(corrections: bytes) } catch {
            return WriteCorrectionsReply(
                receiver: found.name, written: false, detail: error.text(receiver: found.name))
        }
        record(bytes.count, from: parameters.source, to: found.id, at: now)
        return WriteCorrectionsReply(receiver: found.name, written: true, detail: detail)
    }

    /// Returns the frames; nil if one is not a frame of RTCM 3: other bytes could be commands.
    private static func frames(of parameters: WriteCorrectionsParameters) -> [RTCMFrame]? {
        guard (1...WriteCorrectionsParameters.maxFrames).contains(parameters.frames.count) else { return nil }
        var frames: [RTCMFrame] = []
        for text in parameters.frames {
            guard text.utf8.count <= RTCMFrame.maxLength * 2, let frame = Base64.decode(text).flatMap(RTCMFrame.init)
            else { return nil }
            frames.append(frame)
        }
        return frames
    }

    private func record(_ count: Int, from source: String, to id: ReceiverID, at now: Instant) {
        written = written.filter { $1.recent.last.map { now - $0.at <= CorrectionService.shownTime } ?? false }
        var entry = written[id] ?? Written(source: source)
        entry.source = source
        entry.bytes = entry.bytes.addingReportingOverflow(count).partialValue
        entry.recent.removeAll { now - $0.at > CorrectionService.window }
        if entry.recent.count >= CorrectionService.maxRecent { entry.recent.removeFirst() }
        entry.recent.append((count, now))
        written[id] = entry
        receivers.receiverChanged()
    }

    func addDetails(to message: inout Receiver, of id: ReceiverID) {
        guard let entry = written[id], let last = entry.recent.last else { return }
        let age = loop.now - last.at
        guard age <= CorrectionService.shownTime else { return }
        let recent = entry.recent.filter { loop.now - $0.at <= CorrectionService.window }.reduce(0) { $0 + $1.bytes }
        message.corrections = ReceiverCorrections(
            source: entry.source, age: age.seconds, rate: Double(recent) / CorrectionService.window.seconds,
            bytes: entry.bytes)
    }
}

extension CorrectionRefusal {
    /// The reason and how to fix it.
    fileprivate func text(receiver: String) -> String {
        switch self {
        case .closed: "the port of \(receiver) is not open"
        case .passive: "\(receiver) is passive: remove passive from its [[receiver]] section to allow writing"
        case .powerOff: "receivers.power is \"off\": nothing is written to receivers"
        case .undetected: "\(receiver) is not detected yet"
        case .asleep: "\(receiver) is asleep, because no program needs it"
        case .unresponsive: "\(receiver) ignores all commands"
        case .lineBusy: "the line of \(receiver) is slower than the corrections"
        }
    }
}
