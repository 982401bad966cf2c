import Chronology
import Testing

@testable import sextantd

@Suite struct ConnectionRateTests {
    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    private func admitted(_ rate: inout ConnectionRate, user: UInt32, seconds: Double) -> Int {
        (0..<1000).count { _ in rate.admits(user: user, at: at(seconds)) }
    }

    @Test func `the connections of one user are limited at once and per second`() {
        var rate = ConnectionRate()
        #expect(admitted(&rate, user: 1000, seconds: 1) == ConnectionRate.burst)
        #expect(admitted(&rate, user: 1000, seconds: 1.5) == ConnectionRate.perSecond / 2)
        #expect(admitted(&rate, user: 1000, seconds: 100) == ConnectionRate.burst)
    }

    @Test func `one user does not use up the connections of another`() {
        var rate = ConnectionRate()
        #expect(admitted(&rate, user: 1000, seconds: 1) == ConnectionRate.burst)
        #expect(admitted(&rate, user: 1001, seconds: 1) == ConnectionRate.burst)
        #expect(admitted(&rate, user: 1000, seconds: 1) == 0)
    }

    @Test func `the administrator has no limit`() {
        var rate = ConnectionRate()
        #expect(admitted(&rate, user: 0, seconds: 1) == 1000)
    }
}
