import Chronology
import Locator
import TestSupport
import Testing

@Suite struct SeveralReceiversTests {
    /// Two receivers that fix in turn, 0.2 s apart.
    private func both(_ stage: inout Stage, from second: Int, seconds: Int, hdop: (Double, Double) = (1, 1)) {
        for index in second..<(second + seconds) {
            stage.fix(1, second: index, hdop: hdop.0)
            stage.wait(0.2)
            stage.fix(2, second: index, hdop: hdop.1)
            stage.wait(0.8)
        }
    }

    private func stage() -> Stage {
        var stage = Stage()
        stage.attach(1)
        stage.attach(2)
        // The simulated device does not move.
        stage.subscribe(1, options: StreamOptions(pausesWhenStationary: false))
        _ = stage.takeUpdates(1)
        return stage
    }

    /// The primary receiver stays for a while even beside a better one, to avoid constant changes.
    @Test func `the primary receiver stays for the first seconds`() {
        var stage = stage()
        both(&stage, from: 0, seconds: 5, hdop: (2, 1))
        #expect(stage.takeUpdates(1) == ["tty1", "tty1", "tty1", "tty1", "tty1"])
    }

    /// Half the accuracy radius for ten seconds makes the other receiver primary.
    @Test func `a better receiver takes over after ten seconds`() {
        var stage = stage()
        both(&stage, from: 0, seconds: 20, hdop: (2, 1))
        #expect(stage.times(1) == (0..<20).map(Double.init), "one update for each epoch, in order")
        let updates = stage.takeUpdates(1)
        let change = updates.firstIndex(of: "tty2") ?? 0
        #expect((10...13).contains(change) && !updates[change...].contains("tty1"), "\(updates)")
    }

    @Test func `the standby receiver takes over when the primary falls silent`() {
        var stage = stage()
        both(&stage, from: 0, seconds: 3)
        _ = stage.takeUpdates(1)
        stage.fixes(2, from: 3, seconds: 5)
        let updates = stage.takeUpdates(1)
        #expect(Set(updates) == ["tty2"])
        #expect(updates.count >= 3)
    }

    @Test func `the standby receiver takes over at once after unplugging`() {
        var stage = stage()
        both(&stage, from: 0, seconds: 3)
        _ = stage.takeUpdates(1)
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.fixes(2, from: 3, seconds: 2)
        #expect(stage.takeUpdates(1) == ["tty2", "tty2"])
    }

    @Test func `a stream that was interrupted gets nothing older than before`() {
        var stage = stage()
        both(&stage, from: 0, seconds: 3)
        stage.fixes(1, from: 3, seconds: 2)
        stage.locator.cancel([RequestID(1)], isInterruption: true)
        stage.clearEffects()
        stage.subscribe(1, options: StreamOptions(pausesWhenStationary: false))
        #expect(stage.times(1) == [4])
        stage.locator.cancel([RequestID(1)], isInterruption: true)
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.clearEffects()
        for number in [1, 2] { stage.subscribe(number, options: StreamOptions(pausesWhenStationary: false)) }
        #expect(stage.times(1) == [] && stage.times(2) == [2])
        #expect(stage.takeUpdates(1) == ["starting"])
        stage.fix(2, second: 5)
        stage.wait(0.5)
        #expect(stage.times(1) == [5])
        // The number of a stream that has ended is that of a new one.
        stage.locator.cancel([RequestID(1)], isInterruption: true)
        stage.locator.cancel([RequestID(1)])
        stage.clearEffects()
        stage.subscribe(1)
        #expect(stage.times(1) == [5])
    }

    /// After two epochs without the primary receiver, the last position of the successor is
    /// published before its next fix.
    @Test func `no more than two epochs are missed`() {
        var stage = stage()
        both(&stage, from: 0, seconds: 3)
        stage.fixes(2, from: 3, seconds: 1)
        stage.clearEffects()
        stage.fix(2, second: 4)
        stage.wait(0.5)
        #expect(stage.times(1) == [4])
        #expect(stage.takeUpdates(1) == ["tty2"])
    }

