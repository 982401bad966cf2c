import Chronology

/// A serial line that transmits bytes at its baud rate, ten bits per byte.
package struct SimulatedLine: Sendable {
    /// Bytes that have been transmitted.
    package struct Chunk: Sendable, Equatable {
        /// When the last bit was transmitted.
        package var instant: Instant
        /// The transmitted bytes.
        package var bytes: [UInt8]
    }

    /// The baud rate.
    package let baud: Int
    /// The number of bytes that arrive together, as from a UART buffer: 16, or those of one
    /// millisecond if more.
    package let chunkSize: Int
    /// The number of bursts dropped because the line was more than a second behind. Receivers do
    /// the same if their baud rate is too low.
    package private(set) var droppedBursts = 0

    private var queue: [UInt8] = []
    private var sent = 0
    /// When the line can begin to transmit the next byte.
    private var idleFrom: Instant

    /// Creates an idle line.
    ///
    /// - Parameter baud: The baud rate, at least 50.
    package init(baud: Int, from start: Instant = .zero) {
        self.baud = max(baud, 50)
        chunkSize = max(16, self.baud / 10_000)
        idleFrom = start
    }

    /// When the next chunk is completely transmitted; nil if the line is idle.
    package var deadline: Instant? {
        sent < queue.count ? idleFrom + time(of: min(chunkSize, queue.count - sent)) : nil
    }

    /// Queues a burst behind the bytes in transmission.
    package mutating func send(_ burst: Burst) {
        if sent == queue.count {
            queue.removeAll(keepingCapacity: true)
            sent = 0
            idleFrom = max(idleFrom, burst.instant)
        }
        guard time(of: queue.count - sent) <= .seconds(1) else {
            droppedBursts += 1
            return
        }
        queue += burst.bytes
    }

    /// Returns the next chunk if its transmission ends by `now`.
    package mutating func chunk(until now: Instant) -> Chunk? {
        guard let due = deadline, due <= now else { return nil }
        let end = min(sent + chunkSize, queue.count)
        defer { (sent, idleFrom) = (end, due) }
        return Chunk(instant: due, bytes: Array(queue[sent..<end]))
    }

    private func time(of bytes: Int) -> Instant.Span {
        Instant.Span(nanoseconds: Int64(bytes) * 10_000_000_000 / Int64(baud))
    }
}
