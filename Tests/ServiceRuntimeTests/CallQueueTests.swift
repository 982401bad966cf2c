import ServiceRuntime
import Testing

@Suite struct CallQueueTests {
    private func order(_ queue: CallQueue) -> [Int] {
        var queue = queue
        var order: [Int] = []
        while let session = queue.popFirst() { order.append(session) }
        return order
    }

    @Test func `users take turns however many sessions they have`() {
        var queue = CallQueue()
        for session in 1...6 { queue.append(session, user: 1000) }
        queue.append(7, user: 1001)
        queue.append(8, user: 1001)
        queue.append(9, user: 1002)
        #expect(order(queue) == [1, 7, 9, 2, 8, 3, 4, 5, 6])
    }

    @Test func `a session waits once and then behind the others of its user`() {
        var queue = CallQueue()
        for session in [1, 2, 1, 1] { queue.append(session, user: 1000) }
        let first = queue.popFirst()
        #expect(first == 1)
        queue.append(1, user: 1000)
        #expect(order(queue) == [2, 1])
    }

    @Test func `a session that has ended is not served`() {
        var queue = CallQueue()
        for session in 1...3 { queue.append(session, user: 1000) }
        queue.append(4, user: 1001)
        queue.remove(2, user: 1000)
        queue.remove(4, user: 1001)
        queue.remove(9, user: 1002)
        #expect(order(queue) == [1, 3])
        queue.remove(1, user: 1000)
        queue.remove(3, user: 1000)
        #expect(queue.isEmpty && order(queue).isEmpty)
    }
}
