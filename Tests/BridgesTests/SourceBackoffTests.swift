import Bridges
import Chronology
import Testing

/// When an inlet connects again.
@Suite struct SourceBackoffTests {
    @Test func `a server that closes each connection after a byte is asked ever less often`() {
        var backoff = SourceBackoff()
        let delays = (0..<7).map { _ in
            backoff.recordSentences(0)
            return backoff.end().seconds
        }
        #expect(delays == [1, 2, 4, 8, 16, 30, 30])
    }

    @Test func `a connection with sentences is opened again soon`() {
        var backoff = SourceBackoff()
        for _ in 0..<6 { _ = backoff.end() }
        for _ in 0..<10 { backoff.recordSentences(1) }
        #expect(backoff.isWorking && backoff.end() == .seconds(1))
        // The next connection must show it again.
        backoff.recordSentences(9)
        #expect(!backoff.isWorking && backoff.end() == .seconds(2))
        backoff.recordSentences(.max)
        #expect(backoff.isWorking && backoff.end() == .seconds(1))
    }
}
