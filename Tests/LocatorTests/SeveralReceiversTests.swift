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
        stage.subscribe(1)
        _ = stage.told(1)
        return stage
    }

    /// The present one keeps the word, also against a better one: no jumping to and fro.
    @Test func theChoiceHolds() {
        var stage = stage()
        both(&stage, from: 0, seconds: 5, hdop: (2, 1))
        #expect(stage.told(1) == ["tty1", "tty1", "tty1", "tty1", "tty1"])
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
