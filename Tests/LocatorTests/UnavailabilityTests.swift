import Chronology
import Locator
import TestSupport
import Testing

/// Every stream gets each cause of a missing position once and at once.
@Suite struct UnavailabilityTests {
    private func running(seconds: Int = 4) -> Stage {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1)
        stage.fixes(1, from: 0, seconds: seconds)
        _ = stage.takeUpdates(1)
        stage.clearEffects()
        return stage
    }

    @Test func `unplugging and replugging are each published once`() {
        var stage = running()
        stage.set(.absent("/dev/tty1 was unplugged", lost: true), of: 1)
        #expect(stage.takeUpdates(1) == ["receiverLost"])
        stage.wait(60)
        #expect(stage.takeUpdates(1) == [])
        stage.set(.open, of: 1)
        #expect(stage.takeUpdates(1) == ["starting"])
        stage.fixes(1, from: 70, seconds: 2)
        #expect(stage.takeUpdates(1) == ["tty1", "tty1"])
    }

    /// The port of an AIS receiver on a boat is like that of a GPS.
    @Test func `AIS alone is named, and a position with it is used`() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1)
        let body = "AIVDM,1,1,,A,14eG;o@034o8sd<L9i:a;WF>062D,0"
        let ais = "!" + SentenceLine.text(body).dropFirst()
        for _ in 0..<15 {
            stage.receive(ais, from: 1)
            stage.wait(1)
        }
        let detail = stage.locator.reports(at: stage.now).first?.detail
        #expect(
            detail?.contains("sends AIS messages of ships, but no position of this device") == true, "\(detail ?? "")")
        stage.fixes(1, from: 20, seconds: 2)
        #expect(stage.takeUpdates(1).last == "tty1")
    }

    @Test func `five seconds of silence are published`() {
        var stage = running()
        stage.wait(3.9)
        #expect(stage.takeUpdates(1) == [])
        stage.wait(0.2)
        #expect(stage.takeUpdates(1) == ["receiverSilent"])
        stage.wait(600)
        #expect(stage.takeUpdates(1) == [])
    }

    /// A tracker that reports every 12 s has its position all the time, and is lost after 19 s.
    @Test func `a slow receiver is silent only after more than its period`() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1)
        for second in stride(from: 0, to: 36, by: 12) {
            stage.fix(1, second: second)
            stage.wait(12)
        }
        _ = stage.takeUpdates(1)
        stage.fix(1, second: 36)
        stage.wait(12)
        stage.fix(1, second: 48)
        #expect(!stage.takeUpdates(1).contains("receiverSilent"))
        stage.wait(20)
        #expect(stage.takeUpdates(1).last == "receiverSilent")
    }

    /// The advice of a clear view of the sky does not fit a receiver that claims a position.
    @Test func `a frozen receiver clock is published`() {
        var stage = running()
        for _ in 0..<8 {
            stage.fix(1, second: 3)
            stage.wait(1)
        }
        let details = stage.effects.compactMap { effect in
            if case .request(.publish(let update, _)) = effect { update.unavailability?.detail } else { nil }
        }
        #expect(details.count == 1)
        #expect(details.first?.contains("its clock is frozen") == true)
        stage.fixes(1, from: 30, seconds: 1)
        #expect(stage.takeUpdates(1) == ["noFix", "tty1"])
    }

    /// An open, silent device causes no wakeups.
    @Test func `nothing is due while a receiver is silent`() {
        var stage = running()
        #expect(stage.locator.deadline() != nil)
        stage.wait(6)
        #expect(stage.locator.deadline() == nil)
        var silent = Stage()
        silent.attach(1)
        silent.subscribe(1)
        silent.wait(6)
        #expect(silent.takeUpdates(1) == ["starting", "receiverSilent"])
        #expect(silent.locator.deadline() == nil)
    }

    /// Without streams there is no deadline, not even for silence.
    @Test func `nothing is due without streams`() {
        var stage = Stage()
        #expect(stage.locator.deadline() == nil)
        stage.attach(1)
        stage.fixes(1, from: 0, seconds: 2)
        #expect(stage.locator.deadline() == nil)
    }

    /// Watchers of receivers without a stream also get the silence; it is due once.
    @Test func `silence is due for watchers of receivers`() throws {
        var stage = Stage()
        stage.attach(1)
        stage.fixes(1, from: 0, seconds: 2)
        stage.clearEffects()
        let due = try #require(stage.locator.deadline(isWatched: true))
        stage.locator.tick(at: due)
        #expect(stage.locator.takeEffects() == [.receiver(.changed(ReceiverID(1)))])
        #expect(stage.locator.reports(at: due).first?.health == .silent)
        #expect(stage.locator.deadline(isWatched: true) == nil)
    }

    /// Another operation delays the tick: after a suspend, a client may be served first, or the
    /// bytes read first.
    @Test func `a late tick still takes effect`() throws {
        var stage = running()
        let due = try #require(stage.locator.deadline())
        _ = stage.locator.subscribe(StreamRequest(), id: RequestID(2), at: due + .seconds(1))
        #expect(stage.locator.deadline() == due)
        let bytes = Array("\u{1}".utf8)
        let result = stage.locator.receive(bytes.span.bytes, from: ReceiverID(1), at: due + .seconds(9))
        #expect(result.updates.contains { $0.update.unavailability != nil && $0.streams.contains(RequestID(1)) })
    }

    @Test func `five seconds without a fix are published`() {
        var stage = running()
        for _ in 0..<3 {
            stage.noFix(1)
            stage.wait(1)
        }
        #expect(stage.takeUpdates(1) == [])
        for _ in 0..<30 {
            stage.noFix(1)
            stage.wait(1)
        }
        #expect(stage.takeUpdates(1) == ["noFix"])
        stage.fixes(1, from: 60, seconds: 1)
        #expect(stage.takeUpdates(1) == ["tty1"])
    }

    /// Three seconds without a fix are bridged.
    @Test func `short gaps are not published`() {
        var stage = running()
        for _ in 0..<3 {
            stage.noFix(1)
            stage.wait(1)
        }
        stage.fixes(1, from: 7, seconds: 1)
        #expect(stage.takeUpdates(1) == ["tty1"])
    }

    /// Indoors the number of received satellites changes every second, indefinitely.
    @Test func `a changing satellite count is not published again`() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1)
        for strengths in ["21,02,,,22,03,,,23", "21,02,,,22,03,,,", ",02,,,22,03,,,23", "21,02,,,22,03,,,23"] {
            stage.receive(line("GPGSV,1,1,03,01,,,\(strengths)"), from: 1)
            stage.noFix(1)
            stage.wait(1)
        }
        #expect(stage.takeUpdates(1) == ["starting", "noFix"])
    }

    @Test func `an antenna fault is published and cleared`() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1)
        stage.receive(line("GPTXT,01,01,02,ANTSTATUS=OPEN"), from: 1)
        stage.noFix(1)
        stage.wait(1)
        #expect(stage.takeUpdates(1) == ["starting", "antennaFault"])
        stage.receive(line("GPTXT,01,01,02,ANTSTATUS=OK"), from: 1)
        stage.noFix(1)
        stage.wait(1)
        #expect(stage.takeUpdates(1) == ["noFix"])
    }

    @Test func `unintelligible bytes during baud rate detection are published once`() {
        var stage = Stage()
        stage.attach(1, status: .detectingBaudRate("bytes arrive at 9600 baud and make no sense"))
        stage.subscribe(1)
        stage.receive("\u{1}\u{2}\u{3}", from: 1)
        stage.set(.detectingBaudRate("bytes arrive at 38400 baud and make no sense"), of: 1)
        #expect(stage.takeUpdates(1) == ["starting", "notUnderstood"])
    }

    /// After a replug the first bytes are often the end of a sentence.
    @Test func `bytes at the first baud rate are no fault`() {
        var stage = Stage()
        stage.attach(1, status: .detectingBaudRate("detecting the baud rate of /dev/tty1", isFirstRate: true))
        stage.subscribe(1)
        stage.receive("5,43,20,310,38*7A\r\n", from: 1)
        #expect(stage.takeUpdates(1) == ["starting"])
        stage.set(.open, of: 1)
        stage.fixes(1, from: 0, seconds: 1)
        #expect(stage.takeUpdates(1).last == "tty1")
    }

    /// A receiver in a binary mode, on a port whose baud rate does not matter: nothing else would
    /// report it.
    @Test(arguments: ["\u{1}\u{2}\u{3}", line("GPGSV,1,1,00")])
    func `bytes without an epoch are published as not understood`(_ text: String) {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1)
        for _ in 0..<40 {
            stage.receive(text, from: 1)
            stage.wait(1)
        }
        #expect(stage.takeUpdates(1) == ["starting", "notUnderstood"])
        stage.fixes(1, from: 0, seconds: 1)
        #expect(stage.takeUpdates(1) == ["tty1"])
    }

    @Test func `the detail names the port`() throws {
        var stage = running()
        stage.wait(6)
        let reasons = stage.effects.compactMap { effect in
            if case .request(.publish(let update, _)) = effect { update.unavailability?.detail } else { nil }
        }
        #expect(try #require(reasons.first).contains("/dev/tty1"))
    }
}
