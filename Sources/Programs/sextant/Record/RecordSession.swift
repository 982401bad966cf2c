import Chronology
import Locator
import Receivers
import SerialPorts
import SextantAPI
import SystemCalls

/// A recording session: the port, the file and the progress display.
struct RecordSession {
    private var reader: PortReader
    private let writer: CaptureWriter
    private let start = HostClock.now
    private let date = HostClock.utc
    private var ended = HostClock.now
    private var shownAt: Instant?
    private let showsProgress = StandardError.isTerminal

    private static let refresh = Instant.Span.seconds(1)

    init(reader: PortReader, writer: CaptureWriter) {
        self.reader = reader
        self.writer = writer
    }

    /// Records until a signal, the duration or the loss of the port ends it. Returns the loss.
    mutating func run(for duration: Instant.Span?) throws(CommandError) -> PortLoss? {
        let signals = try SignalDescriptor(SignalDescriptor.terminating)
        let end = duration.map { start + $0 }
        defer { clearProgress() }
        while true {
            let now = HostClock.now
            ended = now
            if let end, now >= end { return nil }
            if let due = reader.deadline, now >= due { reader.tick(at: now) }
            show(at: now)
            let deadline = earliest(earliest(end, reader.deadline), shownAt.map { $0 + RecordSession.refresh })
            let ready = try Poller.readable([signals.descriptor, reader.descriptor], until: deadline)
            if ready.contains(signals.descriptor) { return nil }
            guard ready.contains(reader.descriptor) else { continue }
            switch reader.read(at: HostClock.now) {
            case .bytes(let bytes): try writer.append(bytes)
            case .nothing: continue
            case .lost(let loss): return loss
            }
        }
    }

    /// Completes the capture.
    ///
    /// - Throws: An error, without leaving a file, if nothing was recorded.
    func finish(title: String, isExact: Bool) throws(CommandError) -> RecordSummary {
        let message = reader.message(at: ended)
        let path = writer.path
        let bytes = writer.bytes
        guard bytes > 0 else {
            writer.discard()
            throw emptyRecordingError(message)
        }
        var header = RecordHeader(title: title, hostDate: date)
        header.receiverTexts = message?.says ?? []
        header.product = reader.device.model
        header.receiverDate = message?.lastEpoch
        header.place = reader.location.map { ($0.latitude, $0.longitude) }
        header.isExact = isExact
        header.baud = reader.baud
        try writer.finish(header: header.text)
        let (sentences, fixes) = (message?.counts.sentences ?? 0, message?.counts.fixes ?? 0)
        let seconds = (ended - start).seconds
        return RecordSummary(
            file: path, bytes: bytes, sentences: sentences, fixes: fixes, seconds: seconds, baud: reader.baud)
    }

    private func emptyRecordingError(_ message: Receiver?) -> CommandError {
        let path = reader.device.path
        let hasReceivedBytes =
            (message?.counts.bytes ?? 0) > 0
            || !reader.hasBaudRate
                && [.notUnderstood, .binaryProtocol].contains(reader.update.unavailability?.cause)
        let reason =
            hasReceivedBytes
            ? "\(path) sent data, but no NMEA at any baud rate tried; record it unchanged with --baud N"
            : "no data received from \(path): check the receiver's power and wiring"
        return CommandError("nothing was recorded: \(reason)", exitStatus: .noResult)
    }

    private mutating func show(at now: Instant) {
        guard showsProgress, shownAt.map({ now - $0 >= RecordSession.refresh }) ?? true else { return }
        shownAt = now
        let progress = RecordProgress(
            receiver: reader.message(at: now), location: reader.location, bytes: writer.bytes,
            hasBaudRate: reader.hasBaudRate, seconds: (now - start).seconds)
        StandardError.overwriteLine(DisplayWidth.cut(progress.text, to: TerminalSize.ofStandardOutput.columns - 1))
    }

    private func clearProgress() {
        if showsProgress { StandardError.overwriteLine("") }
    }
}

/// The progress of a recording as one line.
struct RecordProgress {
    var receiver: Receiver?
    var location: Location?
    /// The number of bytes written so far.
    var bytes: Int
    /// Whether the baud rate is detected or given.
    var hasBaudRate: Bool
    var seconds: Double

    /// A line such as "ttyACM0 · 9600 baud · 12.3 KB · 123 sentences, 0 damaged · 3D, ±2.4 m, 9
    /// satellites · 12 s".
    var text: String {
        var parts = [receiver?.name ?? "", receiver?.baud.map { "\($0) baud" } ?? ""]
        parts.append(hasBaudRate ? RecordProgress.size(bytes) : "no valid data yet, detecting the baud rate")
        if let counts = receiver?.counts, hasBaudRate {
            parts.append(
                "\(DecimalText.grouped(counts.sentences)) sentences, "
                    + "\(DecimalText.grouped(ReceiverFormatter.damaged(counts))) damaged"
            )
            parts.append(fix)
        }
        parts.append(TimeText.span(seconds))
        return parts.filter { !$0.isEmpty }.joined(separator: " · ")
    }

    private var fix: String {
        guard let location else { return "no fix" }
        let used = location.satellitesUsed.map { ", \($0) satellites" } ?? ""
        return "\(location.mode.displayText), ±\(LengthText.metres(location.horizontalAccuracy))\(used)"
    }

    /// Returns a size such as "512 bytes", "12.3 KB" or "4.5 MB".
    static func size(_ bytes: Int) -> String {
        switch bytes {
        case 1: "1 byte"
        case ..<1000: "\(bytes) bytes"
        case ..<1_000_000: DecimalText.text(Double(bytes) / 1000, decimals: 1) + " KB"
        default: DecimalText.text(Double(bytes) / 1_000_000, decimals: 1) + " MB"
        }
    }
}
