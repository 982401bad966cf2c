import SystemCalls
import Varlink
import VarlinkClient

/// A connection to a service in the event loop. Nothing waits: the handler gets each reply.
package final class LoopClient {
    /// What the owner must know.
    package enum Event {
        /// A reply to a call of this connection.
        case reply(ClientConnection.MatchedReply)
        /// The connection is over. The owner releases this object.
        case ended(ClientConnection.Failure)
    }

    private static let bufferLength = 16_384

    private let handler: (Event) -> Void
    /// Nil after the end.
    private var channel: Channel?
    private var source: IOSource?

    /// Connects.
    ///
    /// - Parameters:
    ///   - path: The path of the service's socket.
    ///   - replyLimit: The maximum length of a reply in bytes.
    ///   - handler: May close or release this object. Captures its owner unowned or weakly.
    /// - Throws: `SystemError`: with EAGAIN while the service's queue of connections is full.
    package init(
        to path: String, in loop: EventLoop, replyLimit: Int = ClientConnection.defaultReplyLimit,
        handler: @escaping (Event) -> Void
    ) throws(SystemError) {
        self.handler = handler
        let channel = try Channel(to: path, replyLimit: replyLimit)
        self.channel = channel
        source = try loop.watch(channel.descriptor, for: .readable) { [weak self] events in
            if events.contains(.writable) { self?.flush() }
            if !events.isDisjoint(with: [.readable, .hangup, .failure]) { self?.read() }
        }
    }

    deinit { source?.remove() }

    /// The number of calls without a final reply.
    package var unanswered: Int { channel?.unanswered ?? 0 }

    /// Whether bytes wait until the service reads.
    package var wantsOutput: Bool { channel?.wantsOutput ?? false }

    /// Sends a call.
    ///
    /// - Parameter passed: A descriptor of which the service gets a duplicate.
    /// - Throws: `Outbox.Overflow` if more than 1 MiB waits.
    package func send(_ call: Call, passing passed: Int32? = nil) throws(Outbox.Overflow) {
        try channel?.send(call, passing: passed)
        watchOutput()
    }

    /// Sends bytes of the protocol that follows an upgrade.
    ///
    /// - Throws: `Outbox.Overflow` if more than 1 MiB waits.
    package func send(_ bytes: [UInt8]) throws(Outbox.Overflow) {
        try channel?.send(bytes)
        watchOutput()
    }

    /// Ends watching before the descriptor is closed. The handler is not called again.
    package func close() {
        source?.remove()
        source = nil
        channel = nil
    }

    private func flush() {
        channel?.flush()
        watchOutput()
    }

    private func watchOutput() {
        // If the change fails, the next read notices what is wrong with the connection.
        try? source?.setEvents(channel?.wantsOutput == true ? [.readable, .writable] : .readable)
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: LoopClient.bufferLength)
        while let channel, channel.read(into: &buffer) {
            do throws(ClientConnection.Failure) {
                while self.channel === channel, let reply = try channel.next() { handler(.reply(reply)) }
            } catch {
                close()
                handler(.ended(error))
            }
        }
    }
}
