import Chronology
import Delivery
import ReceiverSimulator
import Testing

@testable import Receivers

/// Each driver against the receiver it is for, in simulated time.
@Suite struct ReceiverDriverTests {
    private static let whole: [ReceiverKind] = [.ublox6, .ublox8, .ubloxM9, .ubloxM10, .mtk, .casic, .quectel, .airoha, .teseo]

    @Test(arguments: whole)
    func aReceiverThatIsAskedSaysWhatItIs(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind)
        stage.wait(30)
        #expect(stage.driver.report.chip == kind.chip)
        #expect(stage.memory?.chip == kind.chip && stage.memory?.isAsleep == false && stage.memory?.ownPeriod == 1000)
        // Not before it had shown what it is, and been listened to.
        #expect(try #require(stage.written.first).at >= .zero + .seconds(13))
    }

    @Test(arguments: whole + [.sirf])
    func aReceiverThatSaidItAtBootIsNotAsked(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind, opening: 0)
        stage.wait(20)
        #expect(stage.driver.report.chip == kind.chip || kind == .airoha || kind == .quectel)
        #expect(!stage.writtenText.contains("$PMTK605*31"))
        #expect(!stage.writtenText.contains("B5 62 0A 04 00 00 0E 34"))
    }

    @Test(arguments: [ReceiverKind.generic, .garmin])
    func theUnknownAreAskedOnceAndLeftAlone(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind, baud: 9600)
        stage.wait(60)
        #expect(stage.driver.report.chip == .generic)
        let asked = stage.written.count
        stage.follow(.run(RunPlan(period: .milliseconds(200), isThrifty: true)))
        stage.wait(30)
        #expect(stage.written.count == asked)
        stage.follow(.rest)
        #expect(!stage.isOpen && stage.driver.report.activity == .unheard)
        stage.wait(600)
        stage.follow(.run(RunPlan()))
        #expect(stage.isOpen)
        #expect(stage.epochs(10) >= 9)
        #expect(stage.written.count == asked)
    }

    @Test(arguments: whole)
    func aWholeLife(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind)
        stage.wait(30)
        #expect(stage.driver.report.activity == .working)
        #expect(stage.epochs(10) == 10)
        if kind != .mtk, kind != .teseo { #expect(stage.count("GST,", 5) == 5) }

        // Fast.
        stage.follow(.run(RunPlan(period: .milliseconds(200), dynamics: .automotive)))
        stage.wait(20)
        #expect((kind == .teseo ? 10...10 : 49...51).contains(stage.epochs(10)))

        // Thrifty.
        stage.follow(.run(RunPlan(period: .seconds(1), isThrifty: true)))
        stage.wait(20)
        let saves = [.ublox6, .ublox8, .ubloxM9, .ubloxM10, .mtk].contains(kind)
        #expect(stage.power == (saves ? .powerSave : .tracking))
        #expect(stage.driver.report.activity == (saves ? .savingPower : .working))
        #expect((9...11).contains(stage.epochs(10)))

        // Standby: asleep most of the time, talking again when it is over.
        let until = stage.now + .seconds(180)
        stage.follow(.standby(until: until))
        stage.wait(30)
        #expect(stage.power == .standby || stage.power == .stopped)
        #expect(stage.memory?.isAsleep == true)
        stage.wait(140)
        let napping = stage.receiver.meter.map { meter in
            (meter.time(in: .standby, at: stage.now) + meter.time(in: .stopped, at: stage.now)).seconds
        }
        #expect(try #require(napping) > 130)
        // A timed sleep that was begun ends in its own time.
        stage.wait(80)
        #expect(stage.memory?.isAsleep == false)
        #expect(stage.epochs(10) >= 9)
        if kind != .mtk, kind != .teseo { #expect(stage.count("GST,", 5) >= 4) }

        // Rest without end, and back.
        stage.follow(.rest)
        stage.wait(700)
        #expect(stage.memory?.isAsleep == true)
        #expect(stage.isOpen)
        stage.follow(.run(RunPlan(period: .milliseconds(500))))
        stage.wait(100)
        #expect((kind == .teseo ? 10...10 : 19...21).contains(stage.epochs(10)))
        #expect(stage.lines.suffix(30).contains { $0.text.contains("GGA,") && $0.text.contains(",1,") })

        // Everything is taken back.
        stage.finish()
        #expect(stage.driver.isFinished && stage.memory == nil)
        #expect(stage.epochs(10) == 10)
        #expect(stage.count("GST,", 5) == 0)
        #expect(stage.power == .tracking)
    }

    @Test(arguments: whole)
    func finishingWhileAsleepWakes(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind)
        stage.wait(30)
        stage.follow(.rest)
        stage.wait(20)
        stage.finish()
        #expect(stage.driver.isFinished)
        stage.wait(70)
        #expect(stage.epochs(10) == 10)
        #expect(stage.count("GST,", 3) == 0)
        // Only a sleep that its timer alone ends is left to end by itself, and remembered.
        #expect((stage.memory == nil) == (kind != .airoha))
    }

    /// A quarter of an hour of rest, with all that goes with it, beside one of work.
    @Test(arguments: whole)
    func restingCostsLittle(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind)
        stage.wait(30)
        let start = stage.receiver.meter?.charge(at: stage.now) ?? 0
        stage.wait(900)
        let worked = stage.receiver.meter?.charge(at: stage.now) ?? 0
        stage.follow(.rest)
        stage.wait(900)
        let rested = stage.receiver.meter?.charge(at: stage.now) ?? 0
        let share = (rested - worked) / (worked - start)
        // Stopped engines draw half by reckoning; timed sleeps are woken once a minute.
        #expect(share < (kind == .quectel || kind == .teseo ? 0.51 : kind == .airoha || kind == .casic ? 0.15 : 0.06))
    }

    /// A look every ten minutes, as the planner has it for somebody who is content with a kilometre.
    @Test(arguments: [ReceiverKind.ublox8, .mtk])
    func looksFindTheSkyHot(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind)
        stage.wait(60)
        for _ in 0..<8 {
            stage.follow(.standby(until: stage.now + .seconds(600)))
            stage.wait(600)
            stage.follow(.run(RunPlan()))
            let before = stage.lines.count
            stage.wait(10)
            #expect(stage.lines.dropFirst(before).contains { $0.text.contains("GGA,") && $0.text.contains(",1,") })
            stage.wait(25)
        }
    }

    @Test func onItsOwnUSBPortTheEngineIsStopped() throws {
        var stage = try DriverStage(.ublox8, isNativeUSB: true)
        stage.wait(30)
        stage.follow(.rest)
        stage.wait(30)
        #expect(stage.power == .stopped && stage.driver.report.state == .stopped)
        stage.follow(.run(RunPlan()))
        stage.wait(10)
        #expect(stage.epochs(10) == 10)
        #expect(!stage.writtenText.contains { $0.hasPrefix("B5 62 02 41") })
    }

    @Test func theLineSetsTheLeastPeriod() throws {
        var stage = try DriverStage(.ublox8, baud: 9600)
        stage.wait(30)
        stage.follow(.run(RunPlan(period: .milliseconds(200))))
        stage.wait(60)
        let period = try #require(stage.driver.report.period)
        #expect(period > .milliseconds(200) && period <= .seconds(1))
        #expect(stage.receiver.droppedBursts == 0)
        let count = stage.written.count
        stage.wait(300)
        #expect(stage.written.count == count)
    }

    @Test func dynamicsAreSetAndTakenBack() throws {
        var stage = try DriverStage(.ublox8)
        stage.wait(30)
        stage.follow(.run(RunPlan(dynamics: .airborne)))
        stage.wait(10)
        let frame = "B5 62 06 24 24 00 01 00 06"
        #expect(stage.writtenText.contains { $0.hasPrefix(frame) })
        stage.finish()
        #expect(stage.writtenText.last { $0.hasPrefix("B5 62 06 24") }?.hasPrefix("B5 62 06 24 24 00 01 00 00") == true)
    }

    /// The PAIR650 of a chip without another way out: whoever comes waits at most for its timer.
    @Test func aTimedSleepIsNeverLong() throws {
        var stage = try DriverStage(.airoha)
        stage.wait(30)
        stage.follow(.rest)
        stage.wait(200)
        #expect(stage.power == .standby || stage.power == .acquiring)
        let before = stage.written.count
        stage.follow(.run(RunPlan()))
        stage.wait(1)
        #expect(stage.written.count == before)
        stage.wait(75)
        #expect(stage.epochs(10) >= 9)
    }

    /// The clones of AT6558 that only their timer wakes are found out by a timer that is a little longer than the rest.
    @Test func aTimerMayBeLongOnceTheLineHasWoken() throws {
        var stage = try DriverStage(.casic)
        stage.wait(30)
        for rest in [30.0, 280] {
            stage.follow(.standby(until: stage.now + .seconds(rest)))
            stage.wait(rest)
            stage.follow(.run(RunPlan(isLook: true)))
            stage.wait(15)
        }
        #expect(stage.writtenText.filter { $0.hasPrefix("$PCAS12") }.map { $0.prefix(11) } == ["$PCAS12,40*", "$PCAS12,290"])
    }

    @Test(arguments: [ReceiverKind.ublox8, .casic, .mtk])
    func nothingIsSetForALook(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind)
        stage.wait(30)
        stage.follow(.run(RunPlan(dynamics: .automotive, isThrifty: true)))
        stage.wait(20)
        stage.follow(.standby(until: stage.now + .seconds(40)))
        stage.wait(20)
        #expect(stage.driver.report.activity == .resting)
        let before = stage.written.count
        stage.follow(.run(RunPlan(isLook: true)))
        stage.wait(15)
        // The byte that wakes.
        #expect(stage.written.count == before + 1)
        stage.follow(.run(RunPlan(dynamics: .automotive, isThrifty: true)))
        stage.wait(15)
        #expect(kind == .mtk || stage.written.count > before + 1)
    }

    @Test func aSleepThatFailedIsTriedAnHourLater() {
        var shortcomings = Shortcomings()
        shortcomings.sleepFailed(.ubloxStandby, at: .zero)
        #expect(!shortcomings.allows(.ubloxStandby, at: .zero + .seconds(3599)))
        #expect(shortcomings.allows(.casicStandby, at: .zero) && shortcomings.allows(.ubloxStandby, at: .zero + .seconds(3600)))
    }
}
