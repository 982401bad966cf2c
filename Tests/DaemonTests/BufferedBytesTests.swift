import Testing

@testable import sextantd

@Suite struct BufferedBytesTests {
    private static let half = BufferedBytes.maxPerUser / 2

    @Test func `the bytes of a user are limited over all connections`() {
        var bytes = BufferedBytes()
        let half = BufferedBytesTests.half
        let isWithin = [(0, half), (0, half - 1), (half - 1, half)].map { bytes.change(of: 1000, from: $0, to: $1) }
        #expect(isWithin == [true, true, true] && bytes[1000] == BufferedBytes.maxPerUser)
        let others = (bytes.change(of: 1001, from: 0, to: 1), bytes.change(of: 1000, from: 0, to: 1))
        #expect(others == (true, false), "the limit is that of one user")
        let isLess = bytes.change(of: 1000, from: half, to: half - 1)
        #expect(isLess, "a connection that shrinks is not closed")
    }

    @Test func `user 0 has no limit, and nothing remains of closed connections`() {
        var bytes = BufferedBytes()
        let isWithin = bytes.change(of: 0, from: 0, to: 3 * BufferedBytes.maxPerUser)
        _ = bytes.change(of: 0, from: 3 * BufferedBytes.maxPerUser, to: 0)
        #expect(isWithin && bytes[0] == 0)
    }
}
