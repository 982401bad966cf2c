import Chronology
import Locator
import Simulator
import Testing

@testable import Receivers

/// Draws what a session requests of its port with faults of the line, as `Tests/Timelines` has it.
@Suite struct LineTimelineTests {
    @Test(
        arguments: [BinaryProtocol.ubx, .sirf, .skytraq, .casic, .allystar],
        [BinaryOutput.Case.outputOff, .noReplies, .restarts, .refuses])
    func `a binary protocol, replugged once`(family: BinaryProtocol, behavior: BinaryOutput.Case) throws {
        let stage = try LineStage(BinaryOutput(family, behavior), baud: 38_400)
        stage.wait(200)
        stage.timeline.note("replug", at: stage.now)
        stage.replug()
        stage.wait(100)
        try stage.timeline.expect("line-\(family)-\(behavior)")
    }

    @Test(
        arguments: [OpenFailure.notFound, .denied("no permission"), .busy("in use"), .other("no device")],
        [true, false])
    func `a device that is lost and cannot be opened`(failure: OpenFailure, isConfigured: Bool) throws {
        var settings = LineStage.configured
        settings.isConfigured = isConfigured
        let stage = try LineStage(BinaryOutput(.ubx, .sentences), settings: settings)
        stage.hasDriver = true
        stage.wait(30)
        for failures in [[failure], [.notFound, failure], [failure, .notFound]] {
            stage.timeline.note("lost", at: stage.now)
            stage.lose()
            for failure in failures {
                stage.failure = failure
                stage.timeline.note("\(failure)", at: stage.now)
                if !isConfigured { stage.open() }
                stage.wait(20)
            }
            stage.failure = nil
            stage.timeline.note("back", at: stage.now)
            if !isConfigured { stage.open() }
            stage.wait(60)
        }
        stage.failure = failure
        stage.apply(.sleepIndefinitely)
        stage.wait(60)
        stage.apply(.run(RunPlan()))
        stage.wait(60)
        stage.finish()
        stage.wait(60)
        let name = "\(failure)".prefix { $0 != "(" }
        try stage.timeline.expect("line-\(name)-\(isConfigured ? "configured" : "discovered")")
    }

    /// The line has another rate, some rates are refused, and nothing arrives for a while.
    @Test(
        arguments: [9600, 115_200, 460_800],
        [[], [38_400], [9600, 38_400, 115_200, 57_600, 19_200, 4800, 230_400, 460_800, 921_600]])
    func `a baud rate that is sought`(baud: Int, refused: Set<Int>) throws {
        let stage = try LineStage(BinaryOutput(.ubx, .sentences), baud: baud, present: 4800)
        stage.hasDriver = true
        stage.refused = refused
        stage.wait(300)
        stage.timeline.note("silence", at: stage.now)
        stage.isOpen = false
        stage.wait(200)
        stage.isOpen = true
        stage.timeline.note("power cut", at: stage.now)
        stage.cutPower()
        stage.wait(200)
        stage.apply(.sleep(until: stage.now + .seconds(100)))
        stage.wait(200)
        stage.finish()
        stage.wait(10)
        try stage.timeline.expect("line-rate-\(baud)-refused-\(refused.count)")
    }

    @Test(arguments: ["passive", "power", "rescue", "open", "possible", "hidden"])
    func `what forbids commands, and its end`(reason: String) throws {
        var settings = LineStage.configured
        settings.isPassive = reason == "passive"
        settings.controlsPower = reason != "power"
        settings.rescues = reason != "rescue"
        let stage = try LineStage(BinaryOutput(.ubx), settings: settings)
        switch reason {
        case "open": stage.use = .open(["gpsd (pid 812)"], command: "sudo kill 812")
        case "possible": stage.use = .possible("gpsd", command: "sudo kill 812")
        case "hidden": stage.use = .hidden
        default: break
        }
        stage.wait(150)
        stage.timeline.note("unused", at: stage.now)
        stage.use = .unused
        stage.wait(100)
        try stage.timeline.expect("line-\(reason)")
    }
}
