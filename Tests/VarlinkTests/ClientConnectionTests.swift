import Testing

@testable import Varlink

@Suite struct ClientConnectionTests {
    private func reply(_ number: Int64, continues: Bool = false) -> [UInt8] {
        Reply(parameters: ["n": .int(number)], continues: continues).encoded()
    }

    @Test func `replies are matched to calls in order`() throws {
        var client = ClientConnection()
        let first = try client.send(Call(method: "a.A"))
        try client.send(Call(method: "a.B", mode: .oneway))
        let third = try client.send(Call(method: "a.C", mode: .more))
        client.receive(reply(1) + reply(2, continues: true) + reply(3))
        #expect(try client.next() == .init(call: first, reply: Reply(parameters: ["n": 1])))
        #expect(try client.next() == .init(call: third, reply: Reply(parameters: ["n": 2], continues: true)))
        #expect(client.unanswered == 1)
        #expect(try client.next()?.call == third)
        #expect(try client.next() == nil)
        #expect(client.unanswered == 0)
    }

    @Test func `an error reply ends its call`() throws {
        var client = ClientConnection()
        try client.send(Call(method: "a.A", mode: .more))
        client.receive(ReplyFrame.error(VarlinkError(name: "a.Gone", parameters: ["x": 1])))
        #expect(try client.next()?.reply.failure == VarlinkError(name: "a.Gone", parameters: ["x": 1]))
        #expect(client.unanswered == 0)
    }

    @Test func `a protocol violation is permanent`() throws {
        var client = ClientConnection()
        client.receive(reply(1))
        #expect(throws: ClientConnection.Failure.violation(.unexpectedReply)) { try client.next() }
        client.receive(reply(1))
        #expect(throws: ClientConnection.Failure.violation(.unexpectedReply)) { try client.next() }
    }

    @Test func `continues is only allowed for calls with more`() throws {
        var client = ClientConnection()
        try client.send(Call(method: "a.A"))
        client.receive(reply(1, continues: true))
        #expect(throws: ClientConnection.Failure.violation(.unexpectedContinues)) { try client.next() }
    }

    @Test func `the disconnection is reported after received replies`() throws {
        var client = ClientConnection()
        try client.send(Call(method: "a.A"))
        try client.send(Call(method: "a.B"))
        client.receive(reply(1) + bytes("{\"para"))
        client.receiveEnd()
        #expect(try client.next()?.reply.parameters == ["n": 1])
        #expect(throws: ClientConnection.Failure.disconnected(unanswered: 1)) { try client.next() }
    }

    @Test func `an overlong reply is rejected`() throws {
        var client = ClientConnection(replyLimit: 100)
        try client.send(Call(method: "a.A"))
        client.receive([UInt8](repeating: 0x61, count: 101))
        #expect(throws: ClientConnection.Failure.replyTooLong(limit: 100)) { try client.next() }
    }

    /// Client and server are connected by a line that moves a few bytes at a time in both
    /// directions, as the seed decides.
    @Test(arguments: 0..<100) func `client and server exchange calls over a fragmented connection`(seed: Int) throws {
        var random = Seeded(UInt64(seed))
        var client = ClientConnection()
        var server = ServerConnection()
        var expected: [ClientConnection.CallID: [Reply]] = [:]
        var found: [ClientConnection.CallID: [Reply]] = [:]
        let failure = VarlinkError(name: "a.Odd", parameters: ["why": "odd"])
        for number in 0..<30 {
            let mode: Call.Mode = [.single, .oneway, .more][Int.random(in: 0..<3, using: &random)]
            let n = JSONValue.int(Int64(number))
            let id = try client.send(Call(method: "a.Echo", parameters: ["n": n], mode: mode))
            let last = number % 7 == 3 ? Reply(error: failure) : Reply(parameters: ["n": n])
            if mode == .single { expected[id] = [last] }
            if mode == .more { expected[id] = [Reply(parameters: ["n": n], continues: true), last] }
        }
        for _ in 0..<100_000 where client.unanswered > 0 || client.wantsOutput {
            var up = SimulatedSocket(capacity: Int.random(in: 0...30, using: &random))
            client.write { up.accept($0) }
            server.receive(up.received)
            while case .call(let call)? = server.next() {
                let n = EncodedObject(call.parameters)
                if server.isStreaming { server.reply(n, continues: true) }
                if call.parameters["n"]?.int.map({ $0 % 7 == 3 }) == true {
                    server.fail(failure)
                } else {
                    server.reply(n)
                }
            }
            var down = SimulatedSocket(capacity: Int.random(in: 0...30, using: &random))
            server.write { down.accept($0) }
            client.receive(down.received)
            while let match = try client.next() { found[match.call, default: []].append(match.reply) }
        }
        #expect(found == expected)
    }
}
