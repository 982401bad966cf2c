import Chronology

/// A serial line that transmits bytes at its baud rate, ten bits per byte.
package struct SimulatedLine: Sendable {
    /// Bytes that have been transmitted.
    package struct Chunk: Sendable, Equatable {
        /// When the last bit was transmitted.
        package var instant: Instant
        package var bytes: [UInt8]
    }

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

/// Simulates a UART that receives at another baud rate than the sender's.
///
/// It samples the sender's bits as the hardware does: a falling edge is a start bit, then each bit
/// is sampled at its middle. A character with a low stop bit is a framing error. It is read as
/// zero, as Linux does in raw mode.
package enum BaudRateMismatch {
    /// Returns the bytes that the reader receives. The line is idle before and after.
    ///
    /// - Parameters:
    ///   - bytes: The bytes as sent, without gaps.
    ///   - sender: Baud rate of the sender, above 0.
    ///   - listener: Baud rate of the reader, above 0.
    /// - Returns: At most four times as many bytes as were sent.
    package static func read(_ bytes: [UInt8], sender: Int, listener: Int) -> [UInt8] {
        guard sender > 0, listener > 0, sender != listener else { return bytes }
        let total = bytes.count * 10
        let ratio = Double(sender) / Double(listener)
        func level(_ time: Double) -> Bool {
            let bit = Int(time)
            return bit >= total || bitValue(at: bit % 10, of: bytes[bit / 10])
        }
        var read: [UInt8] = []
        // Time in bit times of the sender.
        var time = 0.0
        while time < Double(total), read.count < bytes.count * 4 {
            guard !level(time) else {
                time += min(ratio, 1) / 8
                continue
            }
            var value: UInt8 = 0
            for bit in 0..<8 where level(time + ratio * (Double(bit) + 1.5)) { value |= 1 << bit }
            let hasStopBit = level(time + ratio * 9.5)
            read.append(hasStopBit ? value : 0)
            time += ratio * 9.5
            // After a framing error the line must go high before another character can begin.
            while !hasStopBit, time < Double(total), !level(time) { time += min(ratio, 1) / 8 }
        }
        return read
    }

    /// Returns one bit of a character: start bit low, eight data bits with the lowest first, stop
    /// bit high.
    private static func bitValue(at position: Int, of byte: UInt8) -> Bool {
        position == 9 || (position > 0 && byte & (1 << (position - 1)) != 0)
    }
}

/// The bytes that a receiver sends at once: the sentences of one epoch.
package struct Burst: Sendable, Equatable {
    /// The earliest time at which the first byte can be on the line.
    package var instant: Instant
    package var bytes: [UInt8]
    /// The position of the first sentence, where it follows frames of a binary protocol; nil if
    /// the burst has none, or may begin within one.
    package var sentence: Int?

    package init(instant: Instant, bytes: [UInt8], sentence: Int? = nil) {
        (self.instant, self.bytes) = (instant, bytes)
        self.sentence = sentence
    }
}

/// A source of bursts: a simulated receiver or a capture.
package protocol BurstSource: Sendable {
    /// When the next burst is due; nil if no burst is scheduled.
    var deadline: Instant? { get }
    /// Whether the source is finished: no input can make it send again.
    var isOver: Bool { get }
    /// Returns the burst that is due and advances to the next. Call it only while ``deadline`` is
    /// not nil.
    mutating func burst() -> Burst
    /// Processes bytes from the host. Sources without commands ignore them.
    mutating func process(_ bytes: [UInt8], at now: Instant)
    /// Loses what commands have changed, because the device was plugged in again.
    mutating func powerOn(at now: Instant)
}

extension BurstSource {
    /// A source that ignores input is over when no burst is scheduled.
    package var isOver: Bool { deadline == nil }

    /// Ignores the input.
    package mutating func process(_ bytes: [UInt8], at now: Instant) {}

    /// Keeps its state.
    package mutating func powerOn(at now: Instant) {}
}
