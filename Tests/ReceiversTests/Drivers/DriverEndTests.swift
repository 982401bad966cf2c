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
