import Chronology
import Testing

@Suite struct ExponentialBackoffTests {
    @Test func `the delay doubles up to the maximum and resets`() {
        var backoff = ExponentialBackoff()
        func next() -> Double { backoff.next(from: .milliseconds(250), max: .seconds(4)).seconds }
        let delays = (0..<7).map { _ in next() }
        #expect(delays == [0.25, 0.5, 1, 2, 4, 4, 4])
        backoff.reset()
        let first = next()
        #expect(first == 0.25)
    }

    @Test func `new bounds apply from the next delay on`() {
        var backoff = ExponentialBackoff()
        let delays = [280.0, 280, 40, 40].map { backoff.next(from: .seconds(30), max: .seconds($0)).seconds }
        #expect(delays == [30, 60, 40, 40])
    }
}
