import Chronology
import Receivers

/// A receiver as seen from the other end of its cable: a source of bursts, a serial line, and what goes wrong on it.
///
/// A value that eats time: the same arguments give the same bytes, however the calls are spaced.
public struct VirtualReceiver: Sendable {
    private var source: any BurstSource
    private var line: SerialLine
    private var random: RandomSource
    private let faults: FaultSchedule
    private let origin: Instant

    /// A receiver switched on at `origin`.
    ///
    /// - Parameters:
    ///   - source: What it has to say.
    ///   - baud: Bits per second on its line.
    ///   - faults: Corruption, silence and unplugging, timed from `origin`; dropouts are the source's affair.
    ///   - seed: Chance of the corruption.
    public init(source: any BurstSource, baud: Int, faults: FaultSchedule = FaultSchedule(), seed: UInt64 = 1, origin: Instant = .zero) {
        self.source = source
        self.faults = faults
        self.origin = origin
        line = SerialLine(baud: baud, from: origin)
        random = RandomSource(seed: seed, purpose: 2)
    }

    /// When there is something to do next; nil when only what is written to it can change that, or nothing.
    public var deadline: Instant? { earliest(line.deadline, source.deadline) }

    /// Whether everything has been said.
    public var isOver: Bool { source.isOver && line.deadline == nil }

    /// Bursts the line was too slow for.
    public var droppedBursts: Int { line.droppedBursts }

    /// What comes out of the wire up to an instant, in order.
    public mutating func bytes(until now: Instant) -> [SerialLine.Chunk] {
        var chunks: [SerialLine.Chunk] = []
        while true {
            // A burst joins the queue at its own time, so that the line is as far behind as it would be.
            if let due = source.deadline, due <= now, line.deadline.map({ due <= $0 }) ?? true {
                line.send(source.burst())
            } else if let chunk = line.chunk(until: now) {
                if let chunk = suffered(chunk) { chunks.append(chunk) }
            } else {
                return chunks
            }
        }
    }

    /// The host has written bytes; call after ``bytes(until:)`` of the same instant.
    public mutating func hear(_ bytes: [UInt8], at now: Instant) {
        let elapsed = now - origin
        guard faults.active(.unplug, at: elapsed) == nil else { return }
        source.hear(bytes, at: now)
    }

    /// What it has drawn so far; nil for one that is not simulated but played.
    public var meter: EnergyMeter? { (source as? ObedientReceiver)?.meter }

    /// What is still on its way out of the wire, without anything new being said.
    public mutating func remainder() -> [SerialLine.Chunk] {
        var chunks: [SerialLine.Chunk] = []
        while let due = line.deadline, let chunk = line.chunk(until: due) {
            if let chunk = suffered(chunk) { chunks.append(chunk) }
        }
        return chunks
    }

    private mutating func suffered(_ chunk: SerialLine.Chunk) -> SerialLine.Chunk? {
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
