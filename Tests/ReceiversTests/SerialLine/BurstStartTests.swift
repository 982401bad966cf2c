import Chronology
import Locator
import Testing

@testable import Receivers

/// When the first byte of a burst arrived.
@Suite struct BurstStartTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test func `a burst begins after a pause in which the port was watched`() {
        var start = BurstStart()
        start.recordArrival(at: at(1000))
        #expect(start.instant == nil, "bytes may have waited before the port was watched")
        start.recordArrival(at: at(1079))
        #expect(start.instant == nil)
        start.recordArrival(at: at(1159))
        #expect(start.instant == at(1159))
        for time in stride(from: Int64(1160), to: 1600, by: 20) { start.recordArrival(at: at(time)) }
        #expect(start.instant == at(1159), "the same burst")
    }

    @Test func `bytes that arrive unnoticed begin no burst`() {
        var start = BurstStart()
        start.watch(at: at(0))
        start.recordArrival(at: at(100))
        #expect(start.instant == at(100))
        start.ignore()
        start.recordUnnoticed(at: at(1100))
        #expect(start.instant == nil)
        // The rest of the same burst.
        start.watch(at: at(1100))
        start.recordArrival(at: at(1150))
        #expect(start.instant == nil)
        start.recordArrival(at: at(2000))
        #expect(start.instant == at(2000))
    }

    @Test func `bytes that waited when the port is watched again begin no burst`() {
        var start = BurstStart()
        start.recordUnnoticed(at: at(0))
        start.ignore()
        start.watch(at: at(500))
        start.recordArrival(at: at(501))
        #expect(start.instant == nil)
    }

    @Test func `a burst left in the kernel keeps its beginning until it is read`() {
        var schedule = ReadSchedule()
        schedule.setPolicy(.timedBurst, at: at(0))
        schedule.beginRead(at: at(0))
        schedule.read(60, closed: 0, isOpen: true, at: at(0))
        schedule.beginRead(at: at(70))
        schedule.read(60, closed: 1, isOpen: false, at: at(70))
        // The first burst whose length is known is the first one left in the kernel.
        let isLeft = schedule.shouldDeferRead(at: at(1000))
        #expect(isLeft && schedule.deadline == at(1095))
        schedule.beginRead(at: at(1095))
        #expect(schedule.burstStart == at(1000))
        schedule.read(120, closed: 1, isOpen: false, at: at(1095))
        #expect(schedule.wakesOnData, "each burst is observed")
    }
}
