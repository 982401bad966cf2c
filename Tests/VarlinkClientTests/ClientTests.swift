import Glibc
import Testing

@testable import Varlink
@testable import VarlinkClient

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

private func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

/// The server end of a client's socket, controlled by the test.
private struct Peer {
    let descriptor: Int32

    static func pair() throws -> (BlockingClient, Peer) {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        return (BlockingClient(adopting: ends[0]), Peer(descriptor: ends[1]))
    }

    func send(_ bytes: [UInt8]) { #expect(write(descriptor, bytes, bytes.count) == bytes.count) }

    func send(_ reply: Reply) { send(reply.encoded()) }

    func receive() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return Array(buffer.prefix(max(0, count)))
    }

    func hangUp() { _ = close(descriptor) }
}

@Suite struct ClientTests {
    struct Number: Message, Equatable {
        var n: Int

        init(n: Int) { self.n = n }
        init(_ members: inout MemberReader) { n = members.int("n") }
        func write(to object: inout ObjectWriter) { object.append(n, forKey: "n") }
    }

    private let get = Method<NoParameters, Number>(named: "a.Get")
    private let watch = Method<NoParameters, Number>(named: "a.Watch")

    private let short = Duration.milliseconds(20)

    @Test func `a call sends its parameters and decodes the reply`() throws {
        let (client, peer) = try Peer.pair()
        defer { peer.hangUp() }
        peer.send(Reply(parameters: ["n": 7, "new": true]))
        #expect(try client.call(Method<Number, Number>(named: "a.Get"), with: Number(n: 3)) == Number(n: 7))
        #expect(text(peer.receive()) == "{\"method\":\"a.Get\",\"parameters\":{\"n\":3}}\0")
    }

    @Test func `an error reply is thrown`() throws {
        let (client, peer) = try Peer.pair()
        defer { peer.hangUp() }
        let error = VarlinkError(name: "a.Gone", parameters: ["x": 1])
        peer.send(Reply(error: error))
        #expect(throws: ClientError.failed(method: "a.Get", error: error)) { try client.call(get) }
    }

