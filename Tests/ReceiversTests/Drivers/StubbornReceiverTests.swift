import Chronology
import Delivery
import ReceiverSimulator
import Testing

@testable import Receivers

/// Receivers that do not do as they are told, and ports that may not be written to.
@Suite struct StubbornReceiverTests {
    private static let commanded: [ReceiverKind] = [.ublox6, .ublox8, .ubloxM9, .ubloxM10, .mtk, .casic, .quectel, .airoha, .teseo]

    /// The wire to the receiver is not connected: it goes on as it is, and resting is closing the port.
    @Test(arguments: commanded)
    func oneThatHearsNothingIsGivenUp(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind, manner: .ignore, opening: 0)
        stage.wait(30)
        stage.follow(.run(RunPlan(period: .milliseconds(500), isThrifty: true)))
        stage.wait(60)
        #expect(stage.epochs(10) == 10)
        stage.follow(.rest)
        stage.wait(120)
        #expect(!stage.isOpen)
        #expect(stage.memory?.isAsleep != true)
        let count = stage.written.count
        stage.follow(.run(RunPlan()))
        stage.wait(30)
        #expect(stage.isOpen && stage.epochs(10) == 10)
        for _ in 0..<3 {
            stage.follow(.rest)
            stage.wait(60)
            #expect(!stage.isOpen)
            stage.follow(.run(RunPlan(period: .milliseconds(200))))
            stage.wait(60)
        }
        #expect(stage.written.count - count <= 40)
        #expect(stage.epochs(10) == 10)
    }

    /// It does as it is told and says nothing: its deeds count.
    @Test(arguments: commanded)
    func oneThatNeverAnswersIsJudgedByItsDeeds(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind, manner: .mute, opening: 0)
        stage.wait(40)
        stage.follow(.run(RunPlan(period: .milliseconds(500))))
        stage.wait(40)
        if kind != .teseo, stage.driver.report.chip != .generic { #expect((19...21).contains(stage.epochs(10))) }
        stage.follow(.rest)
        stage.wait(60)
        if stage.driver.report.chip == .generic {
            #expect(!stage.isOpen)
        } else {
            #expect(stage.power == .standby || stage.power == .stopped)
        }
        stage.follow(.run(RunPlan()))
        stage.wait(100)
        #expect(stage.epochs(10) == 10)
    }

    @Test(arguments: commanded)
    func aPassivePortIsNeverWrittenTo(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind, isPassive: true, opening: 0)
        stage.wait(30)
        for plan in [
            ReceiverPlan.run(RunPlan(period: .milliseconds(200))), .rest, .run(RunPlan()), .standby(until: stage.now + .seconds(400)),
        ] {
            stage.follow(plan)
            stage.wait(60)
        }
        #expect(!stage.isOpen)
        stage.wait(300)
        #expect(stage.isOpen && stage.epochs(10) == 10)
        stage.finish()
        #expect(stage.written.isEmpty && stage.memory == nil)
    }

    @Test func aSilentPortIsNotWrittenTo() throws {
        var stage = try DriverStage(.ublox8, faults: [Fault(.silence, start: .zero)])
        stage.follow(.run(RunPlan(period: .milliseconds(200))))
        stage.wait(3600)
        stage.follow(.rest)
        stage.wait(3600)
        stage.finish()
        #expect(stage.written.isEmpty)
    }

    @Test func garbageIsNoProof() throws {
        var driver = ReceiverDriver()
        driver.opened(at: .zero)
        for second in 0..<100 {
            driver.heard([0xB5, 0x62, 1, 2, 0, 0, 3, 10, 36, 71, 80].span.bytes, at: .zero + .seconds(Double(second)))
            driver.advance(to: .zero + .seconds(Double(second)))
        }
        #expect(driver.takeActions().isEmpty)
    }

    /// The program dies while its receiver sleeps. The next one finds a silent port, knows why, and wakes it.
    @Test(arguments: commanded, [false, true])
    func whoSleptWhenTheProgramDiedIsWoken(kind: ReceiverKind, isNativeUSB: Bool) throws {
        var stage = try DriverStage(kind, isNativeUSB: isNativeUSB)
        stage.wait(30)
        stage.follow(.rest)
        stage.wait(20)
        #expect(stage.memory?.isAsleep == true)
        #expect(stage.power == .standby || stage.power == .stopped)
        stage.crash(isNativeUSB: isNativeUSB)
        stage.wait(90)
        #expect(stage.epochs(10) == 10)
        #expect(stage.driver.report.chip == kind.chip)
        #expect(stage.memory?.isAsleep == false)
    }

    /// It was left at five hertz: the next program brings it back to what it came with.
    @Test func whatACrashLeftBehindIsTakenBack() throws {
        var stage = try DriverStage(.ubloxM9)
        stage.wait(30)
        stage.follow(.run(RunPlan(period: .milliseconds(200), isThrifty: true)))
        stage.wait(20)
        #expect(stage.power == .powerSave)
        stage.follow(.run(RunPlan(period: .milliseconds(200), dynamics: .airborne)))
        stage.wait(20)
        stage.crash()
        stage.wait(30)
        #expect(stage.power == .tracking)
        stage.finish()
        #expect(stage.epochs(10) == 10)
        #expect(stage.count("GST,", 5) == 0)
        // CFG-NAVSPG-DYNMODEL, portable.
        #expect(stage.writtenText.last { $0.hasPrefix("B5 62 06 8A 09 00 00 01 00 00 21 00 11 20") }?.contains("11 20 00") == true)
    }

    /// A setting after which nothing more comes is taken back, and not tried again.
    @Test func settingsThatSilenceAreTakenBack() throws {
        var stage = try DriverStage(.ublox8, faults: [Fault(.silence, start: .seconds(40), duration: .seconds(8))])
        stage.wait(30)
        stage.follow(.run(RunPlan(period: .seconds(1), isThrifty: true)))
        stage.wait(40)
        #expect(stage.power == .tracking)
        #expect(stage.driver.report.activity == .working)
        #expect(stage.epochs(10) == 10)
    }

    /// A receiver that sleeps and cannot be woken is tried ever more seldom, and found when it comes back.
    @Test func whoDoesNotWakeIsTriedSeldom() throws {
        var stage = try DriverStage(.mtk, faults: [Fault(.silence, start: .seconds(50), duration: .seconds(7200))])
        stage.wait(30)
        stage.follow(.rest)
        stage.wait(20)
        stage.follow(.run(RunPlan()))
        stage.wait(7000)
        #expect(stage.written.count < 100)
        stage.wait(1300)
        #expect(stage.epochs(10) == 10)
        #expect(stage.driver.report.activity == .working)
    }

    /// Whatever a line says, nothing breaks, and little is written.
    @Test func noiseIsTakenCalmly() throws {
        var random = RandomSource(seed: 3, purpose: 1)
        func sentence(_ body: String) -> [UInt8] { Command.sentence(body).bytes }
        for turn in 0..<20 {
            var settings = ReceiverDriver.Settings()
            settings.baud = turn % 2 == 0 ? 9600 : nil
            var driver = ReceiverDriver(settings)
            driver.opened(at: .zero)
            var now = Instant.zero
            var writes = 0
            let plans: [ReceiverPlan] = [.rest, .run(RunPlan(period: .milliseconds(200), isThrifty: true)), .run(RunPlan())]
            let bodies = [
                "PMTK001,220,99999999999999999999", "PMTK001,161,3", "PAIR001,050,0", "GPRMC,999999999.9", "GPRMC,nan,A", "GPGGA,inf,,",
                "GPTXT,01,01,02,PROTVER=1e999", "PQTMGNSSSUSPEND,OK", "GPRMC,000001.00,V", "GPGGA,000002.00,", "PSTMVER",
                "GPTXT,01,01,02,SW=",
            ]
            for _ in 0..<2000 {
                now = now + .milliseconds(Int64(random.next() % 900))
                let noise = (0..<20).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
                driver.heard((noise + sentence(bodies[Int(random.next() % UInt64(bodies.count))])).span.bytes, at: now)
                if random.next() % 40 == 0 { driver.follow(plans[Int(random.next() % 3)], at: now) }
                driver.advance(to: now)
                for action in driver.takeActions() {
                    if case .write = action { writes += 1 }
                    if action == .openPort { driver.opened(at: now) }
                }
            }
            #expect(writes < 1000)
            driver.finish(at: now)
            for _ in 0..<100 { driver.advance(to: driver.deadline ?? now) }
            #expect(driver.isFinished)
        }
    }

    @Test func anUnpluggedReceiverIsBegunWithAnew() throws {
        var stage = try DriverStage(.ublox8)
        stage.wait(30)
        stage.driver.lost(at: stage.now)
        stage.isOpen = false
        stage.wait(10)
        let count = stage.written.count
        stage.open()
        stage.wait(20)
        #expect(stage.driver.report.activity == .working)
        #expect(stage.written.count > count)
    }
}
