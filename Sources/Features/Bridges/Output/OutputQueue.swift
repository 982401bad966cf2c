import Chronology

/// The bytes that wait for one connection.
///
/// A piece is a whole number of reports or sentences. A piece that does not fit is dropped as a
/// whole, so that a client which reads again gets recent data and never a part of a line.
package struct OutputQueue {
    /// The maximum number of bytes that wait.
    package static let limit = 65_536
    /// How long a full queue may make no progress.
    package static let stallLimit = Instant.Span.seconds(30)

    private var bytes: [UInt8] = []
    private var head = 0
    /// Since when the connection has accepted no byte, while bytes wait.
    private var stalledSince: Instant?
    /// The number of pieces that were dropped.
    package private(set) var dropped = 0

    /// Creates an empty queue.
    package init() {}

    /// Whether nothing waits.
    package var isEmpty: Bool { head == bytes.count }

    /// Appends a piece, or drops it if the queue is full.
    package mutating func append(_ piece: [UInt8], at now: Instant) {
        guard isEmpty || bytes.count - head + piece.count <= OutputQueue.limit else {
            dropped += 1
            return
        }
        if isEmpty { stalledSince = now }
        bytes.append(contentsOf: piece)
    }

    /// Whether the client reads nothing and its queue is full.
    package func isStalled(at now: Instant) -> Bool {
        guard dropped > 0, let stalledSince else { return false }
        return now - stalledSince >= OutputQueue.stallLimit
    }

    /// Passes the bytes to `send` until none waits or `send` accepts only a part.
    ///
    /// - Parameter send: Returns the number of bytes that were sent, 0 if the connection is full.
    package mutating func write<Failure: Error>(
        at now: Instant, _ send: (UnsafeRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        while !isEmpty {
            let waiting = bytes.count - head
            let sent = try bytes.withUnsafeBufferPointer { buffer throws(Failure) in
                try send(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[head...])))
            }
            guard sent > 0 else { return }
            head += min(sent, waiting)
            stalledSince = now
            guard sent >= waiting else { break }
        }
        if isEmpty {
            bytes = []
            head = 0
            stalledSince = nil
        } else if head >= bytes.count / 2 {
            bytes.removeFirst(head)
            head = 0
        }
    }
}

/// A connection of a client of a bridge.
package struct ClientID: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    private let number: UInt64

    /// Creates the identifier with a number.
    package init(integerLiteral number: UInt64) { self.number = number }

    /// Creates the identifier with the number of another one.
    package init(number: Int) { self.number = UInt64(clamping: number) }

    /// The number, for queues; connections do not reach its limit.
    package var asInt: Int { Int(clamping: number) }

    /// The number in decimal form.
    package var description: String { "\(number)" }

    /// The identifier of the next connection.
    package var next: ClientID { ClientID(integerLiteral: number == .max ? 0 : number + 1) }

    /// Returns whether the first connection is older than the second.
    package static func < (a: ClientID, b: ClientID) -> Bool { a.number < b.number }
}
