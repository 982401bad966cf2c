import Glibc
import SystemCalls
import Varlink

/// A connection to a service that never waits: its socket and the state of its calls.
///
/// The owner watches ``descriptor`` and calls ``flush()`` and ``read(into:)`` when it is ready.
package final class Channel {
    private let socket: FileDescriptor
    private var connection: ClientConnection
    /// Whether another protocol follows, in which the service sends nothing.
    private var isUpgraded = false
    /// Whether the last read filled its buffer, so that more bytes may be available.
    package private(set) var mayHaveMore = false

    /// Connects.
    ///
    /// - Parameter replyLimit: The maximum length of a reply in bytes.
    /// - Throws: `SystemError`: with EAGAIN while the queue of the service is full.
    package init(
        to path: String, replyLimit: Int = ClientConnection.defaultReplyLimit
    ) throws(SystemError) {
        socket = try UnixSocket.connect(to: path)
        connection = ClientConnection(replyLimit: replyLimit)
    }

    /// The socket, which this object closes.
    package var descriptor: Int32 { socket.number }

    /// Whether bytes wait until the service reads.
    package var wantsOutput: Bool { connection.wantsOutput }

    /// The number of calls without a final reply.
    package var unanswered: Int { connection.unanswered }

    /// Queues a call and sends what the socket accepts.
    ///
    /// - Parameter passed: A descriptor of which the service gets a duplicate with the first bytes.
    /// - Throws: `Outbox.Overflow` if more than 1 MiB waits.
    package func send(_ call: Call, passing passed: Int32? = nil) throws(Outbox.Overflow) {
        try connection.send(call)
        flush(passing: passed)
    }

    /// Queues bytes of the protocol that follows an upgrade, and sends what the socket accepts.
    ///
    /// - Throws: `Outbox.Overflow` if more than 1 MiB waits.
    package func send(_ bytes: [UInt8]) throws(Outbox.Overflow) {
        isUpgraded = true
        try connection.send(bytes)
        flush()
    }

    /// Sends what the socket accepts. A failure is ignored: reading then returns the reason that
    /// the service has sent, or the end of the connection.
    package func flush() { flush(passing: nil) }

    private func flush(passing passed: Int32?) {
        guard connection.wantsOutput else { return }
        var passed = passed
        connection.write { bytes in
            let count =
                passed.map { PassedDescriptors.send(bytes, with: $0, to: descriptor) }
                ?? UnixSocket.send(bytes, to: descriptor)
            if count > 0 { passed = nil }
            return count >= 0 ? count : errno == EAGAIN ? 0 : bytes.count
        }
    }

    /// Reads available bytes. Returns false if there were none.
    package func read(into buffer: inout [UInt8]) -> Bool {
        let count = uninterrupted { recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) }
        if count < 0, errno == EAGAIN { return false }
        mayHaveMore = count == buffer.count
        if count > 0 {
            guard !isUpgraded else { return true }
            buffer.withUnsafeBytes { connection.receive(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        } else {
            connection.receiveEnd()
        }
        return true
    }

    /// Returns the next complete reply, or nil when more bytes are needed.
    package func next() throws(ClientConnection.Failure) -> ClientConnection.MatchedReply? {
        try connection.next()
    }

    /// Returns the next reply like ``next()``, after `read` has read its parameters if it can.
    package func next(
        reading read: (inout ObjectReader) -> Bool
    ) throws(ClientConnection.Failure) -> ClientConnection.DirectReply? {
        try connection.next(reading: read)
    }
}
