import Testing

@testable import Varlink

/// A socket that accepts as many bytes as the test allows.
struct SimulatedSocket {
    /// The number of bytes that it still accepts.
    var capacity = 0
    private(set) var received: [UInt8] = []

    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Int {
        let count = min(capacity, bytes.count)
        received += bytes.prefix(count)
        capacity -= count
        return count
    }

    /// The complete messages that have arrived.
    var replies: [Reply] {
        get throws {
            var framer = MessageFramer(limit: 1 << 20)
            framer.append(received)
            var replies: [Reply] = []
            while let message = try framer.next() { replies.append(try Reply(parsing: message)) }
            return replies
        }
    }
}

@Suite struct OutboxTests {
    private func update(_ number: Int) -> EncodedObject { EncodedObject(["n": .int(Int64(number))]) }

    private func numbers(_ reply: Reply) -> [Int64?] { ["sequence", "dropped", "n"].map { reply.parameters[$0]?.int } }

    @Test func `replies keep their order through small writes`() throws {
        var outbox = Outbox()
        var socket = SimulatedSocket()
        for number in 0..<50 { try outbox.append(ReplyFrame.assemble(shared: update(number), continues: false)) }
        while !outbox.isEmpty {
            socket.capacity = 7
            _ = outbox.write { socket.accept($0) }
        }
        #expect(try socket.replies.map { $0.parameters["n"]?.int } == (0..<50).map { Int64($0) })
    }

    @Test func `a fast reader receives every update`() throws {
        var outbox = Outbox()
        var socket = SimulatedSocket()
        for number in 1...1000 {
            outbox.publish(update(number), counters: .counted)
            socket.capacity = 1000
            let isEmpty = outbox.write { socket.accept($0) }
            #expect(isEmpty)
        }
        #expect(try socket.replies.map(numbers) == (1...1000).map { [$0, 0, $0] })
    }

    @Test func `ordered updates are queued in order`() throws {
        var outbox = Outbox()
        var socket = SimulatedSocket(capacity: 10)
        outbox.publish(update(1), counters: .counted)
        for number in 2...512 { outbox.publishInOrder(update(number)) }
        let isEmpty = outbox.write { socket.accept($0) }
        #expect(!isEmpty)
        while !outbox.isEmpty {
            socket.capacity = 100
            _ = outbox.write { socket.accept($0) }
        }
        #expect(try socket.replies.map(numbers) == (1...512).map { [$0, 0, $0] })
    }

    @Test func `ordered updates for a client that never reads are bounded`() throws {
        var outbox = Outbox()
        var socket = SimulatedSocket()
        for number in 1...50_000 { outbox.publishInOrder(update(number)) }
        #expect(outbox.byteCount <= Outbox.orderedLimit + 1024 && outbox.dropped > 0)
        while !outbox.isEmpty {
            socket.capacity = 1 << 20
            _ = outbox.write { socket.accept($0) }
        }
        let delivered = try socket.replies.map(numbers)
        let last = try #require(delivered.last)
        #expect(last == [50_000, Int64(outbox.dropped), 50_000] && delivered.count + outbox.dropped == 50_000)
    }

    @Test func `a paused reader gets the started update and then the newest`() throws {
        var outbox = Outbox()
        var socket = SimulatedSocket(capacity: 10)
        for number in 1...500 {
            outbox.publish(update(number), counters: .counted)
            _ = outbox.write { socket.accept($0) }
        }
        #expect(outbox.dropped == 498)
        #expect(outbox.byteCount < 100)
        socket.capacity = .max
        let isEmpty = outbox.write { socket.accept($0) }
        #expect(isEmpty)
        #expect(try socket.replies.map(numbers) == [[1, 0, 1], [500, 498, 500]])
    }

    @Test func `an unsent update is replaced by a newer one`() throws {
        var outbox = Outbox()
        var socket = SimulatedSocket()
        for number in 1...3 {
            outbox.publish(update(number), counters: .counted)
            let isEmpty = outbox.write { socket.accept($0) }
            #expect(!isEmpty)
        }
        socket.capacity = .max
        _ = outbox.write { socket.accept($0) }
        #expect(try socket.replies.map(numbers) == [[3, 2, 3]])
    }

