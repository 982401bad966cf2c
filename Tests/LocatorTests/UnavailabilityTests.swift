import Chronology
import Delivery
import Locator
import Testing

/// Every stream is told, once and at once, that there is no position, and why.
@Suite struct UnavailabilityTests {
    private func running(seconds: Int = 4) -> Stage {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1)
        stage.fixes(1, from: 0, seconds: seconds)
        _ = stage.told(1)
        stage.forget()
        return stage
    }

    @Test func unpluggedAndPluggedInAgain() {
        var stage = running()
        stage.set(.absent("/dev/tty1 was unplugged", lost: true), of: 1)
        #expect(stage.told(1) == ["receiverLost"])
        stage.wait(60)
        #expect(stage.told(1) == [])
        stage.set(.open, of: 1)
        #expect(stage.told(1) == ["starting"])
        stage.fixes(1, from: 70, seconds: 2)
        #expect(stage.told(1) == ["tty1", "tty1"])
    }

    @Test func fiveSecondsOfSilence() {
        var stage = running()
        stage.wait(3.9)
        #expect(stage.told(1) == [])
        stage.wait(0.2)
        #expect(stage.told(1) == ["receiverSilent"])
        stage.wait(600)
        #expect(stage.told(1) == [])
    }

    /// A clear view of the sky is no advice to a receiver that says it has a position.
    @Test func aClockThatStandsStill() {
        var stage = running()
        for _ in 0..<8 {
            stage.fix(1, second: 3)
            stage.wait(1)
        }
        let words = stage.effects.compactMap { effect in
            if case .publish(let update, _) = effect { update.unavailability?.detail } else { nil }
        }
        #expect(words.count == 1)
        #expect(words.first?.contains("clock stands still") == true)
        stage.fixes(1, from: 30, seconds: 1)
        #expect(stage.told(1) == ["noFix", "tty1"])
    }

    /// An open, silent device wakes nobody.
    @Test func nothingIsDueWhileAReceiverIsSilent() {
        var stage = running()
        #expect(stage.locator.deadline() != nil)
        stage.wait(6)
        #expect(stage.locator.deadline() == nil)
        var unheard = Stage()
        unheard.attach(1)
        unheard.subscribe(1)
        unheard.wait(6)
        #expect(unheard.told(1) == ["starting", "receiverSilent"])
        #expect(unheard.locator.deadline() == nil)
    }

    /// Nor does anything while nobody listens: not even the silence is looked for.
    @Test func nothingIsDueWhileNobodyListens() {
        var stage = Stage()
        #expect(stage.locator.deadline() == nil)
        stage.attach(1)
        stage.fixes(1, from: 0, seconds: 2)
        #expect(stage.locator.deadline() == nil)
    }

    /// Who watches receivers without a stream is told of the silence too; it is due once.
    @Test func silenceIsDueForThoseWhoWatch() throws {
        var stage = Stage()
        stage.attach(1)
        stage.fixes(1, from: 0, seconds: 2)
        stage.forget()
        let due = try #require(stage.locator.deadline(isWatched: true))
        var effects: [Effect] = []
        stage.locator.tick(at: due, into: &effects)
        #expect(effects == [.receiverChanged(ReceiverID(1))])
        #expect(stage.locator.reports(at: due).first?.health == .silent)
        #expect(stage.locator.deadline(isWatched: true) == nil)
    }

    /// The tick was due while something else was being done: after a suspend a client may be served first, or the bytes be read.
    @Test func aTickThatComesLateIsStillDue() throws {
        var stage = running()
        let due = try #require(stage.locator.deadline())
        var effects: [Effect] = []
        stage.locator.subscribe(StreamID(2), StreamRequest(), at: due + .seconds(1), into: &effects)
        #expect(stage.locator.deadline() == due)
        stage.locator.receive(Array("\u{1}".utf8).span.bytes, from: ReceiverID(1), at: due + .seconds(9), into: &effects)
        let told = effects.contains { effect in
            guard case .publish(let update, let streams) = effect else { return false }
            return update.unavailability != nil && streams.contains(StreamID(1))
        }
        #expect(told)
    }

    @Test func fiveSecondsWithoutAFix() {
        var stage = running()
        for _ in 0..<3 {
            stage.noFix(1)
            stage.wait(1)
        }
        #expect(stage.told(1) == [])
        for _ in 0..<30 {
            stage.noFix(1)
            stage.wait(1)
        }
        #expect(stage.told(1) == ["noFix"])
        stage.fixes(1, from: 60, seconds: 1)
        #expect(stage.told(1) == ["tty1"])
    }

    /// Three seconds without a fix are a bridge.
    @Test func shortGapsAreNoNews() {
        var stage = running()
        for _ in 0..<3 {
            stage.noFix(1)
            stage.wait(1)
        }
        stage.fixes(1, from: 7, seconds: 1)
        #expect(stage.told(1) == ["tty1"])
    }

    /// How many satellites it hears changes every second, indoors for ever.
    @Test func aCountThatFlickersIsNoNews() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1)
        for strengths in ["21,02,,,22,03,,,23", "21,02,,,22,03,,,", ",02,,,22,03,,,23", "21,02,,,22,03,,,23"] {
            stage.hear(line("GPGSV,1,1,03,01,,,\(strengths)"), from: 1)
            stage.noFix(1)
            stage.wait(1)
        }
        #expect(stage.told(1) == ["starting", "noFix"])
    }

    @Test func theAntennaIsToBlame() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1)
        stage.hear(line("GPTXT,01,01,02,ANTSTATUS=OPEN"), from: 1)
        stage.noFix(1)
        stage.wait(1)
        #expect(stage.told(1) == ["starting", "antennaFault"])
        stage.hear(line("GPTXT,01,01,02,ANTSTATUS=OK"), from: 1)
        stage.noFix(1)
        stage.wait(1)
        #expect(stage.told(1) == ["noFix"])
    }

    @Test func bytesWithoutSense() {
        var stage = Stage()
        stage.attach(1, status: .hunting("bytes arrive at 9600 baud and make no sense"))
        stage.subscribe(1)
        stage.hear("\u{1}\u{2}\u{3}", from: 1)
        stage.set(.hunting("bytes arrive at 38400 baud and make no sense"), of: 1)
        #expect(stage.told(1) == ["starting", "notUnderstood"])
    }

    /// A receiver in a binary mode, on a port whose speed does not matter: nothing else would ever say so.
    @Test(arguments: ["\u{1}\u{2}\u{3}", line("GPGSV,1,1,00")])
    func bytesThatMakeNoEpoch(_ text: String) {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1)
        for _ in 0..<40 {
            stage.hear(text, from: 1)
            stage.wait(1)
        }
        #expect(stage.told(1) == ["starting", "notUnderstood"])
        stage.fixes(1, from: 0, seconds: 1)
        #expect(stage.told(1) == ["tty1"])
    }

    @Test func theWordsNameThePort() throws {
        var stage = running()
        stage.wait(6)
        let reasons = stage.effects.compactMap { effect in
            if case .publish(let update, _) = effect { update.unavailability?.detail } else { nil }
        }
        #expect(try #require(reasons.first).contains("/dev/tty1"))
    }
}
