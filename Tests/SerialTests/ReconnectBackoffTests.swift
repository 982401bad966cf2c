import Chronology
import Testing

@testable import Serial

@Suite struct ReconnectBackoffTests {
    @Test func doublesUpToFourSecondsAndStartsOver() {
        var backoff = ReconnectBackoff()
        let waits = (0..<7).map { _ in backoff.next().seconds }
        #expect(waits == [0.25, 0.5, 1, 2, 4, 4, 4])
        backoff.reset()
        let first = backoff.next()
        #expect(first.seconds == 0.25)
    }
}
