import Chronology
import Geofencing
import NMEA
import Positioning
import SextantAPI
import Varlink

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
        /// ``Effect/Fence/changed(_:)`` delivers their events.
        public var conditions: [FenceCondition] = []
        /// Whether a client subscribes to visits.
        public var watchesVisits = false
        /// Whether a client subscribes to the heading.
        public var watchesHeading = false
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
    private static let stream = RequestID(0)
    private static let visitStream = RequestID(1)
    private static let headingStream = RequestID(2)

    /// The bytes that are kept until a date is found, if the capture has a reference date, and the
    /// longest header. At 1 kB/s that is more than an hour.
    private static let maxStart = 4 << 20
    /// The bytes after a line that ``CaptureClock`` may read to find the time of a burst.
    private static let lookahead = CaptureClock.maxBurst
    /// The longest part that is replayed at once: data without line ends is split.
    private static let maxLine = 64 << 10

    private let options: Options
    private var locator = Locator()
    private var clock = CaptureClock()
    /// The bytes that were received; those before ``offset`` are replayed.
    private var buffer: [UInt8] = []
    private var offset = 0
    private var hasStarted = false
    private var dates = DateSearch()
    private var effects: [Effect] = []

    /// The number of bytes received so far.
    public private(set) var size = 0

    /// The number of bytes replayed so far.
    public var position: Int { size - (buffer.count - offset) }

    /// Prepares to replay a capture that is received in parts.
    public init(options: Options) { self.options = options }

    /// Prepares to replay the bytes of a capture, including its header.
    public init(_ bytes: [UInt8], options: Options) {
        self.init(options: options)
        buffer = bytes
        size = bytes.count
    }

    /// Replays the whole capture. Calls `emit` with each effect in order.
    public mutating func run(_ emit: (Effect) -> Void) {
        play(isEnd: false, emit)
        finish(emit)
    }

    /// Receives the next part of the capture, and replays what does not depend on later parts. The
    /// size of the parts does not change the result.
    public mutating func receive(_ part: ArraySlice<UInt8>, _ emit: (Effect) -> Void) {
        buffer.removeFirst(offset)
        offset = 0
        buffer.append(contentsOf: part)
        size += part.count
        play(isEnd: false, emit)
    }

    /// Replays the rest of the capture.
    public mutating func finish(_ emit: (Effect) -> Void) {
        play(isEnd: true, emit)
        locator.finish(at: clock.now)
        emitEffects(emit)
    }

    /// The current report of the receiver.
    public var report: ReceiverReport? { locator.reports(at: clock.now).first }

    private mutating func play(isEnd: Bool, _ emit: (Effect) -> Void) {
        if !hasStarted {
            guard start(isEnd: isEnd) else { return }
            hasStarted = true
            open(emit)
        }
        while let end = endOfLine(isEnd: isEnd) { playLine(to: end, emit) }
    }

    /// Reads the header and sets the reference date. Returns false if that needs more bytes.
    private mutating func start(isEnd: Bool) -> Bool {
        let isLimited = isEnd || buffer.count >= Replay.maxStart
        let header = CaptureHeader(buffer.prefix(Replay.maxStart))
        guard isLimited || header.length < buffer.count else { return false }
        if let reference = options.start ?? header.date {
            // If the capture contains a date, that date applies, and the header's date only
            // resolves week rollovers.
            let containsDate = dates.search(buffer.prefix(Replay.maxStart), from: header.length)
            guard isLimited || containsDate else { return false }
            locator.setReference(reference, guessesDay: !containsDate)
        }
        offset = header.length
        return true
    }

    private mutating func open(_ emit: (Effect) -> Void) {
        locator.attach(
            Replay.receiver, name: options.receiver, port: options.receiver, status: .open, at: .zero)
        if !options.conditions.isEmpty {
            locator.addConditions(Replay.entries(options.conditions), at: .zero)
        }
        if options.watchesVisits {
            emit(.visit(locator.watchVisits(Replay.visitStream, at: .zero), [Replay.visitStream]))
        }
        if options.watchesHeading {
            let update = locator.watchHeading(HeadingRequest(), id: Replay.headingStream, at: .zero)
            emit(.heading(update, [Replay.headingStream]))
        }
        if let stream = options.stream {
            emit(.request(.publish(locator.subscribe(stream, id: Replay.stream, at: .zero), [Replay.stream])))
        }
        emitEffects(emit)
    }

    private mutating func playLine(to end: Int, _ emit: (Effect) -> Void) {
        let line = buffer[offset..<end]
        offset = end
        let before = clock.now
        let now = clock.arrival(of: line.span.bytes, followedBy: buffer[end...])
        advanceClock(from: before, to: now)
        emitEffects(emit)
        for update in locator.receive(line.span.bytes, from: Replay.receiver, at: now).updates {
            emit(.request(.publish(update.update, update.streams)))
        }
        emitEffects(emit)
    }

    /// Returns the index after the next line ending (LF, CR or both); nil if more bytes are needed.
    private func endOfLine(isEnd: Bool) -> Int? {
        guard offset < buffer.count else { return nil }
        let limit = min(buffer.count, offset + Replay.maxLine)
        var end = limit
        if let mark = buffer[offset..<limit].firstIndex(where: { $0 == 10 || $0 == 13 }) {
            end = mark + 1
            if buffer[mark] == 13, end < buffer.count, buffer[end] == 10 { end += 1 }
        } else if limit - offset < Replay.maxLine, !isEnd {
            return nil
        }
        return isEnd || buffer.count - end >= Replay.lookahead ? end : nil
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

    private static func entries(_ conditions: [FenceCondition]) -> [GeofenceEngine.Entry] {
        conditions.enumerated().map {
            GeofenceEngine.Entry(id: ConditionID(Int64($0.offset + 1)), condition: $0.element)
        }
    }
}

