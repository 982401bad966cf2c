import Chronology
import Delivery
import Locator
import Serial
import Systemd
import Testing

@testable import sextantd

/// How often a port wakes the daemon: a receiver at 9,600 baud that sends ten lines a second.
@Suite struct ReadingTests {
    @Test func whoWantsBytesAtOnceIsWokenByEach() throws {
        let stage = try PortStage(baud: 9600)
        try stage.wait(20)
        let figure = try stage.wakeupsPerEpoch(60)
        #expect(figure > 5 && stage.port.schedule.watches)
        // Some epochs end by the line's silence, none later.
        #expect(stage.delays.allSatisfy { $0 <= .milliseconds(250) })
        print("at once: \(figure) wakeups per fix")
    }

    @Test func everyBurstIsOneWakeup() throws {
        let stage = try PortStage(baud: 9600)
        stage.port.setPace(.everyBurst)
        try stage.wait(30)
        let figure = try stage.wakeupsPerEpoch(300)
        #expect(figure <= 1.3, "\(figure) wakeups per fix")
        #expect(stage.delays.count >= 299 && stage.delays.allSatisfy { $0 <= .milliseconds(250) })
        print("every burst: \(figure) wakeups per fix")
    }

    @Test func severalBurstsAreOneWakeupAndNoSilence() throws {
        let stage = try PortStage(baud: 9600)
        stage.port.setPace(.atMostEvery(.seconds(5)))
        try stage.wait(30)
        let figure = try stage.wakeupsPerEpoch(300)
        #expect(figure <= 0.7, "\(figure) wakeups per fix")
        #expect(stage.delays.count >= 295 && stage.statuses == [.open])
        print("every five seconds: \(figure) wakeups per fix")
    }

    @Test func hasteTakesEffectAtOnce() throws {
        let stage = try PortStage(baud: 9600)
        stage.port.setPace(.everyBurst)
        try stage.wait(30.8)
        #expect(!stage.port.schedule.watches && stage.port.driving.watched == [])
        stage.port.setPace(.atOnce)
        #expect(stage.port.schedule.watches && stage.port.driving.watched == .readable)
    }
}
