import Chronology
import Delivery
import Locator
import Testing

@Suite struct SeveralReceiversTests {
    /// Two receivers that fix in turn, a fifth of a second apart.
    private func both(_ stage: inout Stage, from second: Int, seconds: Int, hdop: (Double, Double) = (1, 1)) {
        for at in second..<(second + seconds) {
            stage.fix(1, second: at, hdop: hdop.0)
            stage.wait(0.2)
            stage.fix(2, second: at, hdop: hdop.1)
            stage.wait(0.8)
        }
    }

    private func stage() -> Stage {
        var stage = Stage()
        stage.attach(1)
        stage.attach(2)
        // These are drawings of a device that does not move.
        stage.subscribe(1, options: StreamOptions(pausesWhenStationary: false))
        _ = stage.told(1)
        return stage
    }

    /// For a while the present one keeps the word, also against a better one: no jumping to and fro.
    @Test func theChoiceHolds() {
        var stage = stage()
        both(&stage, from: 0, seconds: 5, hdop: (2, 1))
        #expect(stage.told(1) == ["tty1", "tty1", "tty1", "tty1", "tty1"])
    }

    /// Not for ever: half the radius for ten seconds is a reason.
    @Test func theBetterOneTakesOver() {
        var stage = stage()
        both(&stage, from: 0, seconds: 20, hdop: (2, 1))
        #expect(stage.times(1) == (0..<20).map(Double.init), "one update for each epoch, in order")
        let told = stage.told(1)
        let change = told.firstIndex(of: "tty2") ?? 0
        #expect((10...13).contains(change) && !told[change...].contains("tty1"), "\(told)")
    }

    @Test func theOtherTakesOverWhenItFallsSilent() {
        var stage = stage()
        both(&stage, from: 0, seconds: 3)
        _ = stage.told(1)
        stage.fixes(2, from: 3, seconds: 5)
        let told = stage.told(1)
        #expect(Set(told) == ["tty2"])
        #expect(told.count >= 3)
    }

    @Test func theOtherTakesOverAtOnceWhenItIsUnplugged() {
        var stage = stage()
        both(&stage, from: 0, seconds: 3)
        _ = stage.told(1)
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.fixes(2, from: 3, seconds: 2)
        #expect(stage.told(1) == ["tty2", "tty2"])
    }

    /// Two epochs without the present one, and the other's last position is told before its next comes.
    @Test func noMoreThanTwoEpochsAreMissed() {
        var stage = stage()
        both(&stage, from: 0, seconds: 3)
        stage.fixes(2, from: 3, seconds: 1)
        stage.forget()
        stage.fix(2, second: 4)
        stage.wait(0.5)
        #expect(stage.times(1) == [4])
        #expect(stage.told(1) == ["tty2"])
    }

    /// It talks on and has no fix: the same as silence, and no word of it to the stream.
    @Test func theOtherTakesOverWhenTheFixIsLost() {
        var stage = stage()
        both(&stage, from: 0, seconds: 3)
        stage.forget()
        for second in 3..<6 {
            stage.noFix(1)
            stage.wait(0.2)
            stage.fix(2, second: second)
            stage.wait(0.8)
        }
        #expect(stage.times(1) == [3, 4, 5], "the other's fix of the first missed epoch is told when the second is missed")
        #expect(stage.told(1) == ["tty2", "tty2", "tty2"])
    }

    /// What the other has told of an epoch that the stream knows already is no news, nor is what is older.
    @Test func timeDoesNotGoBack() {
        var stage = stage()
        for second in 0..<4 {
            stage.fix(1, second: second)
            stage.wait(0.2)
            // Its line is slow: a second behind the other.
            stage.fix(2, second: max(0, second - 1))
            stage.wait(0.8)
        }
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.fixes(2, from: 3, seconds: 3)
        #expect(stage.times(1) == [0, 1, 2, 3, 4, 5])
        #expect(stage.told(1) == ["tty1", "tty1", "tty1", "tty1", "tty2", "tty2"])
    }

