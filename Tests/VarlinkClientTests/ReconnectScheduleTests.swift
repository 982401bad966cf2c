import Chronology
import Testing

@testable import VarlinkClient

@Suite struct ReconnectScheduleTests {
    private let start = Instant.zero + .seconds(100)

    /// Returns the delays of attempts that all fail at once.
    private func delays(_ schedule: inout ReconnectSchedule, from start: Instant) -> [Double] {
        var now = start
        var delays: [Double] = []
        while let next = schedule.recordLoss(at: now) {
            delays.append((next - now).seconds)
            now = next
        }
        return delays
    }

    @Test func `delays double up to five seconds, and the call fails after thirty`() {
        var schedule = ReconnectSchedule(limits: .init(), at: start)
        #expect(schedule.deadline == start + .seconds(30))
        let delays = delays(&schedule, from: start)
        #expect(delays.prefix(6) == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2])
        #expect(delays.dropFirst(6).dropLast().allSatisfy { $0 == 5 })
        #expect(abs(delays.reduce(0, +) - 30) < 1e-6, "the last attempt is at the end")
    }

    @Test func `a daemon that starts at the last moment has time to answer`() {
        var schedule = ReconnectSchedule(limits: .init(), at: start)
        let end = start + .seconds(30)
        schedule.recordConnection(at: end)
        #expect(schedule.deadline == end + .seconds(5))
        let next = schedule.recordLoss(at: end + .seconds(1))
        #expect(next == nil, "it has lost the connection after the end")
    }

    @Test func `a call that persists tries for as long again`() {
        var schedule = ReconnectSchedule(limits: .init(), at: start)
        _ = delays(&schedule, from: start)
        let next = schedule.restart(at: start + .seconds(30))
        #expect(next == start + .seconds(35) && schedule.deadline == next + .seconds(30))
    }

    @Test func `the time without an answer begins with the loss of an answered connection`() {
        var schedule = ReconnectSchedule(limits: .init(), at: start)
        schedule.recordReply(at: start + .seconds(1))
        #expect(schedule.deadline == nil, "a stream at rest waits for as long as it is open")
        let loss = start + .seconds(3600)
        let next = schedule.recordLoss(at: loss)
        #expect(next == loss + .milliseconds(100))
        #expect(schedule.deadline == loss + .seconds(30))
    }

    @Test func `a daemon that ends after each answer is not called at full speed`() throws {
        var schedule = ReconnectSchedule(limits: .init(), at: start)
        var now = start
        for delay in [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5] {
            schedule.recordReply(at: now)
            let loss = schedule.recordLoss(at: now)
            let next = try #require(loss)
            #expect((next - now).seconds == delay)
            now = next
        }
        schedule.recordReply(at: now)
        now = now + .seconds(5)
        let loss = schedule.recordLoss(at: now)
        let next = try #require(loss)
        #expect((next - now).seconds == 0.1, "a connection that lasts clears the failures")
    }
}