    /// The primary receiver continues to send without a fix. This counts as silence and is not
    /// published to the stream.
    @Test func `the standby receiver takes over when the fix is lost`() {
        var stage = stage()
        both(&stage, from: 0, seconds: 3)
        stage.clearEffects()
        for second in 3..<6 {
            stage.noFix(1)
            stage.wait(0.2)
            stage.fix(2, second: second)
            stage.wait(0.8)
        }
        #expect(
            stage.times(1) == [3, 4, 5],
            "the other's fix of the first missed epoch is published when the second is missed")
        #expect(stage.takeUpdates(1) == ["tty2", "tty2", "tty2"])
    }

    /// A fix of the successor that is not newer than the last update of the stream is not
    /// published.
    @Test func `times of a stream never go back`() {
        var stage = stage()
        for second in 0..<4 {
            stage.fix(1, second: second)
            stage.wait(0.2)
            // The line of this receiver is slow: one second behind the other.
            stage.fix(2, second: max(0, second - 1))
            stage.wait(0.8)
        }
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.fixes(2, from: 3, seconds: 3)
        #expect(stage.times(1) == [0, 1, 2, 3, 4, 5])
        #expect(stage.takeUpdates(1) == ["tty1", "tty1", "tty1", "tty1", "tty2", "tty2"])
    }

    /// The last position of a slow successor can be older than any difference of two clocks.
    @Test func `an old position of the successor does not set a stream back`() {
        var stage = stage()
        for second in 0..<29 {
            stage.fix(1, second: second)
            stage.wait(0.2)
            if second.isMultiple(of: 10) { stage.fix(2, second: second) }
            stage.wait(0.8)
        }
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.fix(2, second: 30)
        #expect(stage.times(1) == (0..<29).map(Double.init) + [30])
    }

    /// The clock of the lost receiver was an hour ahead. The stream must not wait an hour for the
    /// other receiver.
    @Test func `a receiver with a wrong clock does not block the stream`() {
        var stage = stage()
        for second in 0..<3 {
            stage.fix(1, second: second + 3000)
            stage.wait(0.2)
            stage.fix(2, second: second)
            stage.wait(0.8)
        }
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.fixes(2, from: 3, seconds: 2)
        #expect(stage.times(1) == [3000, 3001, 3002, 2, 3, 4])
    }

    /// One receiver sends ten fixes per second and one a single fix: a stream never gets two
    /// updates for one epoch.
    @Test func `receivers of different rates give one update for each epoch`() {
        var stage = stage()
        let seconds = 30
        for second in 0..<seconds {
            for step in 0..<10 {
                stage.fix(2, second: second, tenths: step, hdop: 4)
                if step == 5 { stage.fix(1, second: second, tenths: 5, hdop: 2) }
                stage.wait(0.1)
            }
        }
        let times = stage.times(1)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 0.19 }, "\(times)")
        let updates = stage.takeUpdates(1)
        #expect(updates.first == "tty2" && updates.last == "tty1")
        #expect(updates.firstIndex(of: "tty1").map { !updates[$0...].contains("tty2") } == true, "one change")
    }

    /// Ten minutes of random accuracies and outages, with lines of different delay: the times of a
    /// stream increase, and no epoch is published twice.
    @Test(arguments: UInt64(1)...10) func `times increase for random outages and accuracies`(seed: UInt64) {
        var chance = SeededGenerator(seed: seed)
        var stage = stage()
        var isOut = [false, false]
        for second in 0..<600 {
            for number in 1...2 {
                if chance.share() < 0.05 { isOut[number - 1].toggle() }
                if isOut[number - 1] {
                    stage.noFix(number)
                } else {
                    stage.fix(number, second: second, hdop: (chance.factor(5) * 100).rounded() / 100)
                }
                stage.wait(0.1 + chance.share() * 0.3)
            }
            stage.wait(Double(second + 1) - (stage.now - .zero).seconds)
        }
        let times = stage.times(1)
        #expect(times.count > 300)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `the primary receiver is reported`() {
        var stage = stage()
        both(&stage, from: 0, seconds: 3, hdop: (1, 2))
        #expect(stage.locator.reports(at: stage.now).map(\.isPrimary) == [true, false])
        #expect(stage.locator.reports(at: stage.now).map(\.horizontalAccuracy) == [4, 8])
        stage.set(.absent("unplugged", lost: true), of: 1)
        #expect(stage.locator.reports(at: stage.now).map(\.isPrimary) == [false, true])
        #expect(stage.locator.reports(at: stage.now).map(\.horizontalAccuracy) == [nil, 8])
    }

    /// A request before the successor's next fix gets its last one, not a cause.
    @Test func `the last fix of the successor is available before its next one`() {
        var stage = stage()
        both(&stage, from: 0, seconds: 3)
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.subscribe(2)
        stage.locate(3, maximumAge: 5)
        #expect(stage.takeUpdates(2) == ["tty2"])
        #expect(stage.answers(3) == ["tty2"])
    }

    /// The successor also stays primary when the first receiver returns.
    @Test func `a returning receiver does not take over without need`() {
        var stage = stage()
        both(&stage, from: 0, seconds: 3)
        stage.fixes(2, from: 3, seconds: 5)
        _ = stage.takeUpdates(1)
        both(&stage, from: 8, seconds: 3)
        #expect(stage.takeUpdates(1) == ["tty2", "tty2", "tty2"])
    }

    /// The best of three takes over, although a worse one fixes first.
    @Test func `the best standby receiver takes over`() {
        var stage = stage()
        stage.attach(3)
        for index in 0..<3 {
            stage.fix(1, second: index)
            stage.fix(2, second: index, hdop: 4)
            stage.fix(3, second: index, hdop: 2)
            stage.wait(1)
        }
        _ = stage.takeUpdates(1)
        stage.set(.absent("unplugged", lost: true), of: 1)
        for index in 3..<6 {
            stage.fix(2, second: index, hdop: 4)
            stage.fix(3, second: index, hdop: 2)
            stage.wait(1)
        }
        #expect(stage.takeUpdates(1) == ["tty3", "tty3", "tty3"])
    }

    @Test(arguments: ["tty2", "/dev/tty2"])
    func `a stream bound to one receiver ignores the others`(receiver: String) {
        var stage = stage()
        stage.subscribe(2, receiver: receiver)
        both(&stage, from: 0, seconds: 3)
        #expect(stage.takeUpdates(2) == ["starting", "tty2", "tty2", "tty2"])
        stage.set(.absent("unplugged", lost: true), of: 2)
        #expect(stage.takeUpdates(2) == ["receiverLost"])
        stage.fixes(1, from: 3, seconds: 2)
        #expect(stage.takeUpdates(2) == [])
    }

    @Test func `a stream bound to an unknown receiver gets noReceiver`() {
        var stage = stage()
        #expect(!stage.locator.receivers.hasReceiver(named: "ttyX"))
        #expect(stage.locator.receivers.hasReceiver(named: "tty1"))
        stage.subscribe(2, receiver: "ttyX")
        let details = stage.effects.compactMap { effect in
            if case .request(.publish(let update, _)) = effect { update.unavailability?.detail } else { nil }
        }
        #expect(details.last?.contains("ttyX") == true)
        #expect(stage.takeUpdates(2) == ["noReceiver"])
    }

    /// While one receiver has a fix, faults of the others are not published to the stream.
    @Test func `faults of standby receivers are not published`() {
        var stage = stage()
        both(&stage, from: 0, seconds: 3)
        _ = stage.takeUpdates(1)
        stage.set(.denied("no permission"), of: 2)
        stage.fixes(1, from: 3, seconds: 2)
        #expect(stage.takeUpdates(1) == ["tty1", "tty1"])
    }

    /// If several receivers have no fix, the one closest to a fix provides the cause.
    @Test func `the receiver closest to a fix provides the cause`() {
        var stage = Stage()
        stage.attach(1, status: .busy("held by gpsd"))
        stage.attach(2)
        stage.noFix(2)
        stage.wait(1)
        stage.subscribe(1)
        #expect(stage.takeUpdates(1) == ["noFix"])
    }

    @Test func `a removed receiver is forgotten`() {
        var stage = stage()
        both(&stage, from: 0, seconds: 2)
        _ = stage.takeUpdates(1)
        stage.detach(1)
        stage.fixes(2, from: 2, seconds: 1)
        #expect(stage.takeUpdates(1) == ["tty2"])
        stage.detach(2)
        #expect(stage.takeUpdates(1) == ["noReceiver"])
        #expect(stage.locator.reports(at: stage.now).isEmpty)
        stage.fix(1, second: 4)
        stage.wait(1)
        #expect(stage.takeUpdates(1) == [])
    }
}
