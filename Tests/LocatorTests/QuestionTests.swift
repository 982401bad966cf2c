import Chronology
import Delivery
import Locator
import Testing

/// The position once: from memory where it is young enough, else by the next fix, else not.
@Suite struct QuestionTests {
    private func running() -> Stage {
        var stage = Stage()
        stage.attach(1)
        stage.fixes(1, from: 0, seconds: 3)
        return stage
    }

    @Test func aPositionThatIsYoungEnough() throws {
        var stage = running()
        stage.locate(9, maximumAge: 2)
        #expect(stage.answers(9) == ["tty1"])
        let ages = stage.effects.compactMap { effect in if case .answer(_, _, let age) = effect { age.seconds } else { nil } }
        #expect((0.5...1).contains(try #require(ages.first)))
    }

    @Test(arguments: [0.0, 0.3])
    func elseTheNextFix(maximumAge: Double) {
        var stage = running()
        stage.locate(9, maximumAge: maximumAge)
        #expect(stage.answers(9).isEmpty)
        stage.fixes(1, from: 3, seconds: 2)
        #expect(stage.answers(9) == ["tty1"])
    }

    @Test func theTimeIsUp() {
        var stage = running()
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.locate(9, timeout: 3)
        stage.wait(2.9)
        #expect(stage.answers(9).isEmpty)
        stage.wait(0.2)
        #expect(stage.answers(9) == ["receiverLost"])
        stage.fixes(1, from: 9, seconds: 2)
        #expect(stage.answers(9) == ["receiverLost"])
        #expect(stage.locator.deadline() == nil)
    }

    /// Where it was last is still an answer for those who take one that old; streams are told that there is none.
    @Test(arguments: [nil, "tty1"]) func theLastPositionOutlivesThePlug(receiver: String?) throws {
        var stage = running()
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.wait(60)
        stage.locate(9, maximumAge: 120, receiver: receiver)
        #expect(stage.answers(9) == ["tty1"])
        #expect((60...62).contains(try #require(stage.ages(9).first)))
        stage.locate(10, maximumAge: 30, timeout: 1, receiver: receiver)
        stage.subscribe(1, receiver: receiver)
        #expect(stage.told(1) == ["receiverLost"])
        stage.wait(2)
        #expect(stage.answers(10) == ["receiverLost"])
        // Plugged in again it has no fix yet.
        stage.set(.open, of: 1)
        stage.locate(11, maximumAge: 120, receiver: receiver)
        #expect(stage.answers(11) == ["tty1"])
        stage.fixes(1, from: 70, seconds: 1)
        stage.locate(12, maximumAge: 120, receiver: receiver)
        #expect((0...1).contains(try #require(stage.ages(12).first)))
    }

    /// Also when the receiver is not known any more; not of another one.
    @Test func theLastPositionOutlivesTheReceiver() {
        var stage = running()
        stage.attach(2)
        stage.detach(1)
        stage.wait(10)
        stage.locate(9, maximumAge: 60)
        stage.locate(10, maximumAge: 60, timeout: 1, receiver: "tty2")
        stage.wait(7)
        #expect(stage.answers(9) == ["tty1"])
        #expect(stage.answers(10) == ["receiverSilent"])
    }

    /// One that never spoke for the device is not asked when the one that did is gone.
    @Test func theLastPositionIsThatOfTheChosenOne() {
        var stage = running()
        stage.attach(2)
        stage.fix(2, second: 3)
        stage.fixes(1, from: 3, seconds: 1)
        stage.set(.absent("unplugged", lost: true), of: 2)
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.locate(9, maximumAge: 60)
        #expect(stage.answers(9) == ["tty1"])
    }

    @Test func noReceiverAtAll() {
        var stage = Stage()
        stage.locate(9, maximumAge: 60, timeout: 1)
        stage.wait(2)
        #expect(stage.answers(9) == ["noReceiver"])
    }

    @Test func givenUp() {
        var stage = running()
        stage.locate(9)
        stage.locator.cancel(StreamID(9))
        stage.fixes(1, from: 3, seconds: 20)
        #expect(stage.answers(9).isEmpty)
    }

    @Test func ofOneReceiverOnly() {
        var stage = running()
        stage.attach(2)
        stage.locate(9, maximumAge: 60, receiver: "tty2")
        stage.fixes(1, from: 3, seconds: 2)
        #expect(stage.answers(9).isEmpty)
        stage.fixes(2, from: 5, seconds: 1)
        #expect(stage.answers(9) == ["tty2"])
    }

    @Test func manyAtOnce() {
        var stage = running()
        for question in 10..<20 { stage.locate(question) }
        stage.fixes(1, from: 3, seconds: 1)
        for question in 10..<20 { #expect(stage.answers(question) == ["tty1"]) }
    }
}
