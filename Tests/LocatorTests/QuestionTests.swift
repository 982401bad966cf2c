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
