import Chronology
import Locator
import Simulator
import Testing

@testable import Receivers

/// The program may end or crash at any instant.
@Suite struct DriverEndTests {
    private static let commanded: [ReceiverKind] = [
        .ublox6, .ublox8, .ubloxM9, .ubloxM10, .mtk, .casic, .quectel, .airoha, .teseo,
    ]

    /// A crash in between would otherwise leave a receiver asleep that nobody may wake.
    @Test(arguments: commanded)
    func `the record of a sleep is saved before the sleep command is written`(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind)
        stage.wait(30)
        stage.follow(.sleep(until: stage.now + .seconds(180)))
        stage.wait(400)
        stage.follow(.sleepIndefinitely)
        stage.wait(100)
        #expect(stage.sleepCommands >= 2)
        #expect(stage.unsavedSleepCommands == 0)
    }

    /// A SiRF receiver has no sleep method, so its port is closed with its period changed.
    @Test(arguments: [false, true])
    func `the settings behind a closed port are restored, or their record is kept`(isBusy: Bool) throws {
        var stage = try DriverStage(.sirf, opening: 0)
        stage.wait(30)
        stage.follow(.run(RunPlan(period: .seconds(5))))
        stage.wait(60)
        stage.follow(.sleepIndefinitely)
        stage.wait(60)
        #expect(stage.driver.report.chip == .sirf && !stage.isOpen && stage.memory?.initialPeriod == 1000)
        let before = stage.written.count
        stage.isBusy = isBusy
        stage.finish()
        #expect(stage.driver.isFinished && (stage.memory != nil) == isBusy)
        #expect((stage.written.count == before) == isBusy)
        if !isBusy { #expect(stage.epochs(10) == 10) }
    }

    /// A new program has opened the port; it waits, wakes the receiver, and identifies it. An
    /// Airoha sleeps until its timer ends, and gets no command.
    @Test(arguments: commanded, [false, true])
    func `finishing before a sleeping receiver is identified again wakes and restores it`(
        kind: ReceiverKind, isNativeUSB: Bool
    ) throws {
        var stage = try DriverStage(kind, isNativeUSB: isNativeUSB)
        stage.wait(30)
        stage.follow(.run(RunPlan(period: .milliseconds(200), dynamics: .automotive)))
        stage.wait(20)
        stage.follow(.sleepIndefinitely)
        stage.wait(20)
        #expect(stage.isReceiverAsleep)
        stage.crash(isNativeUSB: isNativeUSB)
        var ends = 0
        let start = stage.now
        while stage.driver.report.chip == nil, stage.now < start + .seconds(12) {
            ends += 1
            var ended = stage
            let before = ended.written.count
            ended.finish()
            let moment = "finished after \((stage.now - start).seconds) s"
            #expect(ended.driver.isFinished && ended.memory?.isAsleep != false, "\(moment)")
            // The record stays until a wake has begun.
            let mayBeRemoved = kind != .airoha && stage.now >= start + ReceiverIdentification.minWakeSilence
            #expect(ended.memory != nil || mayBeRemoved, "\(moment)")
            #expect(ended.written.dropFirst(before).allSatisfy { $0.at <= stage.now + .seconds(2) }, "\(moment)")
            #expect((ended.written.count == before) == (kind == .airoha), "\(moment)")
            if kind == .airoha { ended.wait(60) } else { #expect(!ended.isReceiverAsleep, "\(moment)") }
            #expect(ended.epochs(10) == 10 && ended.count("GST,", 5) == 0, "\(moment)")
            ended.crash(isNativeUSB: isNativeUSB)
            ended.wait(30)
            #expect(ended.memory?.isAsleep == false, "\(moment)")
            stage.wait(0.7)
        }
        #expect(ends >= 8)
    }

    /// Another device may be connected to the port, or the line may have another baud rate.
    @Test(arguments: commanded)
    func `nothing is written at the end to a port with other data, and the record stays`(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind)
        stage.wait(30)
        stage.follow(.sleepIndefinitely)
        stage.wait(20)
        #expect(stage.isReceiverAsleep)
        stage.crash()
        stage.wait(1)
        let before = stage.written.count
        var line = DriverLine()
        line.receive(Array("no sentence\n".utf8), at: stage.now, by: &stage.driver)
        stage.finish()
        #expect(stage.driver.isFinished && stage.written.count == before && stage.memory?.isAsleep == true)
    }

    @Test(arguments: commanded)
    func `finishing at any instant of configuring restores the receiver`(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind)
        var ends = 0
        func checkEnd() {
            guard stage.driver.report.activity == .configuring else { return }
            ends += 1
            var ended = stage
            ended.finish()
            #expect(ended.driver.isFinished && ended.memory == nil)
            ended.wait(2)
            let moment = (stage.now - .zero).seconds
            let before = ended.lines.count
            #expect(ended.epochs(6) == 6, "finished at \(moment) s")
            #expect(!ended.lines.dropFirst(before).contains { $0.text.contains("GST,") }, "finished at \(moment) s")
        }
        // The initial configuration, in steps shorter than the time between two commands.
        while stage.now < .zero + .seconds(24) {
            checkEnd()
            stage.wait(0.11)
        }
        let initialEnds = ends
        stage.follow(.run(RunPlan(period: .milliseconds(200), dynamics: .automotive)))
        for _ in 0..<60 {
            checkEnd()
            stage.wait(0.03)
        }
        // A Teseo has one period and no dynamic models.
        #expect(initialEnds > 0 && (ends > initialEnds || kind == .teseo))
    }
}
