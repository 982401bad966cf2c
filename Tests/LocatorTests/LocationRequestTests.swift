import Locator
import Testing

/// A one-shot location request: answered from memory if the position is recent enough, otherwise by
/// the next fix, otherwise with a cause.
@Suite struct LocationRequestTests {
    private func running() -> Stage {
        var stage = Stage()
        stage.attach(1)
        stage.fixes(1, from: 0, seconds: 3)
        return stage
    }

    @Test func `a recent position is the answer`() throws {
        var stage = running()
        stage.locate(9, maximumAge: 2)
        #expect(stage.answers(9) == ["tty1"])
        #expect((0.5...1).contains(try #require(stage.ages(9).first)))
    }

    @Test(arguments: [0.0, 0.3])
    func `otherwise the next fix is the answer`(maximumAge: Double) {
        var stage = running()
        stage.locate(9, maximumAge: maximumAge)
        #expect(stage.answers(9).isEmpty)
        stage.fixes(1, from: 3, seconds: 2)
        #expect(stage.answers(9) == ["tty1"])
    }

    @Test func `a timeout is answered with the cause`() {
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

    /// The last position still answers requests that accept its age; streams get the cause.
    @Test(arguments: [nil, "tty1"]) func `the last position is available after unplugging`(receiver: String?) throws {
        var stage = running()
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.wait(60)
        stage.locate(9, maximumAge: 120, receiver: receiver)
        #expect(stage.answers(9) == ["tty1"])
        #expect((60...62).contains(try #require(stage.ages(9).first)))
        stage.locate(10, maximumAge: 30, timeout: 1, receiver: receiver)
        stage.subscribe(1, receiver: receiver)
        #expect(stage.takeUpdates(1) == ["receiverLost"])
        stage.wait(2)
        #expect(stage.answers(10) == ["receiverLost"])
        // After replugging the receiver has no fix yet.
        stage.set(.open, of: 1)
        stage.locate(11, maximumAge: 120, receiver: receiver)
        #expect(stage.answers(11) == ["tty1"])
        stage.fixes(1, from: 70, seconds: 1)
        stage.locate(12, maximumAge: 120, receiver: receiver)
        #expect((0...1).contains(try #require(stage.ages(12).first)))
    }

    /// This also holds after the receiver is removed, but not for requests that name another
    /// receiver.
    @Test func `the last position is available after the receiver is removed`() {
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

    /// When the primary receiver is gone, the last position of a standby receiver is not used.
    @Test func `the last position is that of the primary receiver`() {
        var stage = running()
        stage.attach(2)
        stage.fix(2, second: 3)
        stage.fixes(1, from: 3, seconds: 1)
        stage.set(.absent("unplugged", lost: true), of: 2)
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.locate(9, maximumAge: 60)
        #expect(stage.answers(9) == ["tty1"])
    }

    @Test func `without a receiver the answer is noReceiver`() {
        var stage = Stage()
        stage.locate(9, maximumAge: 60, timeout: 1)
        stage.wait(2)
        #expect(stage.answers(9) == ["noReceiver"])
    }

    @Test func `a cancelled request gets no answer`() {
        var stage = running()
        stage.locate(9)
        stage.locator.cancel([RequestID(9)])
        stage.fixes(1, from: 3, seconds: 20)
        #expect(stage.answers(9).isEmpty)
    }

    @Test func `a request for one receiver ignores the others`() {
        var stage = running()
        stage.attach(2)
        stage.locate(9, maximumAge: 60, receiver: "tty2")
        stage.fixes(1, from: 3, seconds: 2)
        #expect(stage.answers(9).isEmpty)
        stage.fixes(2, from: 5, seconds: 1)
        #expect(stage.answers(9) == ["tty2"])
    }

    /// Reading begins within a burst when a port is opened, and when a receiver was woken.
    @Test(arguments: [true, false]) func `a burst that was read in part is not the answer`(isOpened: Bool) throws {
        var stage = running()
        if isOpened {
            stage.set(.absent("unplugged", lost: true), of: 1)
            stage.set(.open, of: 1)
        }
        stage.wait(60)
        stage.locate(9)
        stage.locate(10, timeout: 1)
        stage.receive(line("GPRMC,120100.00,A,4717.11399,N,00833.91590,E,0.0,,211126,,,A"), from: 1)
        stage.wait(0.5)
        #expect(stage.answers(9).isEmpty)
        stage.wait(0.6)
        #expect(stage.answers(10) == ["tty1"], "at the end of its time it is better than none")
        let age = try #require(stage.answerAge(10))
        #expect((0.9...1.1).contains(age), "\(age)")
        stage.fixes(1, from: 61, seconds: 1)
        #expect(stage.answers(9) == ["tty1"])
    }

    @Test func `a receiver without altitude answers with its second burst`() {
        var stage = Stage()
        stage.attach(1)
        stage.locate(9)
        for second in 0..<2 {
            #expect(stage.answers(9).isEmpty)
            let clock = "12000\(second).00"
            stage.receive(line("GPRMC,\(clock),A,4717.11399,N,00833.91590,E,0.0,,211126,,,A"), from: 1)
            stage.wait(1)
        }
        #expect(stage.answers(9) == ["tty1"])
        stage.locate(10)
        stage.receive(line("GPRMC,120002.00,A,4717.11399,N,00833.91590,E,0.0,,211126,,,A"), from: 1)
        stage.wait(0.5)
        #expect(stage.answers(10) == ["tty1"])
    }

    @Test func `many requests share one fix`() {
        var stage = running()
        for request in 10..<20 { stage.locate(request) }
        stage.fixes(1, from: 3, seconds: 1)
        for request in 10..<20 { #expect(stage.answers(request) == ["tty1"]) }
    }

    @Test func `a request that times the burst waits for one whose first byte was observed`() throws {
        var stage = running()
        stage.locate(9, timesBurst: true)
        stage.locate(10)
        stage.fixes(1, from: 3, seconds: 1)
        #expect(stage.answers(9).isEmpty && stage.answers(10) == ["tty1"] && stage.burstAges(10) == [nil])
        let start = stage.now
        stage.wait(0.2)
        stage.fix(1, second: 4, burstStart: start)
        stage.wait(0.5)
        let age = try #require(stage.burstAges(9).first ?? nil)
        #expect((0.2...0.5).contains(age))
    }

    @Test func `a receiver whose first bytes are never observed answers with its second location`() {
        var stage = running()
        stage.locate(9, timesBurst: true)
        stage.fixes(1, from: 3, seconds: 2)
        #expect(stage.answers(9) == ["tty1"] && stage.burstAges(9) == [nil])
    }

    @Test func `only the first epoch of a burst began with it`() throws {
        var stage = running()
        let start = stage.now
        stage.locate(9, timesBurst: true)
        stage.fix(1, second: 3, burstStart: start)
        stage.locate(10, timesBurst: true)
        // The same line sends on without a pause.
        for second in 4..<8 { stage.fix(1, second: second, burstStart: start) }
        stage.wait(1)
        #expect(try #require(stage.burstAges(9).first ?? nil) < 1)
        #expect(stage.burstAges(10) == [nil])
    }

    @Test func `a request that times the burst lets the port be read twice in it`() {
        var stage = Stage()
        stage.locator.emitsReadPolicies = true
        stage.attach(1)
        stage.fixes(1, from: 0, seconds: 3)
        stage.clearEffects()
        stage.locate(9, timesBurst: true)
        #expect(stage.readPolicies(1).last == .timedBurst)
        stage.locate(10)
        #expect(stage.readPolicies(1).last == .immediate)
    }
}
