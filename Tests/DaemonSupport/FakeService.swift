import CLinux
import Glibc
import SystemCalls
import TestSupport
import Varlink

/// A service that a test scripts: it accepts connections on a socket and sends the replies of the
/// test.
///
/// Each wait exists twice. Tests that share their process with tests that block wait without
/// `await`: the concurrency pool has a thread for each processor, and tests that block may occupy
/// all of them for longer than a program under test waits for its answer.
package final class FakeService {
    package let path: String
    private var listener: FileDescriptor?

    /// Creates a service that accepts connections at `path`.
    package init(at path: String) throws {
        self.path = path
        try start()
    }

    deinit { stop() }

    /// Accepts connections again after ``stop()``.
    package func start() throws {
        unlink(path)
        let new = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_stream_socket() })
        try systemCall("binding \(path)") { linux_unix_bind(new.number, path, path.utf8.count) }
        try systemCall("opening \(path)") { Glibc.listen(new.number, 128) }
        listener = consume new
    }

    /// Refuses further connections. Accepted ones stay open.
    package func stop() {
        listener = nil
        unlink(path)
    }

    package func accept() throws -> Connection {
        var number: Int32 = -1
        try waitUntil("a connection to \(path)") {
            number = linux_accept(listener?.number ?? -1)
            return number >= 0
        }
        return Connection(number)
    }

    package nonisolated(nonsending) func accept() async throws -> Connection {
        var number: Int32 = -1
        try await eventually("a connection to \(path)") {
            number = linux_accept(listener?.number ?? -1)
            return number >= 0
        }
        return Connection(number)
    }

    package var hasConnection: Bool { waitReadable(listener?.number ?? -1, within: .zero) }

    /// A connection that was accepted. Its release closes it.
    package final class Connection {
        private let socket: FileDescriptor
        private var framer = MessageFramer()
        /// Whether the client has closed the connection.
        private var isClosed = false

        fileprivate init(_ number: Int32) { socket = FileDescriptor(owning: number) }

        package func call() throws -> Call {
            var message: [UInt8]?
            try waitUntil("a call") {
                message = try nextMessage()
                return message != nil
            }
            return try Call(parsing: message ?? [])
        }

        package nonisolated(nonsending) func call() async throws -> Call {
            var message: [UInt8]?
            try await eventually("a call") {
                message = try nextMessage()
                return message != nil
            }
            return try Call(parsing: message ?? [])
        }

        /// Sends a reply, and the rest of it when the socket accepts more.
        package func send(_ reply: Reply) throws {
            var rest = reply.encoded()[...]
            try waitUntil("space for a reply") { try sendPart(&rest) }
        }

        /// Sends a reply, and the rest of it when the socket accepts more.
        package nonisolated(nonsending) func send(_ reply: Reply) async throws {
            var rest = reply.encoded()[...]
            try await eventually("space for a reply") { try sendPart(&rest) }
        }

        /// Sends a reply with one number, after which others follow.
        package nonisolated(nonsending) func send(number: Int) async throws {
            try await send(Reply(parameters: ["number": .int(Int64(number))], continues: true))
        }

        /// Sends a reply if the socket accepts all of it; returns whether it did.
        package func sendNow(_ reply: Reply) -> Bool {
            var rest = reply.encoded()[...]
            return (try? sendPart(&rest)) == true
        }

        /// Returns the bytes that follow an upgrade, until none come for `pause`.
        package func upgradedBytes(pause: Duration) -> [UInt8] {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while waitReadable(socket.number, within: pause) {
                let count = recv(socket.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                guard count > 0 else { break }
                bytes += buffer[..<count]
            }
            return bytes
        }

        /// Waits until the client closes the connection.
        package func waitForClose() throws {
            try waitUntil("the end of the connection") {
                read()
                return isClosed
            }
        }

        /// Waits until the client closes the connection.
        package nonisolated(nonsending) func waitForClose() async throws {
            try await eventually("the end of the connection") {
                read()
                return isClosed
            }
        }

        private func nextMessage() throws -> [UInt8]? {
            read()
            return try framer.next()
        }

        /// Sends what the socket accepts; returns whether that is all.
        private func sendPart(_ rest: inout ArraySlice<UInt8>) throws -> Bool {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EPIPE { throw TestFailure("the client has closed the connection") }
            rest = rest.dropFirst(max(0, count))
            return rest.isEmpty
        }

        private func read() {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = recv(socket.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { framer.append(Array(buffer[..<count])) }
            if count == 0 || count < 0 && errno != EAGAIN { isClosed = true }
        }
    }
}

/// A message with one number.
package struct Number: Message, Equatable {
    package var number: Int

    package init(number: Int) { self.number = number }
    package init(_ members: inout MemberReader) { number = members.int("number") }
    package func write(to object: inout ObjectWriter) { object.append(number, forKey: "number") }
}
