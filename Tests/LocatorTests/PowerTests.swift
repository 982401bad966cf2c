import Chronology
import Locator
import Testing

/// The plans sent to receivers, and the read policy of their ports.
@Suite struct PowerTests {
    private func planned() -> Stage {
        var stage = Stage()
        stage.locator.emitsPlans = true
        stage.attach(1)
        return stage
    }

    private func paced() -> Stage {
        var stage = Stage()
        stage.locator.emitsReadPolicies = true
        stage.attach(1)
        return stage
    }

    @Test func `without power planning no plan is sent`() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1, configuration: .fitness)
        stage.fixes(1, from: 0, seconds: 130)
        #expect(stage.plans(1) == [])
        #expect(stage.readPolicies(1) == [])
    }

    @Test func `a receiver without demand sleeps`() {
        var stage = planned()
        #expect(stage.plans(1) == [.sleepIndefinitely])
        stage.subscribe(1, configuration: .fitness)
        #expect(
            stage.plans(1) == [
                .sleepIndefinitely, .run(RunPlan(period: .seconds(1), dynamics: .pedestrian, allowsPowerSave: true)),
            ])
        stage.clearEffects()
        stage.locator.cancel([RequestID(1)])
        stage.wait(31)
        #expect(stage.plans(1).last == .sleepIndefinitely)
        #expect(stage.locator.deadline() == nil)
    }

    @Test func `a receiver kept warm refreshes its ephemerides every two hours`() {
        var stage = planned()
        stage.locator.setEphemerisRefreshInterval(.seconds(7200), of: ReceiverID(1))
        stage.wait(1)
        guard case .run? = stage.plans(1).last else { Issue.record("it is not woken"); return }
        // The receiver runs for half a minute from the first fix on, then sleeps for two hours.
        stage.wait(20)
        stage.fixes(1, from: 0, seconds: 35)
        guard case .run? = stage.plans(1).last else { Issue.record("it slept too soon"); return }
        stage.fixes(1, from: 35, seconds: 3)
        guard case .sleep(let until)? = stage.plans(1).last else { Issue.record("it does not sleep"); return }
        #expect((7190...7200).contains((until - stage.now).seconds))
        // The demand of a stream takes precedence over the refresh of the ephemerides.
        stage.subscribe(1, configuration: .fitness)
        #expect(stage.plans(1).last == .run(RunPlan(period: .seconds(1), dynamics: .pedestrian, allowsPowerSave: true)))
        stage.locator.setEphemerisRefreshInterval(nil, of: ReceiverID(1))
        stage.locator.cancel([RequestID(1)])
        stage.wait(40)
        #expect(stage.plans(1).last == .sleepIndefinitely && stage.locator.deadline() == nil)
    }

    @Test func `a passive stream causes no demand`() {
        var stage = planned()
        stage.subscribe(1, configuration: .fitness, options: StreamOptions(isPassive: true))
        #expect(stage.plans(1) == [.sleepIndefinitely])
    }

    @Test func `the fastest stream sets the fix period`() {
        var stage = planned()
        stage.subscribe(1, configuration: .fitness)
        stage.subscribe(2, configuration: .automotiveNavigation)
        #expect(stage.plans(1).last == .run(RunPlan(period: .milliseconds(200), dynamics: .any)))
    }

    @Test func `a sleeping receiver at rest is not reported as silent`() {
        var stage = planned()
        stage.subscribe(1, configuration: .fitness)
        stage.fixes(1, from: 0, seconds: 125)
        #expect(stage.takeKinds(1).last == "rest")
        stage.subscribe(2, configuration: .fitness)
        stage.clearEffects()
        stage.wait(20)
        #expect(stage.takeUpdates(1) == [])
        let report = stage.locator.reports(at: stage.now).first
        #expect(report?.detail == nil)
        stage.subscribe(3, configuration: .fitness)
        #expect(stage.takeKinds(3) == ["rest"])
    }

    @Test func `a stationary device is checked and its departure detected`() {
        var stage = planned()
        stage.subscribe(1, configuration: .fitness)
        stage.fixes(1, from: 0, seconds: 122)
        var second = 122
        while case .sleep(let until)? = stage.plans(1).last, until > stage.now, second < 300 {
            stage.wait(1)
            second += 1
        }
        #expect((150...156).contains(second))
        stage.clearEffects()
        stage.drive(1, from: second, seconds: 15, metres: 2_000)
        #expect(stage.plans(1).last == .run(RunPlan(period: .seconds(1), dynamics: .pedestrian, allowsPowerSave: true)))
        #expect(stage.takeKinds(1).first == "setOff")
    }

    @Test func `a location request wakes a sleeping receiver`() {
        var stage = planned()
        stage.subscribe(1, configuration: .fitness)
        stage.fixes(1, from: 0, seconds: 122)
        stage.wait(10)
        stage.clearEffects()
        stage.locate(2)
        #expect(stage.plans(1).count == 1)
        guard case .run? = stage.plans(1).last else { return #expect(Bool(false), "not woken") }
        stage.wait(2)
        stage.fixes(1, from: 140, seconds: 7)
        #expect(stage.answers(2) == ["tty1"])
        guard case .sleep? = stage.plans(1).last else { return #expect(Bool(false), "not put to sleep again") }
    }

    /// A receiver without commands sleeps by closing its port. After each reopening the port
    /// briefly detects its baud rate.
    @Test func `a port closed for sleep is not reported as faulty on reopening`() {
        var stage = planned()
        stage.subscribe(1, configuration: .default, options: StreamOptions(desiredAccuracy: .kilometre))
        stage.fixes(1, from: 0, seconds: 3)
        stage.clearEffects()
        stage.wait(57)
        guard case .run? = stage.plans(1).last else { return #expect(Bool(false), "is not woken") }
        stage.set(.detectingBaudRate("finding the speed of /dev/tty1"), of: 1)
        #expect(stage.locator.reports(at: stage.now).first?.health == .detectingBaudRate)
        stage.subscribe(2, configuration: .default)
        #expect(stage.takeUpdates(2) == ["starting"])
        stage.receive("GGA,120100", from: 1)
        stage.subscribe(3, configuration: .default)
        #expect(stage.takeUpdates(3) == ["starting"])
        #expect(stage.takeUpdates(1) == [] && stage.takeUpdates(2) == [])
        stage.set(.open, of: 1)
        stage.fixes(1, from: 60, seconds: 2)
        #expect(stage.takeUpdates(1) == ["tty1"] && stage.takeUpdates(2) == ["tty1"])
    }

    /// A receiver that was put to sleep counts as waking, but only for a limited time.
    @Test func `a reopened port with unintelligible data is reported`() {
        var stage = planned()
        stage.subscribe(1, configuration: .fitness)
        stage.fixes(1, from: 0, seconds: 3)
        stage.locator.cancel([RequestID(1)])
        stage.wait(100)
        stage.subscribe(2, configuration: .fitness)
        stage.set(.detectingBaudRate("finding the speed of /dev/tty1"), of: 1)
        for _ in 0..<60 {
            stage.receive("\u{1}\u{2}\u{3}", from: 1)
            stage.wait(1)
        }
        #expect(stage.takeUpdates(2) == ["starting", "notUnderstood"])
    }

    @Test func `a duty cycle is quiet between its fixes`() {
        var stage = planned()
        stage.subscribe(1, configuration: .default, options: StreamOptions(desiredAccuracy: .kilometre))
        stage.clearEffects()
        stage.fixes(1, from: 0, seconds: 3)
        #expect(stage.takeUpdates(1) == ["tty1"])
        guard case .sleep? = stage.plans(1).last else { return #expect(Bool(false), "does not sleep") }
        stage.wait(57)
        #expect(stage.takeUpdates(1) == [])
        stage.fixes(1, from: 62, seconds: 2)
        #expect(stage.takeUpdates(1) == ["tty1"])
    }

    @Test func `a receiver that does not wake is reported`() {
        var stage = planned()
        stage.subscribe(1, configuration: .default, options: StreamOptions(desiredAccuracy: .kilometre))
        stage.fixes(1, from: 0, seconds: 3)
        stage.clearEffects()
        stage.subscribe(2, configuration: .automotiveNavigation)
        stage.clearEffects()
        stage.wait(50)
        #expect(stage.takeUpdates(2) == ["receiverSilent"])
    }

    @Test func `a reopened port receives its plan again`() {
        var stage = planned()
        stage.subscribe(1, configuration: .fitness)
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.clearEffects()
        stage.set(.open, of: 1)
        #expect(stage.plans(1).count == 1)
    }

    /// Five minutes without a fix would otherwise count as a blocked sky.
    @Test func `a port that was absent for minutes runs as soon as it returns`() {
        var stage = planned()
        stage.subscribe(1, configuration: .fitness)
        stage.fixes(1, from: 0, seconds: 3)
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.clearEffects()
        stage.wait(400)
        #expect(stage.plans(1) == [] && stage.locator.deadline() == nil)
        stage.set(.open, of: 1)
        #expect(stage.plans(1) == [.run(RunPlan(period: .seconds(1), dynamics: .pedestrian, allowsPowerSave: true))])
    }

    @Test func `a check continues while the baud rate is detected`() {
        var stage = planned()
        stage.subscribe(1, configuration: .default, options: StreamOptions(desiredAccuracy: .kilometre))
        stage.fixes(1, from: 0, seconds: 3)
        stage.wait(57)
        stage.set(.detectingBaudRate("finding the speed of /dev/tty1"), of: 1)
        stage.clearEffects()
        stage.wait(50)
        stage.set(.open, of: 1)
        guard case .sleep? = stage.plans(1).last else { return #expect(Bool(false), "the check did not end") }
    }

    @Test func `the read policy follows the stream with the lowest latency`() {
        var stage = paced()
        stage.subscribe(1, configuration: .default)
        stage.subscribe(2, configuration: .fitness)
        stage.subscribe(3, configuration: .automotiveNavigation)
        stage.locator.cancel([RequestID(3)])
        stage.wait(0)
        stage.locator.cancel([RequestID(2)])
        stage.wait(0)
        stage.locate(4)
        #expect(
            stage.readPolicies(1) == [
                .interval(.seconds(5)), .everyBurst, .immediate, .everyBurst, .interval(.seconds(5)), .immediate,
            ])
    }

    @Test func `with several receivers every burst is read`() {
        var stage = paced()
        stage.attach(2)
        #expect(stage.readPolicies(1) == [.interval(.seconds(5)), .everyBurst])
        #expect(stage.readPolicies(2) == [.everyBurst])
    }

    /// When it is read every five seconds, a receiver is neither silent nor without a fix in
    /// between.
    @Test func `a slow read policy is not reported as silence`() {
        var stage = paced()
        stage.subscribe(1, configuration: .default)
        stage.clearEffects()
        for read in 0..<6 {
            for second in 0..<5 { stage.fix(1, second: read * 5 + second) }
            stage.wait(5.1)
        }
        #expect(stage.takeUpdates(1).allSatisfy { $0 == "tty1" })
        stage.clearEffects()
        stage.wait(6)
        #expect(stage.takeUpdates(1) == ["receiverSilent"])
    }

    /// While the best receiver runs, one that has been twice as bad for three minutes is checked
    /// every five minutes.
    @Test func `a clearly worse receiver sleeps beside a better one`() {
        var stage = planned()
        stage.attach(2)
        stage.subscribe(1, configuration: .fitness, options: StreamOptions(pausesWhenStationary: false))
        for second in 0..<200 {
            stage.fix(1, second: second)
            if second < 190 { stage.fix(2, second: second, hdop: 6) }
            stage.wait(1)
        }
        guard case .sleep? = stage.plans(2).last else { return #expect(Bool(false), "the worse one does not rest") }
        guard case .run? = stage.plans(1).last else { return #expect(Bool(false), "the better one rests") }
        // The better receiver is lost, so the other is needed at once.
        stage.clearEffects()
        stage.wait(3)
        guard case .run? = stage.plans(2).last else { return #expect(Bool(false), "the worse one is not woken") }
    }

    @Test func `a worse receiver that a stream names does not sleep`() {
        var stage = planned()
        stage.attach(2)
        stage.subscribe(1, configuration: .fitness, options: StreamOptions(pausesWhenStationary: false))
        stage.subscribe(
            2, configuration: .fitness, receiver: "tty2", options: StreamOptions(pausesWhenStationary: false))
        for second in 0..<300 {
            stage.fix(1, second: second)
            stage.fix(2, second: second, hdop: 6)
            stage.wait(1)
        }
        guard case .run? = stage.plans(2).last else { return #expect(Bool(false), "rests though it is asked for") }
    }

    /// Epochs that are read together keep their distance of one second in the motion detector.
    @Test func `fixes read late lead to sleep as soon`() {
        var stage = planned()
        stage.subscribe(1, configuration: .default)
        var rested: Int?
        for read in 0..<40 where rested == nil {
            stage.wait(5)
            let texts = (read * 5..<read * 5 + 5).map { second in
                let clock =
                    "12" + (second < 600 ? "0" : "") + "\(second / 60)" + (second % 60 < 10 ? "0" : "")
                    + "\(second % 60).00"
                return line("GPGGA,\(clock),4717.11399,N,00833.91590,E,1,08,1.0,499.6,M,48.0,M,,")
                    + line("GPRMC,\(clock),A,4717.11399,N,00833.91590,E,0.0,,211126,,,A")
            }
            stage.receive(texts.joined(), from: 1)
            if stage.takeKinds(1).contains("rest") { rested = read * 5 }
        }
        #expect((85...130).contains(rested ?? 0))
    }
}
