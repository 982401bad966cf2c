import Testing

@testable import Varlink

@Suite struct ServerConnectionTests {
    private func frame(_ method: String, mode: Call.Mode = .single) -> [UInt8] {
        Call(method: method, mode: mode).encoded()
    }

    private func sent(_ connection: inout ServerConnection) throws -> [Reply] {
        var socket = SimulatedSocket(capacity: .max)
        connection.write { socket.accept($0) }
        return try socket.replies
    }

    private func value(_ number: Int64) -> EncodedObject { EncodedObject(["n": .int(number)]) }

    @Test func `calls are delivered one at a time and replies in order`() throws {
        var connection = ServerConnection()
        connection.receive(frame("a.A") + frame("a.B") + frame("a.C"))
        for (name, number) in [("a.A", Int64(1)), ("a.B", 2), ("a.C", 3)] {
            #expect(connection.next() == .call(Call(method: name)))
            #expect(connection.next() == nil)
            connection.reply(value(number))
        }
        #expect(connection.next() == nil)
        #expect(try sent(&connection).map { $0.parameters["n"]?.int } == [1, 2, 3])
    }

    @Test(arguments: 0..<100) func `splitting the input does not change the result`(seed: Int) {
        var random = Seeded(UInt64(seed))
        let modes: [Call.Mode] = [.single, .oneway, .more]
        var stream: [UInt8] = []
        for number in 0..<20 { stream += frame("a.M\(number)", mode: modes[Int.random(in: 0..<3, using: &random)]) }
        if seed % 4 == 0 { stream += bytes("{\"method\":1}\0") + frame("a.Never") }
        if seed % 4 == 1 { stream += bytes("{\"meth") }

        func run(_ chunks: [[UInt8]]) -> ([ServerConnection.Action], [UInt8]) {
            var connection = ServerConnection()
            var socket = SimulatedSocket(capacity: .max)
            var actions: [ServerConnection.Action] = []
            for chunk in chunks + [[]] {
                if chunk.isEmpty { connection.receiveEnd() } else { connection.receive(chunk) }
                while let action = connection.next() {
                    actions.append(action)
                    if connection.isStreaming { connection.reply(value(0), continues: true) }
                    connection.reply(value(1))
                    connection.write { socket.accept($0) }
                }
            }
            return (actions, socket.received)
        }
        let whole = run([stream])
        #expect(whole.0.count == 21)
        #expect(run(random.chunks(of: stream, upTo: 1)) == whole)
        #expect(run(random.chunks(of: stream, upTo: 60)) == whole)
    }

    @Test func `oneway calls get neither replies nor errors`() throws {
        var connection = ServerConnection()
        connection.receive(frame("a.A", mode: .oneway) + frame("a.B", mode: .oneway) + frame("a.C"))
        _ = connection.next()
        connection.reply(value(1), continues: true)
        #expect(connection.next() == .call(Call(method: "a.B", mode: .oneway)))
        connection.fail(.permissionDenied)
        #expect(connection.next() == .call(Call(method: "a.C")))
        connection.reply(value(3))
        #expect(try sent(&connection) == [Reply(parameters: ["n": 3])])
    }

    @Test func `a stream blocks later calls until it ends`() throws {
        var connection = ServerConnection()
        connection.receive(frame("a.Watch", mode: .more) + frame("a.B"))
        #expect(connection.next() == .call(Call(method: "a.Watch", mode: .more)))
        connection.reply(value(1), continues: true)
        #expect(connection.next() == nil)
        #expect(connection.isStreaming)
        connection.reply(value(2), continues: true)
        connection.reply(value(3))
        #expect(!connection.isStreaming)
        #expect(connection.next() == .call(Call(method: "a.B")))
        #expect(try sent(&connection).map(\.continues) == [true, true, false])
    }

