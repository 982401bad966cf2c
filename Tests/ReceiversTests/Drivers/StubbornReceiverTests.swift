import Chronology
import Locator
import Simulator
import Testing

@testable import Receivers

/// Tests of receivers that do not execute commands, and of ports that must not be written to.
@Suite struct StubbornReceiverTests {
    private static let commanded: [ReceiverKind] = [
        .ublox6, .ublox8, .ubloxM9, .ubloxM10, .mtk, .casic, .quectel, .airoha, .teseo,
    ]

    /// The transmit wire is not connected: the receiver keeps its settings, and the driver saves
    /// power by closing the port.
    @Test(arguments: commanded)
    func `a receiver that ignores all commands is no longer configured`(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind, manner: .ignore, opening: 0)
        stage.wait(30)
        stage.follow(.run(RunPlan(period: .milliseconds(500), allowsPowerSave: true)))
        stage.wait(60)
        #expect(stage.epochs(10) == 10)
        stage.follow(.sleepIndefinitely)
        stage.wait(120)
        #expect(!stage.isOpen)
        #expect(stage.memory?.isAsleep != true)
        let count = stage.written.count
        stage.follow(.run(RunPlan()))
        stage.wait(30)
        #expect(stage.isOpen && stage.epochs(10) == 10)
        for _ in 0..<3 {
            stage.follow(.sleepIndefinitely)
            stage.wait(60)
            #expect(!stage.isOpen)
            stage.follow(.run(RunPlan(period: .milliseconds(200))))
            stage.wait(60)
        }
        #expect(stage.written.count - count <= 40)
        #expect(stage.epochs(10) == 10)
    }

    /// The receiver executes commands without replies, so the driver evaluates its behaviour.
    @Test(arguments: commanded)
    func `a receiver without replies is judged by its behaviour`(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind, manner: .silent, opening: 0)
        stage.wait(40)
        stage.follow(.run(RunPlan(period: .milliseconds(500))))
        stage.wait(40)
        if kind != .teseo, stage.driver.report.chip != .generic { #expect((19...21).contains(stage.epochs(10))) }
        stage.follow(.sleepIndefinitely)
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
    func `a passive port is never written to`(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind, isPassive: true, opening: 0)
        stage.wait(30)
        for plan in [
            ReceiverPlan.run(RunPlan(period: .milliseconds(200))), .sleepIndefinitely, .run(RunPlan()),
            .sleep(until: stage.now + .seconds(400)),
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

    @Test func `a silent port is not written to`() throws {
        var stage = try DriverStage(.ublox8, faults: [Fault(.silence, start: .zero)])
        stage.follow(.run(RunPlan(period: .milliseconds(200))))
        stage.wait(3600)
        stage.follow(.sleepIndefinitely)
        stage.wait(3600)
        stage.finish()
        #expect(stage.written.isEmpty)
    }

    @Test func `garbled bytes do not confirm a receiver`() throws {
        var driver = ReceiverDriver()
        var line = DriverLine()
        driver.portOpened(at: .zero)
        for second in 0..<100 {
            line.receive(
                [0xB5, 0x62, 1, 2, 0, 0, 3, 10, 36, 71, 80], at: .zero + .seconds(Double(second)), by: &driver)
            driver.advance(to: .zero + .seconds(Double(second)))
        }
        #expect(driver.takeActions().isEmpty)
    }

    /// The program crashes while its receiver sleeps. The next program finds a silent port, reads
    /// the stored state and wakes the receiver.
    @Test(arguments: commanded, [false, true])
    func `a receiver that was asleep at a crash is woken`(kind: ReceiverKind, isNativeUSB: Bool) throws {
        var stage = try DriverStage(kind, isNativeUSB: isNativeUSB)
        stage.wait(30)
        stage.follow(.sleepIndefinitely)
        stage.wait(20)
        #expect(stage.memory?.isAsleep == true)
        #expect(stage.power == .standby || stage.power == .stopped)
        stage.crash(isNativeUSB: isNativeUSB)
        stage.wait(90)
        #expect(stage.epochs(10) == 10)
        #expect(stage.driver.report.chip == kind.chip)
        #expect(stage.memory?.isAsleep == false)
    }

    /// The crash left the receiver at 5 Hz; the next program restores its original settings.
    @Test func `settings left by a crash are restored`() throws {
        var stage = try DriverStage(.ubloxM9)
        stage.wait(30)
        stage.follow(.run(RunPlan(period: .milliseconds(200), allowsPowerSave: true)))
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
        // CFG-NAVSPG-DYNMODEL with the portable model.
        #expect(
            stage.writtenText.last { $0.hasPrefix("B5 62 06 8A 09 00 00 01 00 00 21 00 11 20") }?.contains("11 20 00")
                == true)
    }

    @Test func `a setting that silences the receiver is reverted`() throws {
        var stage = try DriverStage(.ublox8, faults: [Fault(.silence, start: .seconds(40), duration: .seconds(8))])
        stage.wait(30)
        stage.follow(.run(RunPlan(period: .seconds(1), allowsPowerSave: true)))
        stage.wait(40)
        #expect(stage.power == .tracking)
        #expect(stage.driver.report.activity == .running)
        #expect(stage.epochs(10) == 10)
    }

    /// The receiver confirms each command for its period and keeps the one that it has.
    @Test func `a period that the receiver does not keep is requested once`() throws {
        var stage = try DriverStage(.mtk)
        stage.wait(30)
        stage.transmission = {
            String(decoding: $0, as: UTF8.self).hasPrefix("$PMTK220,") ? Command.sentence("PMTK220,1000").bytes : $0
        }
        let before = stage.written.count
        stage.follow(.run(RunPlan(period: .milliseconds(500))))
        stage.wait(600)
        #expect(stage.writtenText.dropFirst(before).count { $0.hasPrefix("$PMTK220,") } == 1)
        #expect(stage.epochs(10) == 10 && stage.driver.report.period == .seconds(1))
    }

    /// CFG-RATE, CFG-NAV5, CFG-MSG and CFG-PMS.
    @Test(arguments: [0x08, 0x24, 0x01, 0x86] as [UInt8])
    func `a setting that the receiver refuses is requested once and not restored`(number: UInt8) throws {
        var stage = try DriverStage(.ublox8)
        let start: [UInt8] = [0xB5, 0x62, 0x06, number]
        stage.transmission = { $0.starts(with: start) ? UBXFrame(0x06, number, []).bytes : $0 }
        stage.wait(30)
        stage.follow(
            .run(RunPlan(period: .milliseconds(500), dynamics: .airborne, allowsPowerSave: number == 0x86)))
        stage.wait(1)
        #expect(stage.driver.report.period == (number == 0x08 ? .seconds(1) : .milliseconds(500)))
        stage.wait(300)
        let count = stage.written.count { $0.bytes.starts(with: start) }
        #expect(count == (number == 0x86 ? 2 : 1), "power saving is ended once before")
        stage.follow(.run(RunPlan(period: .milliseconds(500))))
        stage.wait(300)
        stage.finish()
        #expect(stage.written.count { $0.bytes.starts(with: start) } == count)
    }

    /// Noise on the line wakes the receiver, which has no timer.
    @Test(arguments: [false, true])
    func `sleep is given up after three unexpected wakes without another one between`(areConsecutive: Bool) throws {
        var stage = try DriverStage(.ublox8)
        stage.wait(30)
        for _ in 0..<3 {
            stage.follow(.sleepIndefinitely)
            stage.wait(60)
            #expect(stage.power == .standby)
            stage.receiver.process([0xFF], at: stage.now)
            stage.wait(60)
            if areConsecutive { continue }
            stage.follow(.run(RunPlan()))
            stage.wait(60)
        }
        stage.follow(.sleepIndefinitely)
        stage.wait(60)
        #expect((stage.power == .standby) == !areConsecutive)
    }

    @Test func `a wake that is lost is repeated, and a receiver that was replugged sleeps again`() throws {
        var stage = try DriverStage(.ublox8)
        stage.wait(30)
        stage.follow(.sleepIndefinitely)
        stage.wait(60)
        #expect(stage.isReceiverAsleep)
        var isFirst = true
        stage.transmission = { bytes in
            defer { isFirst = false }
            return isFirst ? nil : bytes
        }
        stage.follow(.run(RunPlan()))
        stage.wait(20)
        #expect(stage.epochs(10) == 10)
        stage.follow(.sleepIndefinitely)
        stage.wait(60)
        stage.driver.portLost(at: stage.now)
        stage.receiver.process([0xFF], at: stage.now)
        stage.wait(10)
        #expect(!stage.isReceiverAsleep)
        stage.open()
        stage.wait(120)
        #expect(stage.isReceiverAsleep)
    }

    /// Wake attempts on an unresponsive receiver become rarer, and the receiver is found when it
    /// returns.
    @Test func `wake attempts on an unresponsive receiver become rare`() throws {
        var stage = try DriverStage(.mtk, faults: [Fault(.silence, start: .seconds(50), duration: .seconds(7200))])
        stage.wait(30)
        stage.follow(.sleepIndefinitely)
        stage.wait(20)
        stage.follow(.run(RunPlan()))
        stage.wait(7000)
        #expect(stage.written.count < 100)
        stage.wait(1300)
        #expect(stage.epochs(10) == 10)
        #expect(stage.driver.report.activity == .running)
    }

    @Test func `random input causes few writes and no failure`() throws {
        var random = RandomSource(seed: 3, purpose: 1)
        func sentence(_ body: String) -> [UInt8] { Command.sentence(body).bytes }
        for turn in 0..<20 {
            var settings = DriverSettings()
            settings.baud = turn % 2 == 0 ? 9600 : nil
            var driver = ReceiverDriver(settings)
            var line = DriverLine()
            driver.portOpened(at: .zero)
            var now = Instant.zero
            var writes = 0
            func carryOut() {
                for action in driver.takeActions() {
                    if case .write = action { writes += 1 }
                    if action == .openPort { driver.portOpened(at: now) }
                }
            }
            let plans: [ReceiverPlan] = [
                .sleepIndefinitely, .run(RunPlan(period: .milliseconds(200), allowsPowerSave: true)), .run(RunPlan()),
            ]
            let bodies = [
                "PMTK001,220,99999999999999999999", "PMTK001,161,3", "PAIR001,050,0", "GPRMC,999999999.9",
                "GPRMC,nan,A", "GPGGA,inf,,",
                "GPTXT,01,01,02,PROTVER=1e999", "PQTMGNSSSUSPEND,OK", "GPRMC,000001.00,V", "GPGGA,000002.00,",
                "PSTMVER",
                "GPTXT,01,01,02,SW=",
            ]
            for _ in 0..<2000 {
                now = now + .milliseconds(Int64(random.next() % 900))
                let noise = (0..<20).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
                let body = bodies[Int(random.next() % UInt64(bodies.count))]
                line.receive(noise + sentence(body), at: now, by: &driver)
                if random.next() % 40 == 0 { driver.setPlan(plans[Int(random.next() % 3)], at: now) }
                driver.advance(to: now)
                carryOut()
            }
            #expect(writes < 1000)
            driver.finish(at: now)
            for _ in 0..<100 {
                carryOut()
                driver.advance(to: driver.deadline ?? now)
            }
            #expect(driver.isFinished)
        }
    }

    @Test func `a replugged receiver is configured from the start`() throws {
        var stage = try DriverStage(.ublox8)
        stage.wait(30)
        stage.driver.portLost(at: stage.now)
        stage.isOpen = false
        stage.wait(10)
        let count = stage.written.count
        stage.open()
        stage.wait(20)
        #expect(stage.driver.report.activity == .running)
        #expect(stage.written.count > count)
    }
}
