import Chronology
import Delivery
import Geofencing
import Locator
import NMEA
import Positioning

/// Plays a capture into the very core that the daemon runs, in simulated time at full speed.
///
/// Reads no clock and no random number: the same bytes and options give the same effects on every machine.
public struct Replay {
    /// What to do with the capture.
    public struct Options: Sendable {
        /// Name of the receiver in what is printed.
        public var receiver: String
        /// A stream to follow the position with; nil for none.
        public var stream: StreamRequest?
        /// Conditions to be watched; they are called ``ConditionID`` 1, 2 and so on, and tell what becomes so in `Effect.crossed`.
        public var conditions: [Condition] = []
        /// Whether somebody watches visits.
        public var watchesVisits = false
        /// A moment near the recording: dates a capture that holds no date, and undoes week rollovers. Overrides the header's.
        public var start: UTCTime?

        /// Options of a capture whose receiver has that name.
        public init(receiver: String, stream: StreamRequest? = nil, start: UTCTime? = nil) {
            self.receiver = receiver
            self.stream = stream
            self.start = start
        }
    }

    private static let receiver = ReceiverID(0)
    private static let stream = StreamID(0)
    private static let visitor = StreamID(1)

    private let bytes: [UInt8]
    private let options: Options
    private var locator = Locator()
    private var timeline = CaptureTimeline()
    private var at: Int

    /// Ready to play a capture's bytes, its header included.
    public init(_ bytes: [UInt8], _ options: Options) {
        self.bytes = bytes
        self.options = options
        let header = CaptureHeader(bytes)
        at = header.length
        // A capture that tells its date is believed; the header then only undoes rollovers.
        if let reference = options.start ?? header.date {
            locator.setReference(reference, guessesDay: !Replay.tellsDate(bytes[at...]))
        }
    }

    /// Bytes played so far, for a progress bar.
    public var position: Int { at }

    /// Plays the whole capture, handing over each effect in order, and after each line how many bytes have been played.
    public mutating func run(_ emit: (Effect) -> Void, progress: (Int) -> Void = { _ in }) {
        var effects: [Effect] = []
        open(&effects)
        flush(&effects, emit)
        while at < bytes.count {
            playLine(&effects)
            flush(&effects, emit)
            progress(at)
        }
        locator.drain(at: timeline.now, into: &effects)
        flush(&effects, emit)
    }

    /// What is known of the receiver now.
    public var report: ReceiverReport? { locator.reports(at: timeline.now).first }

    private mutating func open(_ effects: inout [Effect]) {
        locator.attach(Replay.receiver, name: options.receiver, port: options.receiver, status: .open, at: .zero, into: &effects)
        if !options.conditions.isEmpty { locator.addConditions(Replay.entries(options.conditions), at: .zero, into: &effects) }
        if options.watchesVisits { locator.watchVisits(Replay.visitor, at: .zero, into: &effects) }
        if let stream = options.stream { locator.subscribe(Replay.stream, stream, at: .zero, into: &effects) }
    }

    private mutating func playLine(_ effects: inout [Effect]) {
        let end = endOfLine
        let line = bytes[at..<end]
        at = end
        let before = timeline.now
        let now = timeline.arrival(of: line.span.bytes, followedBy: bytes[end...])
        passTime(from: before, to: now, &effects)
        locator.receive(line.span.bytes, from: Replay.receiver, at: now, into: &effects)
    }

    /// Behind the next LF or CR, or both.
    private var endOfLine: Int {
        guard let end = bytes[at...].firstIndex(where: { $0 == 10 || $0 == 13 }) else { return bytes.count }
        return bytes[end] == 13 && end + 1 < bytes.count && bytes[end + 1] == 10 ? end + 2 : end + 1
    }

    /// Calls the core at each of its deadlines on the way, as the daemon's timer would.
    private mutating func passTime(from before: Instant, to now: Instant, _ effects: inout [Effect]) {
        var clock = before
        while let deadline = locator.deadline(), deadline < now {
            clock = max(deadline, clock + Instant.Span(nanoseconds: 1))
            locator.tick(at: clock, into: &effects)
        }
    }

    private func flush(_ effects: inout [Effect], _ emit: (Effect) -> Void) {
        for effect in effects { emit(effect) }
        effects.removeAll(keepingCapacity: true)
    }

    private static func entries(_ conditions: [Condition]) -> [FenceWatch.Entry] {
        conditions.enumerated().map { FenceWatch.Entry(ConditionID(Int64($0.offset + 1)), $0.element) }
    }

    private static func tellsDate(_ bytes: ArraySlice<UInt8>) -> Bool {
        var stream = SentenceStream()
        var found = false
        stream.push(bytes.span.bytes) { _, sentence in
            switch sentence {
            case .rmc(let rmc) where rmc.date?.civil != nil && rmc.time != nil: found = true
            case .zda(let zda) where zda.date != nil && zda.time != nil: found = true
            case .proprietary(let own) where own.date != nil && own.time != nil: found = true
            default: break
            }
        }
        return found
    }
}
