import Chronology
import Delivery
import Locator
import ReceiverSessions
import SerialLine
import Systemd
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
        print("at once: \(figure) wakeups per fix")
    }

    @Test func `each burst causes about one wakeup`() throws {
        let stage = try PortStage(baud: 9600)
        stage.port.setReadPolicy(.everyBurst)
        try stage.wait(30)
        let figure = try stage.wakeupsPerEpoch(300)
        #expect(figure <= 1.3, "\(figure) wakeups per fix")
        #expect(stage.delays.count >= 299 && stage.delays.allSatisfy { $0 <= .milliseconds(250) })
        print("every burst: \(figure) wakeups per fix")
    }

    @Test func `several bursts share one wakeup without a silent status`() throws {
        let stage = try PortStage(baud: 9600)
        stage.port.setReadPolicy(.interval(.seconds(5)))
        try stage.wait(30)
        let figure = try stage.wakeupsPerEpoch(300)
        #expect(figure <= 0.7, "\(figure) wakeups per fix")
        #expect(stage.delays.count >= 295 && stage.statuses == [.open])
        print("every five seconds: \(figure) wakeups per fix")
    }

    @Test func `a change to immediate reads takes effect at once`() throws {
        let stage = try PortStage(baud: 9600)
        stage.port.setReadPolicy(.everyBurst)
        try stage.wait(30.8)
        #expect(!stage.port.session.wakesOnData && stage.port.watchedEvents == [])
        stage.port.setReadPolicy(.immediate)
        #expect(stage.port.session.wakesOnData && stage.port.watchedEvents == .readable)
    }
}
