import Chronology
import NMEA
import Receivers

/// A receiver as seen from the host's end of its cable: a source of bursts, a serial line and its
/// faults.
///
/// It is a value that reads no clock. Equal arguments give equal bytes, regardless of how the calls
/// are spaced.
package struct VirtualReceiver: Sendable {
    private var source: any BurstSource
    private var line: SimulatedLine
    private var random: RandomSource
    private let faults: FaultSchedule
    private let origin: Instant
    private var announcement: SimulationAnnouncement?

    /// Creates a receiver that is powered on at `origin`.
    ///
    /// - Parameters:
    ///   - source: The source of its bursts.
    ///   - baud: Baud rate of its line.
    ///   - faults: Corruption, silence and unplugging, relative to `origin`. The source handles
    ///     dropouts.
    ///   - seed: Random seed of the corruption.
    ///   - announcesSimulation: Whether a text sentence announces to readers that the
    ///     receiver is simulated.
    package init(
        source: any BurstSource, baud: Int, faults: FaultSchedule = FaultSchedule(), seed: UInt64 = 1,
        origin: Instant = .zero, announcesSimulation: Bool = false
    ) {
        self.source = source
        self.faults = faults
        self.origin = origin
        announcement = announcesSimulation ? SimulationAnnouncement() : nil
        line = SimulatedLine(baud: baud, from: origin)
        random = RandomSource(seed: seed, purpose: 2)
    }

    /// The next time at which output is due; nil if only input can cause output, or nothing can.
    package var deadline: Instant? { earliest(line.deadline, source.deadline) }

    /// Whether the source and the line have sent everything.
    package var isOver: Bool { source.isOver && line.deadline == nil }

    /// The number of bursts dropped because the line was too slow.
    package var droppedBursts: Int { line.droppedBursts }

    /// Returns the chunks that arrive up to a time, in order.
    package mutating func bytes(until now: Instant) -> [SimulatedLine.Chunk] {
        var chunks: [SimulatedLine.Chunk] = []
        while true {
            // A burst is queued at its own time, so that the delay of the line is realistic.
            if let due = source.deadline, due <= now, line.deadline.map({ due <= $0 }) ?? true {
                let burst = source.burst()
                line.send(announcement?.announce(before: burst, isLineIdle: line.deadline == nil) ?? burst)
            } else if let chunk = line.chunk(until: now) {
                if let chunk = applyFaults(to: chunk) { chunks.append(chunk) }
            } else {
                return chunks
            }
        }
    }

    /// Processes bytes from the host. Call it after ``bytes(until:)`` for the same time.
    package mutating func process(_ bytes: [UInt8], at now: Instant) {
        let elapsed = now - origin
        guard faults.active(.unplug, at: elapsed) == nil else { return }
        source.process(bytes, at: now)
    }

    /// Powers the receiver on, after its device was plugged in again.
    package mutating func powerOn(at now: Instant) { source.powerOn(at: now) }

    /// The energy that the receiver has used; nil for a capture.
    package var meter: EnergyMeter? { (source as? CommandableReceiver)?.meter }

    /// Returns the chunks still in transmission, without new bursts.
    package mutating func remainder() -> [SimulatedLine.Chunk] {
        var chunks: [SimulatedLine.Chunk] = []
        while let due = line.deadline, let chunk = line.chunk(until: due) {
            if let chunk = applyFaults(to: chunk) { chunks.append(chunk) }
        }
        return chunks
    }

    private mutating func applyFaults(to chunk: SimulatedLine.Chunk) -> SimulatedLine.Chunk? {
        let elapsed = chunk.instant - origin
        if faults.active(.silence, at: elapsed) != nil || faults.active(.unplug, at: elapsed) != nil { return nil }
        guard let corruption = faults.active(.corruption, at: elapsed) else { return chunk }
        var damaged = chunk
        for i in damaged.bytes.indices where random.uniform() < corruption.rate {
            damaged.bytes[i] ^= 1 << UInt8(truncatingIfNeeded: random.next() >> 61)
        }
        return damaged
    }
}

/// Adds a text sentence to the bursts of a simulated receiver, by which a reader recognizes it as
/// simulated (`docs/decisions/0004-simulated-receivers.md`).
///
/// The bytes of the bursts stay unchanged. The sentence comes before the first one of a burst, at
/// most once a second, and only where the line is idle and a sentence begins, so that it divides no
/// data.
package struct SimulationAnnouncement: Sendable {
    /// The shortest interval between two sentences. It is below the period of 1 Hz with its jitter.
    private static let interval = Instant.Span.milliseconds(900)

    private var last: Instant?
    /// Whether the previous burst ended with a complete line.
    private var isAtLineStart = true

    /// Returns the burst, with the sentence before it if it is due.
    mutating func announce(before burst: Burst, isLineIdle: Bool) -> Burst {
        defer { if let end = burst.bytes.last { isAtLineStart = end == UInt8(ascii: "\n") } }
        let isStart = isAtLineStart && burst.bytes.first == UInt8(ascii: "$")
        guard isLineIdle, let position = burst.sentence ?? (isStart ? 0 : nil) else { return burst }
        if let last, burst.instant - last < SimulationAnnouncement.interval { return burst }
        last = burst.instant
        var announced = burst
        announced.bytes.insert(contentsOf: SimulationAnnouncement.sentence, at: min(position, burst.bytes.count))
        return announced
    }

    /// The text sentence with its checksum and line end.
    package static let sentence = SentenceEncoder.bytes(ofSentence: "GPTXT,01,01,02,SIMULATED BY SEXTANT")
}
