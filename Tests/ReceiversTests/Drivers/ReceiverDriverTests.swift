import Chronology
import Locator
import Simulator
import Testing

@testable import Receivers

/// Tests of each driver with its receiver in simulated time.
@Suite struct ReceiverDriverTests {
    private static let whole: [ReceiverKind] = [
        .ublox6, .ublox8, .ubloxM9, .ubloxM10, .mtk, .casic, .quectel, .airoha, .teseo,
    ]

    @Test(arguments: whole)
    func `a probed receiver is identified`(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind)
        stage.wait(30)
        #expect(stage.driver.report.chip == kind.chip)
        #expect(
            stage.memory?.chip == kind.chip && stage.memory?.isAsleep == false && stage.memory?.initialPeriod == 1000)
        // The driver first reads the output of the receiver and writes nothing before.
        #expect(try #require(stage.written.first).at >= .zero + .seconds(13))
    }

    @Test(arguments: whole + [.sirf])
    func `a receiver identified at boot is not probed`(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind, opening: 0)
        stage.wait(20)
        #expect(stage.driver.report.chip == kind.chip || kind == .airoha || kind == .quectel)
        #expect(!stage.writtenText.contains("$PMTK605*31"))
        #expect(!stage.writtenText.contains("B5 62 0A 04 00 00 0E 34"))
    }

    @Test func `a silent receiver is probed when it sends again`() throws {
        var stage = try DriverStage(.ublox8, faults: [Fault(.silence, start: .seconds(10.5), duration: .seconds(60))])
        stage.wait(50)
        #expect(stage.written.isEmpty && stage.driver.deadline == nil)
        stage.wait(30)
        #expect(stage.driver.report.chip == .ublox8)
    }

    @Test(arguments: [ReceiverKind.generic, .garmin])
    func `an unknown receiver is probed once and never configured`(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind, baud: 9600)
        stage.wait(60)
        #expect(stage.driver.report.chip == .generic)
        let asked = stage.written.count
        stage.follow(.run(RunPlan(period: .milliseconds(200), allowsPowerSave: true)))
        stage.wait(30)
        #expect(stage.written.count == asked)
        stage.follow(.sleepIndefinitely)
        #expect(!stage.isOpen && stage.driver.report.activity == .portClosed)
        stage.wait(600)
        stage.follow(.run(RunPlan()))
        #expect(stage.isOpen)
        #expect(stage.epochs(10) >= 9)
        #expect(stage.written.count == asked)
    }

    @Test(arguments: whole)
    func `a receiver is configured, put to sleep, woken and restored`(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind)
        stage.wait(30)
        #expect(stage.driver.report.activity == .running)
        #expect(stage.epochs(10) == 10)
        if kind != .mtk, kind != .teseo { #expect(stage.count("GST,", 5) == 5) }

        // High rate.
        stage.follow(.run(RunPlan(period: .milliseconds(200), dynamics: .automotive)))
        stage.wait(20)
        #expect((kind == .teseo ? 10...10 : 49...51).contains(stage.epochs(10)))

        // Power save.
        stage.follow(.run(RunPlan(period: .seconds(1), allowsPowerSave: true)))
        stage.wait(20)
        let saves = [.ublox6, .ublox8, .ubloxM9, .ubloxM10, .mtk].contains(kind)
        #expect(stage.power == (saves ? .powerSave : .tracking))
        #expect(stage.driver.report.activity == (saves ? .savingPower : .running))
        #expect((9...11).contains(stage.epochs(10)))

        // Standby: asleep most of the time, sending again afterwards.
        let until = stage.now + .seconds(180)
        stage.follow(.sleep(until: until))
        stage.wait(30)
        #expect(stage.power == .standby || stage.power == .stopped)
        #expect(stage.memory?.isAsleep == true)
        stage.wait(140)
        let napping = stage.receiver.meter.map { meter in
            (meter.time(in: .standby, at: stage.now) + meter.time(in: .stopped, at: stage.now)).seconds
        }
        #expect(try #require(napping) > 130)
        // A timed sleep ends only by its timer.
        stage.wait(80)
        #expect(stage.memory?.isAsleep == false)
        #expect(stage.epochs(10) >= 9)
        if kind != .mtk, kind != .teseo { #expect(stage.count("GST,", 5) >= 4) }

        // An unlimited sleep and its end.
        stage.follow(.sleepIndefinitely)
        stage.wait(700)
        #expect(stage.memory?.isAsleep == true)
        #expect(stage.isOpen)
        stage.follow(.run(RunPlan(period: .milliseconds(500))))
        stage.wait(100)
        #expect((kind == .teseo ? 10...10 : 19...21).contains(stage.epochs(10)))
        #expect(stage.lines.suffix(30).contains { $0.text.contains("GGA,") && $0.text.contains(",1,") })

        // All settings are restored.
        stage.finish()
        #expect(stage.driver.isFinished && stage.memory == nil)
        #expect(stage.epochs(10) == 10)
        #expect(stage.count("GST,", 5) == 0)
        #expect(stage.power == .tracking)
    }

    @Test(arguments: whole)
    func `finishing wakes a sleeping receiver`(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind)
        stage.wait(30)
        stage.follow(.sleepIndefinitely)
        stage.wait(20)
        stage.finish()
        #expect(stage.driver.isFinished)
        stage.wait(70)
        #expect(stage.epochs(10) == 10)
        #expect(stage.count("GST,", 3) == 0)
        // A sleep that only its timer ends is left to end by itself and stays stored.
        #expect((stage.memory == nil) == (kind != .airoha))
    }

    /// Compares a quarter of an hour of sleep, with its overhead, with one of operation.
    @Test(arguments: whole)
    func `a sleeping receiver uses little energy`(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind)
        stage.wait(30)
        let start = stage.receiver.meter?.charge(at: stage.now) ?? 0
        stage.wait(900)
        let worked = stage.receiver.meter?.charge(at: stage.now) ?? 0
        stage.follow(.sleepIndefinitely)
        stage.wait(900)
        let rested = stage.receiver.meter?.charge(at: stage.now) ?? 0
        let share = (rested - worked) / (worked - start)
        // A stopped engine is estimated at half the current; timed sleeps are woken once a minute.
        #expect(share < (kind == .quectel || kind == .teseo ? 0.51 : kind == .airoha || kind == .casic ? 0.15 : 0.06))
    }

    /// A duty-cycle fix every ten minutes, as the planner schedules it for kilometre accuracy.
    @Test(arguments: [ReceiverKind.ublox8, .mtk])
    func `duty-cycle fixes start hot`(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind)
        stage.wait(60)
        for _ in 0..<8 {
            stage.follow(.sleep(until: stage.now + .seconds(600)))
            stage.wait(600)
            stage.follow(.run(RunPlan()))
            let before = stage.lines.count
            stage.wait(10)
            #expect(stage.lines.dropFirst(before).contains { $0.text.contains("GGA,") && $0.text.contains(",1,") })
            stage.wait(25)
        }
    }

    @Test func `on native USB the GNSS engine is stopped instead`() throws {
        var stage = try DriverStage(.ublox8, isNativeUSB: true)
        stage.wait(30)
        stage.follow(.sleepIndefinitely)
        stage.wait(30)
        #expect(stage.power == .stopped && stage.driver.report.state == .stopped)
        stage.follow(.run(RunPlan()))
        stage.wait(10)
        #expect(stage.epochs(10) == 10)
        #expect(!stage.writtenText.contains { $0.hasPrefix("B5 62 02 41") })
    }

    @Test func `the baud rate limits the fix period`() throws {
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

    @Test func `the dynamic model is set and restored`() throws {
        var stage = try DriverStage(.ublox8)
        stage.wait(30)
        stage.follow(.run(RunPlan(dynamics: .airborne)))
        stage.wait(10)
        let frame = "B5 62 06 24 24 00 01 00 06"
        #expect(stage.writtenText.contains { $0.hasPrefix(frame) })
        stage.finish()
        #expect(stage.writtenText.last { $0.hasPrefix("B5 62 06 24") }?.hasPrefix("B5 62 06 24 24 00 01 00 00") == true)
    }

    /// PAIR650 on a chip without another wake source: a client waits at most for the timer.
    @Test func `a sleep that only its timer ends stays short`() throws {
        var stage = try DriverStage(.airoha)
        stage.wait(30)
        stage.follow(.sleepIndefinitely)
        stage.wait(200)
        #expect(stage.power == .standby || stage.power == .acquiring)
        let before = stage.written.count
        stage.follow(.run(RunPlan()))
        stage.wait(1)
        #expect(stage.written.count == before)
        stage.wait(75)
        #expect(stage.epochs(10) >= 9)
    }

    /// A timer slightly longer than the sleep reveals AT6558 clones that only their timer wakes.
    @Test func `the timer may be long after the line has woken the receiver`() throws {
        var stage = try DriverStage(.casic)
        stage.wait(30)
        for rest in [30.0, 280] {
            stage.follow(.sleep(until: stage.now + .seconds(rest)))
            stage.wait(rest)
            stage.follow(.run(RunPlan(isDutyCycleFix: true)))
            stage.wait(15)
        }
        #expect(
            stage.writtenText.filter { $0.hasPrefix("$PCAS12") }.map { $0.prefix(11) } == [
                "$PCAS12,40*", "$PCAS12,290",
            ])
    }

    @Test(arguments: [ReceiverKind.ublox8, .casic, .mtk])
    func `a duty-cycle fix changes no settings`(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind)
        stage.wait(30)
        stage.follow(.run(RunPlan(dynamics: .automotive, allowsPowerSave: true)))
        stage.wait(20)
        stage.follow(.sleep(until: stage.now + .seconds(40)))
        stage.wait(20)
        #expect(stage.driver.report.activity == .asleep)
        let before = stage.written.count
        stage.follow(.run(RunPlan(isDutyCycleFix: true)))
        stage.wait(15)
        // Only the wake byte was written.
        #expect(stage.written.count == before + 1)
        stage.follow(.run(RunPlan(dynamics: .automotive, allowsPowerSave: true)))
        stage.wait(15)
        #expect(kind == .mtk || stage.written.count > before + 1)
    }

    /// The command may leave the host only after the suspension.
    @Test(arguments: [ReceiverKind.ublox8, .mtk], [0...0, 0...3, 1...3])
    func `a host that is suspended just after the sleep command knows that the receiver sleeps`(
        kind: ReceiverKind, lag: ClosedRange<Int>
    ) throws {
        for seconds in [3.0, 7, 600] {
            var stage = try DriverStage(kind)
            stage.wait(60)
            stage.follow(.sleepIndefinitely)
            for _ in 0..<100 where stage.sleepCommands == 0 { stage.wait(0.05) }
            #expect(stage.memory?.isAsleep == true)
            stage.suspend(seconds, late: lag)
            stage.wait(30)
            #expect(stage.memory?.isAsleep == true && stage.power == .standby)
            stage.follow(.run(RunPlan()))
            stage.wait(10)
            #expect(stage.epochs(10) == 10)
        }
    }

    /// The port is opened again after a short suspension, and a program needs positions.
    @Test(arguments: [false, true])
    func `what a receiver has sent before it fell asleep does not make it awake`(isNativeUSB: Bool) throws {
        var stage = try DriverStage(.ublox8, isNativeUSB: isNativeUSB)
        stage.wait(60)
        stage.follow(.sleepIndefinitely)
        for _ in 0..<100 where stage.sleepCommands == 0 { stage.wait(0.05) }
        stage.crash(isNativeUSB: isNativeUSB)
        stage.follow(.run(RunPlan()))
        stage.suspend(0.03, late: 0...2)
        stage.wait(20)
        #expect(stage.epochs(10) == 10 && stage.memory?.isAsleep == false)
    }

    @Test func `a failed sleep is retried after an hour`() {
        var shortcomings = FailedSleepMethods()
        shortcomings.record(.ubloxStandby, at: .zero)
        #expect(!shortcomings.allow(.ubloxStandby, at: .zero + .seconds(3599)))
        #expect(
            shortcomings.allow(.casicStandby, at: .zero)
                && shortcomings.allow(.ubloxStandby, at: .zero + .seconds(3600)))
    }
}
