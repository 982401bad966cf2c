import Chronology
import Delivery
import Receivers
import Serial
import Wire

/// A recording: the port, the file, and what a person sees of them meanwhile.
struct RecordSession {
    private var listener: PortListener
    private let writer: CaptureWriter
    private let began = Clock.now
    private let date = Clock.utc
    private var ended = Clock.now
    private var shownAt: Instant?
    private let showsProgress = StandardError.isTerminal

    private static let refresh = Instant.Span.seconds(1)

    init(_ listener: PortListener, _ writer: CaptureWriter) {
        self.listener = listener
        self.writer = writer
    }

    /// Records until a signal or the time ends it, or the port is lost, which it returns.
    mutating func run(for duration: Instant.Span?) throws(CommandError) -> PortLoss? {
        let signals = try SignalInbox(SignalInbox.ending)
        let end = duration.map { began + $0 }
        defer { clearProgress() }
        while true {
            let now = Clock.now
            ended = now
            if let end, now >= end { return nil }
            if let due = listener.deadline, now >= due { listener.tick(at: now) }
            show(at: now)
            let deadline = earliest(earliest(end, listener.deadline), shownAt.map { $0 + RecordSession.refresh })
            let ready = try Wait.readable([signals.descriptor, listener.descriptor], until: deadline)
            if ready.contains(signals.descriptor) { return nil }
            guard ready.contains(listener.descriptor) else { continue }
            switch listener.read(at: Clock.now) {
            case .bytes(let bytes): try writer.append(bytes)
            case .nothing: continue
            case .lost(let loss): return loss
            }
        }
    }

    /// Names the capture. Throws, and leaves no file, when nothing was recorded.
    func finish(title: String, isExact: Bool) throws(CommandError) -> RecordSummary {
        let message = listener.message(at: ended)
        let path = writer.path
        let bytes = writer.bytes
        guard bytes > 0 else {
            writer.discard()
            throw nothing(message)
        }
        var header = RecordHeader(title: title, hostDate: date)
        header.says = message?.says ?? []
        header.product = listener.device.model
        header.receiverDate = message?.lastEpoch.flatMap { UTCTime(rfc3339: $0) }
        header.place = listener.location.map { ($0.latitude, $0.longitude) }
        header.isExact = isExact
        header.baud = listener.baud
        try writer.finish(header: header.text)
        let (sentences, fixes) = (message?.counts.sentences ?? 0, message?.counts.fixes ?? 0)
        let seconds = (ended - began).seconds
        return RecordSummary(file: path, bytes: bytes, sentences: sentences, fixes: fixes, seconds: seconds, baud: listener.baud)
    }

    private func nothing(_ message: ReceiverMessage?) -> CommandError {
        let path = listener.device.path
        let wasHeard = (message?.counts.bytes ?? 0) > 0 || !listener.isUnderstood && listener.update.unavailability?.cause == .notUnderstood
        let reason =
            wasHeard
            ? "bytes came from \(path), but no NMEA at any speed tried; --baud N records them as they are"
            : "nothing came from \(path): check the receiver's power and wiring"
        return CommandError("nothing was recorded: \(reason)", .nothing)
    }

    private mutating func show(at now: Instant) {
        guard showsProgress, shownAt.map({ now - $0 >= RecordSession.refresh }) ?? true else { return }
        shownAt = now
        let progress = RecordProgress(
            receiver: listener.message(at: now), location: listener.location, bytes: writer.bytes,
            isUnderstood: listener.isUnderstood, seconds: (now - began).seconds)
        StandardError.overwriteLine(Columns.cut(progress.text, to: TerminalSize.ofStandardOutput.columns - 1))
    }

    private func clearProgress() {
        if showsProgress { StandardError.overwriteLine("") }
    }
}