    @Test func `an error ends a stream`() throws {
        var connection = ServerConnection()
        connection.receive(frame("a.Watch", mode: .more))
        _ = connection.next()
        connection.reply(value(1), continues: true)
        connection.fail(VarlinkError(name: "a.Gone"))
        #expect(!connection.isServing)
        connection.reply(value(2))
        #expect(
            try sent(&connection) == [
                Reply(parameters: ["n": 1], continues: true), Reply(error: VarlinkError(name: "a.Gone")),
            ])
    }

    @Test func `a call without more gets only one reply`() throws {
        var connection = ServerConnection()
        connection.receive(frame("a.Watch"))
        _ = connection.next()
        connection.reply(value(1), continues: true)
        #expect(connection.publish(value(2), counters: .counted) == false)
        #expect(try sent(&connection) == [Reply(parameters: ["n": 1])])
    }

    @Test func `each stream restarts its sequence numbers`() throws {
        var connection = ServerConnection()
        connection.receive(frame("a.Watch", mode: .more) + frame("a.Watch", mode: .more))
        for _ in 0..<2 {
            _ = connection.next()
            connection.publish(value(1), counters: .counted)
            connection.publish(value(2), counters: .counted)
            #expect(connection.updates == (2, 1))
            connection.reply()
        }
        let expected: [[String: JSONValue]] = [
            ["sequence": 2, "dropped": 1, "n": 2], [:], ["sequence": 2, "dropped": 1, "n": 2], [:],
        ]
        #expect(try sent(&connection).map(\.parameters) == expected)
    }

    @Test(arguments: ["x\0", "{}\0", "\0", "{\"method\":\"a.B\",\"more\":1}\0", "{\"method\":\"a.B\",\"id\":1}\0"])
    func `an invalid message closes the connection`(message: String) {
        var connection = ServerConnection()
        connection.receive(bytes(message) + frame("a.Never"))
        guard case .close(.violation) = connection.next() else {
            Issue.record("not closed")
            return
        }
        #expect(connection.next() == nil)
        #expect(!connection.wantsInput)
        connection.receive(frame("a.Never"))
        #expect(connection.next() == nil)
    }

    @Test func `calls before an invalid message are served`() throws {
        var connection = ServerConnection()
        connection.receive(frame("a.A") + bytes("oops\0"))
        #expect(connection.next() == .call(Call(method: "a.A")))
        connection.reply(value(1))
        guard case .close(.violation) = connection.next() else {
            Issue.record("not closed")
            return
        }
        #expect(try sent(&connection).count == 1)
    }

    @Test func `an overlong message closes the connection`() {
        var connection = ServerConnection(messageLimit: 64)
        connection.receive([UInt8](repeating: 0x20, count: 1000))
        #expect(connection.next() == nil)
        connection.receive([UInt8](repeating: 0x61, count: 65))
        #expect(connection.next() == .close(.messageTooLong(limit: 64)))
    }

    @Test func `a client that pipelines too many calls is throttled`() {
        var connection = ServerConnection(messageLimit: 200)
        connection.receive(frame("a.Slow"))
        _ = connection.next()
        var chunks = 0
        while connection.wantsInput {
            connection.receive(frame("a.Next"))
            chunks += 1
        }
        #expect((8...12).contains(chunks))
        for _ in 0..<chunks {
            connection.reply()
            #expect(connection.next() == .call(Call(method: "a.Next")))
        }
        #expect(connection.wantsInput)
    }

    @Test func `input memory is bounded if the owner keeps reading`() {
        var connection = ServerConnection(messageLimit: 200)
        connection.receive(frame("a.Slow"))
        _ = connection.next()
        for _ in 0..<100 { connection.receive(frame("a.Next")) }
        #expect(connection.next() == .close(.messageTooLong(limit: 200)))
    }

    @Test func `a client that never reads its replies is closed`() {
        var connection = ServerConnection(outputLimit: 1000)
        var action: ServerConnection.Action?
        for _ in 0..<1000 {
            connection.receive(frame("a.A"))
            action = connection.next()
            guard case .call = action else { break }
            connection.reply(value(1))
        }
        #expect(action == .close(.outputLimitExceeded(limit: 1000)))
    }

    @Test func `a client that never reads the replies of a stream must be closed`() {
        var connection = ServerConnection(outputLimit: 1000)
        connection.receive(Array("{\"method\":\"a.A\",\"more\":true}\0".utf8))
        _ = connection.next()
        var count = 0
        while !connection.mustClose, count < 1000 {
            connection.reply(value(1), continues: true)
            count += 1
        }
        #expect(count < 100 && connection.wantsOutput && !connection.isServing)
        #expect(connection.next() == .close(.outputLimitExceeded(limit: 1000)))
        #expect(!connection.mustClose)
    }

    @Test func `a half-closed client gets its replies before the close`() throws {
        var connection = ServerConnection()
        connection.receive(frame("a.A") + frame("a.B"))
        connection.receiveEnd()
        #expect(!connection.wantsInput)
        _ = connection.next()
        connection.reply(value(1))
        #expect(connection.next() == .call(Call(method: "a.B")))
        #expect(connection.next() == nil)
        connection.reply(value(2))
        #expect(connection.next() == nil)
        #expect(connection.wantsOutput)
        #expect(try sent(&connection).count == 2)
        #expect(connection.next() == .close(.finished))
    }

    @Test func `of a client that has closed the connection, the calls without a reply are returned`() throws {
        var connection = ServerConnection()
        connection.receive(frame("a.A") + frame("a.X") + frame("a.B", mode: .oneway) + frame("a.C"))
        _ = connection.next()
        connection.reply(value(1))
        #expect(connection.wantsOutput)
        connection.receiveHangup()
        #expect(!connection.wantsOutput)
        #expect(connection.next() == .call(Call(method: "a.B", mode: .oneway)))
        connection.reply(value(2))
        #expect(connection.next() == nil, "more may be unread")
        #expect(try sent(&connection).isEmpty)
        connection.receiveEnd()
        #expect(connection.next() == .close(.finished))
    }

    @Test func `a half-closed client keeps its stream`() throws {
        var connection = ServerConnection()
        connection.receive(frame("a.Watch", mode: .more) + bytes("\n"))
        connection.receiveEnd()
        _ = connection.next()
        for number in 1...3 {
            #expect(connection.publish(value(Int64(number)), counters: .counted) == true)
            #expect(try sent(&connection).count == 1)
            #expect(connection.next() == nil)
        }
    }

    @Test func `an end inside a message is reported`() {
        var connection = ServerConnection()
        connection.receive(bytes("{\"method\":\"a.B\"}"))
        connection.receiveEnd()
        #expect(connection.next() == .close(.truncatedMessage))
    }

    @Test func `an upgrade passes on the remaining bytes`() throws {
        var connection = ServerConnection()
        connection.receive(frame("a.Raw", mode: .upgrade) + bytes("$GP"))
        #expect(connection.next() == .call(Call(method: "a.Raw", mode: .upgrade)))
        #expect(!connection.wantsInput)
        connection.reply()
        connection.receive(bytes("GGA"))
        #expect(connection.next() == .upgraded(received: bytes("$GPGGA")))
        #expect(connection.next() == nil)
        #expect(try sent(&connection) == [Reply()])
    }

    @Test func `a rejected upgrade keeps the connection usable`() {
        var connection = ServerConnection()
        connection.receive(frame("a.Raw", mode: .upgrade) + frame("a.B"))
        _ = connection.next()
        connection.fail(.methodNotImplemented(method: "a.Raw"))
        #expect(connection.next() == .call(Call(method: "a.B")))
    }

    @Test func `a reply that cannot be encoded leaves the call open`() throws {
        var connection = ServerConnection()
        connection.receive(frame("a.A"))
        _ = connection.next()
        let method = Method<NoParameters, ParameterTests.Corner>(named: "a.A")
        #expect(throws: EncodingFailure.self) { try connection.reply(to: method, .init(latitude: .nan)) }
        #expect(connection.isServing)
        try connection.reply(to: method, .init(latitude: 1.5))
        #expect(try sent(&connection) == [Reply(parameters: ["latitude": 1.5])])
    }

    @Test(arguments: 0..<300) func `random bytes never trap`(seed: Int) {
        var random = Seeded(UInt64(seed))
        let alphabet = bytes("{}[]\",:\\\0\n truefalsnmethodparameters0123456789.-+eE") + [0xFF, 0xC3]
        var connection = ServerConnection(messageLimit: 256)
        for _ in 0..<40 {
            connection.receive((0..<20).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] })
            while let action = connection.next() { if case .call = action { connection.reply() } }
        }
    }
}
