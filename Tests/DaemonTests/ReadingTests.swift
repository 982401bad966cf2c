import Chronology
import Locator
import Receivers
import ServiceRuntime
import Testing

@testable import sextantd

/// Tests how often a port wakes the daemon: a receiver at 9600 baud sends ten lines per second.
@Suite struct ReadingTests {
    @Test func `immediate reads wake the daemon for every arrival of bytes`() throws {
        let stage = try PortStage(baud: 9600)
        try stage.wait(20)
        let figure = try stage.wakeupsPerEpoch(60)
        #expect(figure > 5 && stage.port.session.wakesOnData)
        // Some epochs end by the idle line, none later.
        #expect(stage.delays.allSatisfy { $0 <= .milliseconds(250) })
    }

    @Test func `each burst causes about one wakeup`() throws {
        let stage = try PortStage(baud: 9600)
        stage.port.setReadPolicy(.everyBurst, at: stage.now)
        try stage.wait(30)
        let figure = try stage.wakeupsPerEpoch(300)
        #expect(figure <= 1.3, "\(figure) wakeups per fix")
        #expect(stage.delays.count >= 299 && stage.delays.allSatisfy { $0 <= .milliseconds(250) })
    }

    @Test func `several bursts share one wakeup without a silent status`() throws {
        let stage = try PortStage(baud: 9600)
        stage.port.setReadPolicy(.interval(.seconds(5)), at: stage.now)
        try stage.wait(30)
        let figure = try stage.wakeupsPerEpoch(300)
        #expect(figure <= 0.7, "\(figure) wakeups per fix")
        #expect(stage.delays.count >= 295 && stage.statuses == [.open])
    }

    @Test func `a change to immediate reads takes effect at once`() throws {
        let stage = try PortStage(baud: 9600)
        stage.port.setReadPolicy(.everyBurst, at: stage.now)
        try stage.wait(30.8)
        #expect(!stage.port.session.wakesOnData && stage.port.watchedEvents == [])
        stage.port.setReadPolicy(.immediate, at: stage.now)
        #expect(stage.port.session.wakesOnData && stage.port.watchedEvents == .readable)
    }

    /// The target for measurements of the clock: one wakeup more than for a burst without them.
    @Test func `a timed burst causes one wakeup more, and its first byte is known`() throws {
        let stage = try PortStage(baud: 9600)
        stage.port.setReadPolicy(.everyBurst, at: stage.now)
        try stage.wait(30)
        let plain = try stage.wakeupsPerEpoch(60)
        stage.port.setReadPolicy(.timedBurst, at: stage.now)
        try stage.wait(2)
        stage.clearBurstStarts()
        let timed = try stage.wakeupsPerEpoch(60)
        #expect(timed <= plain + 1.01, "\(plain) and \(timed) wakeups per fix")
        #expect(stage.observedStarts.count >= 59)
        #expect(Set(stage.observedStarts).isSubset(of: stage.burstStarts))
        stage.port.setReadPolicy(.everyBurst, at: stage.now)
        #expect(try stage.wakeupsPerEpoch(60) <= plain + 0.1)
    }

    @Test func `the first byte of a burst that stayed in the kernel is unknown`() throws {
        let stage = try PortStage(baud: 9600)
        stage.port.setReadPolicy(.everyBurst, at: stage.now)
        try stage.wait(30)
        stage.clearBurstStarts()
        while stage.burstStarts.isEmpty { try stage.wait(0.01) }
        // In the middle of a burst.
        try stage.wait(0.1)
        stage.port.setReadPolicy(.timedBurst, at: stage.now)
        let before = stage.epochs
        while stage.epochs == before { try stage.wait(0.01) }
        #expect(stage.observedStarts.isEmpty)
        try stage.wait(1)
        #expect(stage.observedStarts.count == 1)
    }
}
