import Chronology
import Locator
import Simulator
import Testing

@testable import Receivers

/// Draws what a driver requests over hours with faults, as `Tests/Timelines` has it.
@Suite struct DriverTimelineTests {
    private static let kinds: [ReceiverKind] = [
        .ublox6, .ublox8, .ubloxM9, .ubloxM10, .mtk, .casic, .quectel, .airoha, .teseo, .sirf,
    ]

    /// A receiver without replies is treated as one that ignores all.
    @Test(arguments: kinds, [CommandBehavior.normal, .silent])
    func `settings, sleep and its end`(kind: ReceiverKind, manner: CommandBehavior) throws {
        var stage = try DriverStage(kind, manner: manner, keepsDatabase: manner == .normal)
        stage.wait(30)
        stage.follow(.run(RunPlan(period: .milliseconds(500), dynamics: .automotive)))
        stage.wait(90)
        stage.follow(.sleep(until: stage.now + .seconds(4)))
        stage.wait(10)
        for rest in [40.0, 200] {
            stage.follow(.sleep(until: stage.now + .seconds(rest)))
            stage.wait(rest)
            stage.follow(.run(RunPlan(isDutyCycleFix: true)))
            stage.wait(40)
        }
        stage.follow(.run(RunPlan(allowsPowerSave: true)))
        stage.wait(60)
        stage.follow(.sleepIndefinitely)
        stage.wait(4000)
        stage.follow(.run(RunPlan()))
        stage.wait(60)
        stage.finish()
        try stage.timeline.expect("driver-\(kind)-\(manner)")
    }

    /// The wire to the receiver breaks while it sleeps, and each second command is lost later.
    @Test(arguments: kinds)
    func `lost commands`(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind)
        stage.wait(30)
        for hours in [2.0, 0.2] {
            stage.follow(.sleepIndefinitely)
            stage.wait(60)
            stage.transmission = { _ in nil }
            stage.timeline.note("nothing arrives", at: stage.now)
            stage.follow(.run(RunPlan()))
            stage.wait(hours * 3600)
            stage.transmission = { $0 }
            stage.timeline.note("all arrives", at: stage.now)
            stage.wait(1200)
        }
        var count = 0
        stage.transmission = { bytes in
            count += 1
            return count.isMultiple(of: 2) ? bytes : nil
        }
        stage.timeline.note("half arrives", at: stage.now)
        stage.follow(.run(RunPlan(period: .milliseconds(200), dynamics: .airborne, allowsPowerSave: true)))
        stage.wait(100)
        stage.follow(.sleepIndefinitely)
        stage.wait(100)
        stage.follow(.run(RunPlan()))
        stage.wait(100)
        stage.finish()
        try stage.timeline.expect("driver-\(kind)-lost")
    }

    /// Noise ends each sleep; later the device is replugged in each stage, and then silent.
    @Test(arguments: kinds)
    func `noise, replugs and silence`(kind: ReceiverKind) throws {
        let silence = Fault(.silence, start: .seconds(7000), duration: .seconds(300))
        var stage = try DriverStage(kind, faults: [silence])
        stage.wait(30)
        for _ in 0..<5 {
            stage.follow(.sleepIndefinitely)
            stage.wait(60)
            stage.timeline.note("noise", at: stage.now)
            stage.receiver.process([0xFF], at: stage.now)
            stage.wait(60)
        }
        stage.wait(3600)
        for plan in [ReceiverPlan.run(RunPlan(period: .milliseconds(200))), .sleepIndefinitely, .run(RunPlan())] {
            stage.follow(plan)
            for delay in [0.01, 1, 30] {
                stage.wait(delay)
                stage.timeline.note("replug", at: stage.now)
                stage.driver.portLost(at: stage.now)
                stage.isOpen = false
                stage.wait(5)
                stage.receiver.powerOn(at: stage.now)
                stage.open()
            }
        }
        stage.wait(7010 - (stage.now - .zero).seconds)
        stage.follow(.run(RunPlan(period: .milliseconds(500), dynamics: .pedestrian, allowsPowerSave: true)))
        stage.wait(600)
        stage.finish()
        try stage.timeline.expect("driver-\(kind)-noise")
    }
}
