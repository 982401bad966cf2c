import Chronology
import Delivery
import Locator
import Testing

/// What receivers are told to do, and how soon they are listened to.
@Suite struct PowerTests {
    private func planned() -> Stage {
        var stage = Stage()
        stage.locator.plansPower = true
        stage.attach(1)
        return stage
    }

    private func paced() -> Stage {
        var stage = Stage()
        stage.locator.pacesReads = true
        stage.attach(1)
        return stage
    }

    @Test func withoutPlanningNothingIsTold() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1, .fitness)
        stage.fixes(1, from: 0, seconds: 130)
        #expect(stage.plans(1) == [])
        #expect(stage.paces(1) == [])
    }

    @Test func aReceiverThatNobodyNeedsRests() {
        var stage = planned()
        #expect(stage.plans(1) == [.rest])
        stage.subscribe(1, .fitness)
        #expect(stage.plans(1) == [.rest, .run(RunPlan(period: .seconds(1), dynamics: .pedestrian, isThrifty: true))])
        stage.forget()
        stage.locator.cancel(StreamID(1))
        stage.wait(31)
        #expect(stage.plans(1).last == .rest)
        #expect(stage.locator.deadline() == nil)
    }

    @Test func aReceiverThatIsKeptWarmRenewsItsOrbits() {
        var stage = planned()
        stage.locator.setKeepWarm(.seconds(7200), of: ReceiverID(1))
        stage.wait(1)
        guard case .run? = stage.plans(1).last else { Issue.record("it is not woken"); return }
        // Half a minute of reception from the first fix on, and then two hours of rest.
        stage.wait(20)
        stage.fixes(1, from: 0, seconds: 35)
        guard case .run? = stage.plans(1).last else { Issue.record("it slept too soon"); return }
        stage.fixes(1, from: 35, seconds: 3)
        guard case .standby(let until)? = stage.plans(1).last else { Issue.record("it does not sleep"); return }
        #expect((7190...7200).contains((until - stage.now).seconds))
        // Somebody comes: warmth is no demand beside his.
        stage.subscribe(1, .fitness)
        #expect(stage.plans(1).last == .run(RunPlan(period: .seconds(1), dynamics: .pedestrian, isThrifty: true)))
        stage.locator.setKeepWarm(nil, of: ReceiverID(1))
        stage.locator.cancel(StreamID(1))
        stage.wait(40)
        #expect(stage.plans(1).last == .rest && stage.locator.deadline() == nil)
    }

    @Test func whoPassesByAsksForNothing() {
        var stage = planned()
        stage.subscribe(1, .fitness, options: StreamOptions(isPassive: true))
        #expect(stage.plans(1) == [.rest])
    }

    @Test func theFastestStreamSetsThePeriod() {
        var stage = planned()
        stage.subscribe(1, .fitness)
        stage.subscribe(2, .automotiveNavigation)
        #expect(stage.plans(1).last == .run(RunPlan(period: .milliseconds(200), dynamics: .any)))
    }

    @Test func atRestItSleepsAndNobodyIsToldThatItIsSilent() {
        var stage = planned()
        stage.subscribe(1, .fitness)
        stage.fixes(1, from: 0, seconds: 125)
        #expect(stage.manners(1).last == "rest")
        stage.subscribe(2, .fitness)
        stage.forget()
        stage.wait(20)
        #expect(stage.told(1) == [])
        let report = stage.locator.reports(at: stage.now).first
        #expect(report?.detail == nil)
        stage.subscribe(3, .fitness)
        #expect(stage.manners(3) == ["rest"])
    }

    @Test func aRestingDeviceIsLookedAtAndDepartureIsSeen() {
        var stage = planned()
        stage.subscribe(1, .fitness)
        stage.fixes(1, from: 0, seconds: 122)
        var second = 122
        while case .standby(let until)? = stage.plans(1).last, until > stage.now, second < 300 {
            stage.wait(1)
            second += 1
        }
        #expect((150...156).contains(second))
        stage.forget()
        stage.drive(1, from: second, seconds: 15, metres: 2_000)
        #expect(stage.plans(1).last == .run(RunPlan(period: .seconds(1), dynamics: .pedestrian, isThrifty: true)))
        #expect(stage.manners(1).first == "setOff")
    }

    @Test func aQuestionWakesARestingReceiver() {
        var stage = planned()
        stage.subscribe(1, .fitness)
        stage.fixes(1, from: 0, seconds: 122)
        stage.wait(10)
        stage.forget()
        stage.locate(2)
        #expect(stage.plans(1).count == 1)
        guard case .run? = stage.plans(1).last else { return #expect(Bool(false), "not woken") }
        stage.wait(2)
        stage.fixes(1, from: 140, seconds: 7)
        #expect(stage.answers(2) == ["tty1"])
        guard case .standby? = stage.plans(1).last else { return #expect(Bool(false), "not let rest again") }
    }

    /// A receiver that takes no commands rests by its port being closed, and is hunted for a moment whenever that is opened again.
    @Test func aPortThatWasClosedForRestIsNotBlamedWhenItIsOpenedAgain() {
        var stage = planned()
        stage.subscribe(1, .default, options: StreamOptions(desiredAccuracy: .kilometre))
        stage.fixes(1, from: 0, seconds: 3)
        stage.forget()
        stage.wait(57)
        guard case .run? = stage.plans(1).last else { return #expect(Bool(false), "is not woken") }
        stage.set(.hunting("finding the speed of /dev/tty1"), of: 1)
        #expect(stage.locator.reports(at: stage.now).first?.health == .hunting)
        stage.subscribe(2, .default)
        #expect(stage.told(2) == ["starting"])
        stage.hear("GGA,120100", from: 1)
        stage.subscribe(3, .default)
        #expect(stage.told(3) == ["starting"])
        #expect(stage.told(1) == [] && stage.told(2) == [])
        stage.set(.open, of: 1)
        stage.fixes(1, from: 60, seconds: 2)
        #expect(stage.told(1) == ["tty1"] && stage.told(2) == ["tty1"])
    }

    /// One that was let rest is believed to be waking, but not for ever.
    @Test func aPortThatIsOpenedAgainAndMakesNoSenseIsTold() {
        var stage = planned()
        stage.subscribe(1, .fitness)
        stage.fixes(1, from: 0, seconds: 3)
        stage.locator.cancel(StreamID(1))
        stage.wait(100)
        stage.subscribe(2, .fitness)
        stage.set(.hunting("finding the speed of /dev/tty1"), of: 1)
        for _ in 0..<60 {
            stage.hear("\u{1}\u{2}\u{3}", from: 1)
            stage.wait(1)
        }
        #expect(stage.told(2) == ["starting", "notUnderstood"])
    }

    @Test func aDutyCycleIsQuietBetweenItsFixes() {
        var stage = planned()
        stage.subscribe(1, .default, options: StreamOptions(desiredAccuracy: .kilometre))
        stage.forget()
        stage.fixes(1, from: 0, seconds: 3)
        #expect(stage.told(1) == ["tty1"])
        guard case .standby? = stage.plans(1).last else { return #expect(Bool(false), "does not sleep") }
        stage.wait(57)
        #expect(stage.told(1) == [])
        stage.fixes(1, from: 62, seconds: 2)
        #expect(stage.told(1) == ["tty1"])
    }

    @Test func aReceiverThatDoesNotWakeIsTold() {
        var stage = planned()
        stage.subscribe(1, .default, options: StreamOptions(desiredAccuracy: .kilometre))
        stage.fixes(1, from: 0, seconds: 3)
        stage.forget()
        stage.subscribe(2, .automotiveNavigation)
        stage.forget()
        stage.wait(50)
        #expect(stage.told(2) == ["receiverSilent"])
    }

    @Test func aPortThatIsOpenedAgainIsToldAgain() {
        var stage = planned()
        stage.subscribe(1, .fitness)
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.forget()
        stage.set(.open, of: 1)
        #expect(stage.plans(1).count == 1)
    }

    @Test func thePaceFollowsWhoIsInTheGreatestHurry() {
        var stage = paced()
        stage.subscribe(1, .default)
        stage.subscribe(2, .fitness)
        stage.subscribe(3, .automotiveNavigation)
        stage.locator.cancel(StreamID(3))
        stage.wait(0)
        stage.locator.cancel(StreamID(2))
        stage.wait(0)
        stage.locate(4)
        #expect(stage.paces(1) == [.atMostEvery(.seconds(5)), .everyBurst, .atOnce, .everyBurst, .atMostEvery(.seconds(5)), .atOnce])
    }

    @Test func withOthersBesideItEachBurstMatters() {
        var stage = paced()
        stage.attach(2)
        #expect(stage.paces(1) == [.atMostEvery(.seconds(5)), .everyBurst])
        #expect(stage.paces(2) == [.everyBurst])
    }

    /// Read every five seconds, a receiver is neither silent nor without a fix in between.
    @Test func aSlowPaceIsNoSilence() {
        var stage = paced()
        stage.subscribe(1, .default)
        stage.forget()
        for read in 0..<6 {
            for second in 0..<5 { stage.fix(1, second: read * 5 + second) }
            stage.wait(5.1)
        }
        #expect(stage.told(1).allSatisfy { $0 == "tty1" })
        stage.forget()
        stage.wait(6)
        #expect(stage.told(1) == ["receiverSilent"])
    }

    /// With the best one running, one that has been twice as bad for three minutes is looked at every five.
    @Test func aClearlyWorseReceiverRestsBesideABetterOne() {
        var stage = planned()
        stage.attach(2)
        stage.subscribe(1, .fitness, options: StreamOptions(pausesWhenStationary: false))
        for second in 0..<200 {
            stage.fix(1, second: second)
            if second < 190 { stage.fix(2, second: second, hdop: 6) }
            stage.wait(1)
        }
        guard case .standby? = stage.plans(2).last else { return #expect(Bool(false), "the worse one does not rest") }
        guard case .run? = stage.plans(1).last else { return #expect(Bool(false), "the better one rests") }
        // The better one is lost: the other is needed at once.
        stage.forget()
        stage.wait(3)
        guard case .run? = stage.plans(2).last else { return #expect(Bool(false), "the worse one is not woken") }
    }

    @Test func aWorseReceiverThatIsAskedForByNameDoesNotRest() {
        var stage = planned()
        stage.attach(2)
        stage.subscribe(1, .fitness, options: StreamOptions(pausesWhenStationary: false))
        stage.subscribe(2, .fitness, receiver: "tty2", options: StreamOptions(pausesWhenStationary: false))
        for second in 0..<300 {
            stage.fix(1, second: second)
            stage.fix(2, second: second, hdop: 6)
            stage.wait(1)
        }
        guard case .run? = stage.plans(2).last else { return #expect(Bool(false), "rests though it is asked for") }
    }

    /// Read together, epochs a second apart are a second apart to whoever tells rest from movement.
    @Test func whatIsReadLateRestsAsSoon() {
        var stage = planned()
        stage.subscribe(1, .default)
        var rested: Int?
        for read in 0..<40 where rested == nil {
            stage.wait(5)
            let texts = (read * 5..<read * 5 + 5).map { second in
                let clock = "12" + (second < 600 ? "0" : "") + "\(second / 60)" + (second % 60 < 10 ? "0" : "") + "\(second % 60).00"
                return line("GPGGA,\(clock),4717.11399,N,00833.91590,E,1,08,1.0,499.6,M,48.0,M,,")
                    + line("GPRMC,\(clock),A,4717.11399,N,00833.91590,E,0.0,,211126,,,A")
            }
            stage.hear(texts.joined(), from: 1)
            if stage.manners(1).contains("rest") { rested = read * 5 }
        }
        #expect((85...130).contains(rested ?? 0))
    }
}
