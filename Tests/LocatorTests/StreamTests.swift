import Chronology
import Locator
import Positioning
import Testing

@Suite struct StreamTests {
    @Test func `without a receiver the first update is noReceiver`() {
        var stage = Stage()
        stage.subscribe(1)
        #expect(stage.takeUpdates(1) == ["noReceiver"])
    }

    @Test(arguments: [
        (PortStatus.absent("/dev/tty1 does not exist", lost: false), "noReceiver"),
        (.absent("unplugged", lost: true), "receiverLost"),
        (.denied("no permission"), "permissionDenied"), (.busy("held by gpsd"), "portBusy"),
        (.detectingBaudRate("no sense yet"), "starting"),
        (.open, "starting"),
    ])
    func `the first update follows the status of the port`(status: PortStatus, cause: String) {
        var stage = Stage()
        stage.attach(1, status: status)
        stage.subscribe(1)
        #expect(stage.takeUpdates(1) == [cause])
    }

    @Test func `the first update is the position if there is one`() {
        var stage = Stage()
        stage.attach(1)
        stage.fixes(1, from: 0, seconds: 3)
        stage.subscribe(1)
        #expect(stage.takeUpdates(1) == ["tty1"])
    }

    @Test func `fixes reach the stream`() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1)
        stage.fixes(1, from: 0, seconds: 4)
        #expect(stage.takeUpdates(1) == ["starting", "tty1", "tty1", "tty1", "tty1"])
    }

    @Test func `each epoch is one effect for any number of streams`() {
        var stage = Stage()
        stage.attach(1)
        stage.fixes(1, from: 0, seconds: 4)
        stage.noFix(1)
        stage.wait(1)
        let epochs = stage.effects.compactMap { effect in
            if case .receiver(.epoch(_, let fix)) = effect { fix.coordinate != nil } else { nil }
        }
        #expect(epochs == [true, true, true, true, false])
    }

    /// One encoding serves all streams with equal updates.
    @Test func `streams with equal updates share one effect`() {
        var stage = Stage()
        stage.attach(1)
        for stream in 1...3 { stage.subscribe(stream) }
        stage.clearEffects()
        stage.fix(1, second: 0)
        stage.wait(1)
        let published = stage.effects.compactMap { effect in
            if case .request(.publish(_, let streams)) = effect { streams.map(\.rawValue) } else { nil }
        }
        #expect(published == [[1, 2, 3]])
    }

    @Test func `each stream has its own rate`() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1, configuration: .default)
        stage.subscribe(2, configuration: .fitness)
        stage.clearEffects()
        stage.fixes(1, from: 0, seconds: 10)
        let published = stage.effects.compactMap { effect in
            if case .request(.publish(_, let streams)) = effect { streams.map(\.rawValue) } else { nil }
        }
        #expect(published == [[1, 2], [2], [2], [2], [2], [1, 2], [2], [2], [2], [2]])
    }

    @Test func `a cancelled stream gets no further updates`() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1)
        stage.fixes(1, from: 0, seconds: 2)
        stage.locator.cancel([RequestID(1)])
        #expect(stage.locator.requests.streamCount == 0)
        stage.clearEffects()
        stage.fixes(1, from: 2, seconds: 2)
        stage.set(.absent("unplugged", lost: true), of: 1)
        #expect(stage.takeUpdates(1) == [])
    }
}