/// Searches a capture for a sentence with a date and a time, each byte once.
private struct DateSearch {
    private var stream = SentenceStream()
    private var searched: Int?
    private var found = false

    /// Returns whether there is a date before the end of `bytes`, which begin with those of the
    /// last call. The search starts at the index `start`.
    mutating func search(_ bytes: ArraySlice<UInt8>, from start: Int) -> Bool {
        let from = searched ?? start
        guard !found, from < bytes.count else { return found }
        var found = false
        let unsearched = bytes[from...]
        stream.push(unsearched.span.bytes) { _, sentence in
            switch sentence {
            case .rmc(let rmc) where rmc.date?.civilDate != nil && rmc.time != nil: found = true
            case .zda(let zda) where zda.date != nil && zda.time != nil: found = true
            case .proprietary(let proprietary) where proprietary.date != nil && proprietary.time != nil: found = true
            default: break
            }
        }
        searched = bytes.count
        self.found = found
        return found
    }
}

/// One line of `sextant replay --emit fixes`: an epoch with or without a position. Unknown values
/// are absent.
package struct EpochLine: Encodable, Sendable, Equatable {
    /// With a position, those of type `Location` in `io.sextant.Location`; else those that remain.
    private var members: [String: JSONValue]

    package init(_ fix: Fix, receiver: String) {
        if let message = Location(ReceiverFix(fix: fix, receiver: receiver)) {
            members = message.members
        } else {
            members = [
                "mode": .string(fix.mode.rawValue), "quality": .string(fix.quality.rawValue),
                "receiver": .string(receiver),
            ]
            members["timestamp"] = fix.time.map { .string($0.description) }
            members["satellitesUsed"] = fix.satellitesUsed.map { .int(Int64($0)) }
        }
    }

    package func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}

/// One line of `sextant replay --emit events`: an event of a condition. Unknown values are absent.
package struct EventLine: Encodable, Sendable, Equatable {
    /// `identifier`, `kind` and `state` after the event; `date`, `location` and `margin` as in
    /// `Event` of `io.sextant.Monitor`, but with the whole location.
    package private(set) var members: [String: JSONValue]

    /// Creates the line for an event of the condition `identifier`, determined from fixes of
    /// `receiver`.
    package init(_ event: ConditionEvent, identifier: String, receiver: String) {
        members = [
            "identifier": .string(identifier), "kind": .string(event.kind.rawValue),
            "state": .string(event.state.rawValue),
        ]
        members["date"] = event.date.map { .string($0.description) }
        let location = event.location.flatMap { Location(ReceiverFix(fix: $0, receiver: receiver)) }
        members["location"] = location.map { .object($0.members) }
        // Whole millimetres, without a negative zero.
        members["margin"] = event.margin.map { .double(($0 * 1000).rounded() / 1000 + 0) }
    }

    package func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}