    @Test(arguments: [0, 1, 20, 47, 48, 49, 60, 95, 96, 97, 150, 200, 230, 1000], [false, true])
    func `updates whose sending has not begun are discarded`(sent: Int, isPublishing: Bool) throws {
        var outbox = Outbox()
        var socket = SimulatedSocket()
        try outbox.append(ReplyFrame.assemble(shared: update(0), continues: false))
        outbox.beginStream()
        for number in 1...5 { outbox.publishInOrder(update(number)) }
        outbox.publish(update(6), counters: .counted)
        socket.capacity = sent
        _ = outbox.write { socket.accept($0) }
        if isPublishing {
            // Another update compacts the buffer, which then begins inside a frame.
            outbox.publishInOrder(update(8))
        }
        outbox.discardUpdates()
        let dropped = outbox.dropped
        outbox.publishInOrder(update(7))
        socket.capacity = 1 << 20
        #expect(outbox.write { socket.accept($0) })
        let replies = try socket.replies
        #expect(replies.first?.parameters["n"] == 0, "the reply to an earlier call is sent")
        let updates = replies.dropFirst().compactMap { $0.parameters["n"]?.int }
        let published: [Int64] = isPublishing ? [1, 2, 3, 4, 5, 6, 8] : [1, 2, 3, 4, 5, 6]
        #expect(updates == published.dropLast(dropped) + [7], "\(updates), \(dropped) dropped")
        #expect(replies.last?.parameters["sequence"]?.int == Int64(published.count) + 1)
        #expect(replies.last?.parameters["dropped"]?.int == Int64(dropped))
        #expect(sent == 1000 ? dropped == published.count - 6 : dropped > 0)
    }

    @Test func `a reply is queued after the pending update`() throws {
        var outbox = Outbox()
        var socket = SimulatedSocket(capacity: .max)
        outbox.publish(update(1), counters: .none)
        try outbox.append(ReplyFrame.assemble(shared: update(2), continues: false))
        _ = outbox.write { socket.accept($0) }
        #expect(try socket.replies == [Reply(parameters: ["n": 1], continues: true), Reply(parameters: ["n": 2])])
    }

    @Test func `queued replies are bounded`() throws {
        var outbox = Outbox(limit: 100)
        try outbox.append([UInt8](repeating: 1, count: 60))
        #expect(throws: Outbox.Overflow(limit: 100)) { try outbox.append([UInt8](repeating: 2, count: 41)) }
        try outbox.append([UInt8](repeating: 3, count: 40))
        #expect(outbox.byteCount == 100)
    }

    @Test func `a socket error is rethrown`() throws {
        struct Broken: Error {}
        var outbox = Outbox()
        outbox.publish(update(1), counters: .none)
        #expect(throws: Broken.self) { try outbox.write { _ throws(Broken) in throw Broken() } }
        var socket = SimulatedSocket(capacity: .max)
        _ = outbox.write { socket.accept($0) }
        #expect(try socket.replies.count == 1)
    }

    @Test func `an invalid write count is clamped`() {
        var outbox = Outbox()
        outbox.publish(update(1), counters: .none)
        #expect(outbox.write { _ in -5 } == false)
        #expect(outbox.write { _ in .max } == true)
        #expect(outbox.isEmpty)
    }

    /// For any behaviour of the reader, messages stay whole and in order, the last update arrives,
    /// and every update arrives or is counted.
    @Test(arguments: 0..<200) func `every update arrives or is counted as dropped`(seed: Int) throws {
        var random = Seeded(UInt64(seed))
        var outbox = Outbox()
        var socket = SimulatedSocket()
        let last = Int.random(in: 1...300, using: &random)
        for number in 1...last {
            outbox.publish(update(number), counters: .counted)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                if Bool.random(using: &random) { socket.capacity += Int.random(in: 0...90, using: &random) }
                _ = outbox.write { socket.accept($0) }
            }
        }
        socket.capacity = .max
        _ = outbox.write { socket.accept($0) }
        let delivered = try socket.replies.map(numbers)
        #expect(delivered.last == [Int64(last), Int64(last - delivered.count), Int64(last)])
        for (index, update) in delivered.enumerated() {
            #expect(update[0] == update[2])
            #expect(update[0].flatMap { sequence in update[1].map { sequence - $0 } } == Int64(index + 1))
        }
    }
}
