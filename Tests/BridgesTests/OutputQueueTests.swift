import Bridges
import Chronology
import Testing

@Suite struct OutputQueueTests {
    @Test func `a full queue drops whole pieces, and what was begun is completed`() {
        var queue = OutputQueue()
        var sent: [UInt8] = []
        let piece = [UInt8](repeating: 65, count: 999) + [10]
        for _ in 0..<200 { queue.append(piece, at: .zero) }
        #expect(queue.dropped > 100)
        queue.write(at: .zero) { bytes in
            let count = min(bytes.count, 1500 - sent.count)
            sent += bytes[..<count]
            return count
        }
        queue.append(piece, at: .zero)
        queue.write(at: .zero) { bytes in
            sent += bytes
            return bytes.count
        }
        #expect(sent.count % 1000 == 0)
        #expect(sent.enumerated().allSatisfy { ($0.offset % 1000 == 999) == ($0.element == 10) })
        #expect(queue.isEmpty)
    }

    @Test func `only a full queue without progress for 30 s is stalled`() {
        var queue = OutputQueue()
        let now = Instant.zero + .seconds(100)
        queue.append([1], at: now)
        #expect(!queue.isStalled(at: now + .seconds(60)))
        for _ in 0..<3 { queue.append([UInt8](repeating: 0, count: 40_000), at: now) }
        #expect(!queue.isStalled(at: now + .seconds(29)))
        #expect(queue.isStalled(at: now + .seconds(30)))
        queue.write(at: now + .seconds(30)) { _ in 1 }
    }
}
