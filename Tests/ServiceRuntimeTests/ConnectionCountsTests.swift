import Chronology
import Testing

@testable import ServiceRuntime

@Suite struct ConnectionCountsTests {
    private static let perSecond = 100
    private static let maxHeld = 32 << 20
    private static let half = maxHeld / 2

    private let counts = ConnectionCounts<UInt32>(
        ServerLimits(
            connectionsPerUser: 10, connections: 100, newPerSecond: perSecond, heldBytesPerUser: maxHeld,
            messageLength: 1000, exemptsAdministrator: true))

    private func admitted(_ counts: inout ConnectionCounts<UInt32>, user: UInt32, seconds: Double) -> Int {
        (0..<1000).count { _ in counts.admits(user, at: .zero + .seconds(seconds)) }
    }

    @Test func `the connections of one user are limited at once and per second`() {
        var counts = counts
        #expect(admitted(&counts, user: 1000, seconds: 1) == 2 * Self.perSecond)
        #expect(admitted(&counts, user: 1000, seconds: 1.5) == Self.perSecond / 2)
        #expect(admitted(&counts, user: 1000, seconds: 100) == 2 * Self.perSecond)
    }

    @Test func `one user does not use up the connections of another`() {
        var counts = counts
        #expect(admitted(&counts, user: 1000, seconds: 1) == 2 * Self.perSecond)
        #expect(admitted(&counts, user: 1001, seconds: 1) == 2 * Self.perSecond)
        #expect(admitted(&counts, user: 1000, seconds: 1) == 0)
    }

    @Test func `the administrator has no limit`() {
        var counts = counts
        #expect(admitted(&counts, user: 0, seconds: 1) == 1000)
    }

    @Test func `the bytes of a user are limited over all connections`() {
        var counts = counts
        let half = Self.half
        let isWithin = [(0, half), (0, half - 1), (half - 1, half)].map {
            counts.changeHeldBytes(of: 1000, from: $0, to: $1)
        }
        #expect(isWithin == [true, true, true] && counts.heldBytes(of: 1000) == Self.maxHeld)
        let others = (
            counts.changeHeldBytes(of: 1001, from: 0, to: 1), counts.changeHeldBytes(of: 1000, from: 0, to: 1)
        )
        #expect(others == (true, false), "the limit is that of one user")
        let isLess = counts.changeHeldBytes(of: 1000, from: half, to: half - 1)
        #expect(isLess, "a connection that shrinks is not closed")
    }

    @Test func `user 0 has no limit, and nothing remains of closed connections`() {
        var counts = counts
        let isWithin = counts.changeHeldBytes(of: 0, from: 0, to: 3 * Self.maxHeld)
        _ = counts.changeHeldBytes(of: 0, from: 3 * Self.maxHeld, to: 0)
        #expect(isWithin && counts.heldBytes(of: 0) == 0)
    }
}
