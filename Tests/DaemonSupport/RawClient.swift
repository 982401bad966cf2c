import CLinux
import Glibc
import SystemCalls
import TestSupport
import Varlink

/// A client connection that can violate the protocol: it sends bytes and receives messages.
package final class RawClient {
    private let socket: FileDescriptor
    private var held: [UInt8] = []
    private var hasEnded = false

    package init(_ path: String) throws {
        socket = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_stream_socket() })
        let number = socket.number
        try systemCall("connecting to \(path)") { linux_unix_connect(number, path, path.utf8.count) }
    }

    package var descriptor: Int32 { socket.number }

    /// Sends until the socket accepts no more for a moment; returns the number of bytes sent.
    @discardableResult
    package func sendAsMuchAsPossible(_ bytes: [UInt8]) -> Int {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            rest = rest.dropFirst(max(0, count))
            if count > 0 { continue }
            var entry = pollfd(fd: socket.number, events: Int16(POLLOUT), revents: 0)
            guard errno == EAGAIN, poll(&entry, 1, 100) > 0 else { break }
        }
        return bytes.count - rest.count
    }

    package func send(_ text: String) { sendAsMuchAsPossible(Array(text.utf8)) }

    /// Shuts down the sending side.
    package func finishSending() { shutdown(socket.number, Int32(SHUT_WR)) }

    /// Whether a whole message was received that ``next(within:)`` has not returned yet.
    package var hasMessage: Bool { held.contains(0) }

    /// Returns the next message; nil when the daemon has closed the connection.
    package func next(within span: Duration = timeout) throws -> Reply? {
        try nextBytes(within: span).map { try Reply(parsing: $0) }
    }

    /// Returns the bytes of the next message without its end; nil when the daemon has closed the
    /// connection.
    package func nextBytes(within span: Duration = timeout) throws -> [UInt8]? {
        let deadline = Deadline(span)
        while true {
            if let end = held.firstIndex(of: 0) {
                defer { held.removeSubrange(...end) }
                return Array(held[..<end])
            }
            if hasEnded { return nil }
            guard waitReadable(socket.number, within: .milliseconds(Int64(deadline.millisecondsLeft))) else {
                throw TestFailure("no message within \(span)")
            }
            receive()
        }
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 { held += buffer[..<count] } else if count == 0 || errno != EAGAIN { hasEnded = true }
    }
}