    /// The lost one's clock was an hour ahead: the stream does not wait an hour for the other.
    @Test func aWrongClockDoesNotSilenceTheStream() {
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

    /// Who serves ten a second and who serves one: never two updates of a stream for one epoch.
    @Test func mixedRatesAreOneStream() {
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
        let told = stage.told(1)
        #expect(told.first == "tty2" && told.last == "tty1")
        #expect(told.firstIndex(of: "tty1").map { !told[$0...].contains("tty2") } == true, "one change")
    }

    /// Ten minutes of radii and outages by chance, with lines of different length: a stream's time goes on, and no epoch is told twice.
    @Test(arguments: UInt64(1)...10) func timeGoesOnWhateverHappens(seed: UInt64) {
        var chance = Chance(seed)
        var stage = stage()
        var isOut = [false, false]
        for second in 0..<600 {
            for number in 1...2 {
                if chance.next() < 0.05 { isOut[number - 1].toggle() }
                if isOut[number - 1] {
                    stage.noFix(number)
                } else {
                    stage.fix(number, second: second, hdop: (chance.factor(5) * 100).rounded() / 100)
                }
                stage.wait(0.1 + chance.next() * 0.3)
            }
            stage.wait(Double(second + 1) - (stage.now - .zero).seconds)
        }
        let times = stage.times(1)
        #expect(times.count > 300)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func whoIsChosenIsReported() {
        var stage = stage()
        both(&stage, from: 0, seconds: 3, hdop: (1, 2))
        #expect(stage.locator.reports(at: stage.now).map(\.isChosen) == [true, false])
        #expect(stage.locator.reports(at: stage.now).map(\.horizontalAccuracy) == [4, 8])
        stage.set(.absent("unplugged", lost: true), of: 1)
        #expect(stage.locator.reports(at: stage.now).map(\.isChosen) == [false, true])
        #expect(stage.locator.reports(at: stage.now).map(\.horizontalAccuracy) == [nil, 8])
    }

    /// Who asks before the other's next fix gets its last one, not an update that says nothing.
    @Test func theOtherSpeaksBeforeItsNextFix() {
        var stage = stage()
        both(&stage, from: 0, seconds: 3)
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.subscribe(2)
        stage.locate(3, maximumAge: 5)
        #expect(stage.told(2) == ["tty2"])
        #expect(stage.answers(3) == ["tty2"])
    }

    /// It keeps the word then, too, when the first comes back.
    @Test func noWayBackWithoutANeed() {
        var stage = stage()
        both(&stage, from: 0, seconds: 3)
        stage.fixes(2, from: 3, seconds: 5)
        _ = stage.told(1)
        both(&stage, from: 8, seconds: 3)
        #expect(stage.told(1) == ["tty2", "tty2", "tty2"])
    }

    /// The best of three takes over, though a worse one fixes first.
    @Test func theBestOfTheOthers() {
        var stage = stage()
        stage.attach(3)
        for at in 0..<3 {
            stage.fix(1, second: at)
            stage.fix(2, second: at, hdop: 4)
            stage.fix(3, second: at, hdop: 2)
            stage.wait(1)
        }
        _ = stage.told(1)
        stage.set(.absent("unplugged", lost: true), of: 1)
        for at in 3..<6 {
            stage.fix(2, second: at, hdop: 4)
            stage.fix(3, second: at, hdop: 2)
            stage.wait(1)
        }
        #expect(stage.told(1) == ["tty3", "tty3", "tty3"])
    }

    @Test(arguments: ["tty2", "/dev/tty2"])
    func aStreamThatIsPinned(receiver: String) {
        var stage = stage()
        stage.subscribe(2, receiver: receiver)
        both(&stage, from: 0, seconds: 3)
        #expect(stage.told(2) == ["starting", "tty2", "tty2", "tty2"])
        stage.set(.absent("unplugged", lost: true), of: 2)
        #expect(stage.told(2) == ["receiverLost"])
        stage.fixes(1, from: 3, seconds: 2)
        #expect(stage.told(2) == [])
    }

    @Test func aStreamThatIsPinnedToNothing() {
        var stage = stage()
        #expect(!stage.locator.knows("ttyX"))
        #expect(stage.locator.knows("tty1"))
        stage.subscribe(2, receiver: "ttyX")
        let details = stage.effects.compactMap { effect in
            if case .publish(let update, _) = effect { update.unavailability?.detail } else { nil }
        }
        #expect(details.last?.contains("ttyX") == true)
        #expect(stage.told(2) == ["noReceiver"])
    }

    /// While one of them has a fix, the others' troubles are none of the stream's.
    @Test func oneFixIsEnough() {
        var stage = stage()
        both(&stage, from: 0, seconds: 3)
        _ = stage.told(1)
        stage.set(.denied("no permission"), of: 2)
        stage.fixes(1, from: 3, seconds: 2)
        #expect(stage.told(1) == ["tty1", "tty1"])
    }

    /// Of several without a fix the one that is nearest to it speaks.
    @Test func theNearestToAFixSpeaks() {
        var stage = Stage()
        stage.attach(1, status: .busy("held by gpsd"))
        stage.attach(2)
        stage.noFix(2)
        stage.wait(1)
        stage.subscribe(1)
        #expect(stage.told(1) == ["noFix"])
    }

    @Test func detachedAndForgotten() {
        var stage = stage()
        both(&stage, from: 0, seconds: 2)
        _ = stage.told(1)
        stage.detach(1)
        stage.fixes(2, from: 2, seconds: 1)
        #expect(stage.told(1) == ["tty2"])
        stage.detach(2)
        #expect(stage.told(1) == ["noReceiver"])
        #expect(stage.locator.reports(at: stage.now).isEmpty)
        stage.fix(1, second: 4)
        stage.wait(1)
        #expect(stage.told(1) == [])
    }
}
