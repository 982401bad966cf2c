import Testing

@testable import Geofencing

@Suite struct EvaluationScheduleTests {
    /// Without a fix, a client may add and remove conditions for days.
    @Test func `removed conditions use no memory while another waits for its evaluation`() {
        var schedule = EvaluationSchedule()
        schedule.add(0, state: .unknown)
        var largest = 0
        for _ in 0..<10_000 {
            schedule.add(1, state: .unknown)
            schedule.remove(1)
            schedule.removeStaleEntries(limit: 66)
            largest = max(largest, schedule.unevaluated.count)
        }
        #expect(schedule.hasUnevaluated && largest <= 66)
        #expect(schedule.takeNext(influenceDistance: 0) == 0)
    }
}