    @Test func `a reply of the wrong type is an error`() throws {
        let (client, peer) = try Peer.pair()
        defer { peer.hangUp() }
        peer.send(Reply())
        #expect(throws: ClientError.unexpectedReply(method: "a.Get", .init(path: "n", reason: "missing"))) {
            try client.call(get)
        }
    }

    @Test func `a call times out and its late reply is discarded`() throws {
        let (client, peer) = try Peer.pair()
        defer { peer.hangUp() }
        #expect(throws: ClientError.timedOut(method: "a.Slow")) {
            try client.call(Method<NoParameters, Number>(named: "a.Slow"), timeout: short)
        }
        peer.send(Reply(parameters: ["n": 1]))
        peer.send(Reply(parameters: ["n": 2]))
        #expect(try client.call(get) == Number(n: 2))
    }

    @Test func `a closed connection is reported`() throws {
        let (client, peer) = try Peer.pair()
        peer.hangUp()
        #expect(throws: ClientError.disconnected(method: "a.Get")) { try client.call(get) }
        let (second, far) = try Peer.pair()
        var stream = try second.stream(watch, with: NoParameters())
        far.hangUp()
        #expect(throws: ClientError.disconnected(method: "a.Watch")) { try stream.next(timeout: .seconds(5)) }
    }

    /// A full service sends this error without a call and closes the connection; the call is then
    /// sent to a closed socket.
    @Test func `the reason for a refused connection is thrown`() throws {
        let error = VarlinkError(name: "a.TooMany", parameters: ["limit": 64])
        let (client, peer) = try Peer.pair()
        peer.send(Reply(error: error))
        peer.hangUp()
        #expect(throws: ClientError.failed(method: "a.Get", error: error)) { try client.call(get) }
        #expect(throws: ClientError.disconnected(method: "a.Get")) { try client.call(get) }
    }

    @Test func `an invalid message is an error`() throws {
        let (client, peer) = try Peer.pair()
        defer { peer.hangUp() }
        peer.send(bytes("HTTP/1.1 400\0"))
        #expect(throws: ClientError.self) { try client.call(get) }
    }

    @Test func `sending to a peer that never reads times out`() throws {
        let (client, peer) = try Peer.pair()
        defer { peer.hangUp() }
        let put = Method<AnyMessage, Number>(named: "a.Put")
        let large = AnyMessage(members: ["x": .string(String(repeating: "x", count: 900_000))])
        #expect(throws: ClientError.timedOut(method: "a.Put")) {
            try client.call(put, with: large, timeout: short)
        }
        #expect(throws: ClientError.sendFailed(method: "a.Put", reason: "too many calls wait to be sent")) {
            try client.call(put, with: large, timeout: short)
        }
    }

    @Test func `stream replies are read one at a time`() throws {
        let (client, peer) = try Peer.pair()
        defer { peer.hangUp() }
        var stream = try client.stream(watch, with: NoParameters())
        #expect(text(peer.receive()) == "{\"method\":\"a.Watch\",\"more\":true}\0")
        for number in 1...3 { peer.send(Reply(parameters: ["n": .int(Int64(number))], continues: number < 3)) }
        for number in 1...3 {
            #expect(try stream.next(timeout: .seconds(5))?.parameters(of: watch) == Number(n: number))
        }
        #expect(try stream.next(timeout: .seconds(5)) == nil)
    }

    @Test func `a stream can be polled without blocking`() throws {
        let (client, peer) = try Peer.pair()
        defer { peer.hangUp() }
        var stream = try client.stream(watch, with: NoParameters())
        #expect(try stream.nextIfAvailable() == .pending)
        #expect(throws: ClientError.timedOut(method: "a.Watch")) { try stream.next(timeout: short) }
        let first = Reply(parameters: ["n": 1], continues: true)
        peer.send(first.encoded() + Reply().encoded().prefix(5))
        #expect(try stream.nextIfAvailable() == .reply(first))
        #expect(try stream.nextIfAvailable() == .pending)
        peer.send(Array(Reply().encoded().dropFirst(5)))
        #expect(try stream.nextIfAvailable() == .reply(Reply()))
        #expect(try stream.nextIfAvailable() == .ended)
        #expect(stream.fileDescriptor == client.fileDescriptor)
    }

    @Test func `the client connects to a socket path`() throws {
        var template = Array("/tmp/varlink-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let path = folder + "/socket"
        defer {
            unlink(path)
            rmdir(folder)
        }
        #expect(throws: ClientError.connecting(path: path, errno: ENOENT)) { try BlockingClient.connect(path: path) }

        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        #expect(throws: ClientError.connecting(path: path, errno: ECONNREFUSED)) {
            try BlockingClient.connect(path: path)
        }
        try #require(listen(listener, 0) == 0)

        let client = try BlockingClient.connect(path: path)
        #expect(throws: ClientError.connecting(path: path, errno: ETIMEDOUT)) {
            try BlockingClient.connect(path: path, timeout: short)
        }
        let peer = Peer(descriptor: accept(listener, nil, nil))
        defer { peer.hangUp() }
        peer.send(Reply(parameters: ["n": 1]))
        #expect(try client.call(get) == Number(n: 1))
    }

    @Test func `an overlong socket path is rejected`() {
        let path = "/" + String(repeating: "x", count: 107)
        #expect(throws: ClientError.pathTooLong(path: path)) { try BlockingClient.connect(path: path) }
    }

    @Test func `error descriptions are readable`() {
        #expect(
            ClientError.connecting(path: "/run/x", errno: ENOENT).description
                == "connecting to /run/x: No such file or directory")
        #expect(ClientError.timedOut(method: "a.Get").description == "calling a.Get: no answer in time")
    }
}
