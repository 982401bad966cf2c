import Chronology

/// A serial line: lets bytes out one after the other at its speed, ten bits a byte.
public struct SerialLine: Sendable {
    /// Bytes that have just left the wire.
    public struct Chunk: Sendable, Equatable {
        /// When its last bit was through.
        public var instant: Instant
        /// Its bytes.
        public var bytes: [UInt8]
    }

    /// Bits per second.
    public let baud: Int
    /// Bytes that come out together, as from the buffer of a UART: 16, or a millisecond's worth if that is more.
    public let chunkSize: Int
    /// Bursts given up because the line was more than a second behind, as receivers do at too low a speed.
    public private(set) var droppedBursts = 0

    private var queue: [UInt8] = []
    private var sent = 0
    /// When the byte after the last one sent can begin.
    private var free: Instant

    /// An idle line.
    ///
    /// - Parameter baud: Bits per second, at least 50.
    public init(baud: Int, from start: Instant = .zero) {
        self.baud = max(baud, 50)
        chunkSize = max(16, self.baud / 10_000)
        free = start
    }

    /// When the next chunk will be through; nil while idle.
    public var deadline: Instant? {
        sent < queue.count ? free + time(of: min(chunkSize, queue.count - sent)) : nil
    }

    /// Puts a burst on the wire behind what is still going out.
    public mutating func send(_ burst: Burst) {
        if sent == queue.count {
            queue.removeAll(keepingCapacity: true)
            sent = 0
            free = max(free, burst.instant)
        }
        guard time(of: queue.count - sent) <= .seconds(1) else {
            droppedBursts += 1
            return
        }
        queue += burst.bytes
    }

    /// The next chunk, if it is through by `now`.
    public mutating func chunk(until now: Instant) -> Chunk? {
        guard let due = deadline, due <= now else { return nil }
        let end = min(sent + chunkSize, queue.count)
        defer { (sent, free) = (end, due) }
        return Chunk(instant: due, bytes: Array(queue[sent..<end]))
    }

    private func time(of bytes: Int) -> Instant.Span {
        Instant.Span(nanoseconds: Int64(bytes) * 10_000_000_000 / Int64(baud))
    }
}
