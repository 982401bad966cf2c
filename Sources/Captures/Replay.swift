import Chronology
import Delivery
import Geofencing
import Locator
import NMEA
import Positioning

/// Replays a capture through the same core that the daemon runs, in simulated time at full speed.
///
/// It reads no clock and uses no random numbers: the same bytes and options give the same effects
/// on every machine.
public struct Replay {
    /// The options of a replay.
    public struct Options: Sendable {
        /// The receiver name in the output.
        public var receiver: String
        /// The stream that receives locations; nil for none.
        public var stream: StreamRequest?
        /// The conditions to monitor. Their ``ConditionID`` values are 1, 2 and so on, and
        /// ``Effect/conditionsChanged(_:)`` delivers their events.
        public var conditions: [Condition] = []
        /// Whether a client subscribes to visits.
        public var watchesVisits = false
        /// A time near the recording. It dates a capture without a date, resolves week rollovers,
        /// and overrides the header's date.
        public var start: UTCTime?

        /// Creates the options for a capture of the receiver with this name.
        public init(receiver: String, stream: StreamRequest? = nil, start: UTCTime? = nil) {
            self.receiver = receiver
            self.stream = stream
            self.start = start
        }
    }

    private static let receiver = ReceiverID(0)
    private static let stream = StreamID(0)
    private static let visitStream = StreamID(1)

    private let bytes: [UInt8]
    private let options: Options
    private var locator = Locator()
    private var clock = CaptureClock()
    private var offset: Int
    private var effects: [Effect] = []

    /// Prepares to replay the bytes of a capture, including its header.
    public init(_ bytes: [UInt8], options: Options) {
        self.bytes = bytes
        self.options = options
        let header = CaptureHeader(bytes)
        offset = header.length
        // If the capture contains a date, that date applies, and the header's date only resolves
        // week rollovers.
        if let reference = options.start ?? header.date {
            locator.setReference(reference, guessesDay: !Replay.containsDate(bytes[offset...]))
        }
    }

    /// The number of bytes replayed so far, for a progress bar.
    public var position: Int { offset }

    /// Replays the whole capture. Calls `emit` with each effect in order, and `progress` after each
    /// line with the number of bytes replayed.
    public mutating func run(_ emit: (Effect) -> Void, progress: (Int) -> Void = { _ in }) {
        open(emit)
        while offset < bytes.count {
            playLine(emit)
            progress(offset)
        }
        locator.finish(at: clock.now)
        emitEffects(emit)
    }

    /// The current report of the receiver.
    public var report: ReceiverReport? { locator.reports(at: clock.now).first }

    private mutating func open(_ emit: (Effect) -> Void) {
        locator.attach(
            Replay.receiver, name: options.receiver, port: options.receiver, status: .open, at: .zero)
        if !options.conditions.isEmpty {
            locator.addConditions(Replay.entries(options.conditions), at: .zero)
        }
        if options.watchesVisits {
            emit(.visit(locator.watchVisits(Replay.visitStream, at: .zero), [Replay.visitStream]))
        }
        if let stream = options.stream {
            emit(.publish(locator.subscribe(stream, id: Replay.stream, at: .zero), [Replay.stream]))
        }
        emitEffects(emit)
    }

    private mutating func playLine(_ emit: (Effect) -> Void) {
        let end = endOfLine
        let line = bytes[offset..<end]
        offset = end
        let before = clock.now
        let now = clock.arrival(of: line.span.bytes, followedBy: bytes[end...])
        advanceClock(from: before, to: now)
        emitEffects(emit)
        for update in locator.receive(line.span.bytes, from: Replay.receiver, at: now).updates {
            emit(.publish(update.update, update.streams))
        }
        emitEffects(emit)
    }

    /// The index after the next line ending (LF, CR or both).
    private var endOfLine: Int {
        guard let end = bytes[offset...].firstIndex(where: { $0 == 10 || $0 == 13 }) else { return bytes.count }
        return bytes[end] == 13 && end + 1 < bytes.count && bytes[end + 1] == 10 ? end + 2 : end + 1
    }

    /// Calls the core at each deadline up to `now`, as the daemon's timer would.
    private mutating func advanceClock(from before: Instant, to now: Instant) {
        var instant = before
        while let deadline = locator.deadline(), deadline < now {
            instant = max(deadline, instant + Instant.Span(nanoseconds: 1))
            locator.tick(at: instant)
        }
    }

    private mutating func emitEffects(_ emit: (Effect) -> Void) {
        locator.drainEffects(into: &effects)
        for effect in effects { emit(effect) }
    }

    private static func entries(_ conditions: [Condition]) -> [GeofenceEngine.Entry] {
        conditions.enumerated().map {
            GeofenceEngine.Entry(id: ConditionID(Int64($0.offset + 1)), condition: $0.element)
        }
    }

    private static func containsDate(_ bytes: ArraySlice<UInt8>) -> Bool {
        var stream = SentenceStream()
        var found = false
        stream.push(bytes.span.bytes) { _, sentence in
            switch sentence {
            case .rmc(let rmc) where rmc.date?.civilDate != nil && rmc.time != nil: found = true
            case .zda(let zda) where zda.date != nil && zda.time != nil: found = true
            case .proprietary(let proprietary) where proprietary.date != nil && proprietary.time != nil: found = true
            default: break
            }
        }
        return found
    }
}
