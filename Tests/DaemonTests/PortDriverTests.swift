import Chronology
import Glibc
import Locator
import Logging
import Receivers
import SerialPorts
import ServiceRuntime
import TestSupport
import Testing

@testable import Simulator
@testable import sextantd

/// Tests of what is written to a receiver through its port, and when.
@Suite struct PortDriverTests {
    @Test func `nothing is written without a plan`() throws {
        let stage = try PortStage()
        try stage.wait(60)
        #expect(stage.written.isEmpty && stage.port.session.driverReport == nil && stage.memory == nil)
    }

    @Test func `nothing is written when power management is off`() throws {
        let stage = try PortStage(power: .off)
        stage.follow(.sleepIndefinitely)
        try stage.wait(60)
        #expect(stage.written.isEmpty && stage.port.isOpen)
    }

    @Test func `a passive receiver is not written to and its unneeded port is closed`() throws {
        let stage = try PortStage(isPassive: true)
        stage.follow(.sleepIndefinitely)
        try stage.wait(60)
        #expect(stage.written.isEmpty && !stage.port.isOpen && stage.statuses == [.open])
        stage.follow(.run(RunPlan()))
        #expect(stage.port.isOpen && stage.statuses == [.open])
    }

    @Test(arguments: [ReceiverPlan.sleepIndefinitely, .run(RunPlan())])
    func `a port is opened again after the host has slept`(plan: ReceiverPlan) throws {
        let stage = try PortStage()
        stage.follow(plan)
        try stage.wait(30)
        let epochs = stage.epochs
        stage.port.reopen(at: stage.now)
        stage.follow(.run(RunPlan()))
        try stage.wait(20)
        #expect(stage.port.isOpen && stage.epochs > epochs + 5 && stage.memory?.isAsleep == false)
    }

    @Test func `a receiver that sleeps is left asleep after the host has slept`() throws {
        let stage = try PortStage()
        stage.follow(.sleepIndefinitely)
        var told: Instant?
        while stage.port.session.driverReport?.activity != .asleep, stage.now < .zero + .seconds(60) {
            try stage.wait(0.1)
            if told == nil, stage.port.session.driverReport?.isToldToSleep == true { told = stage.now }
        }
        // The suspension need not wait for the silence that proves the sleep.
        #expect(stage.now - (try #require(told)) > .seconds(2))
        let written = stage.written
        stage.port.reopen(at: stage.now)
        try stage.wait(60)
        #expect(stage.written == written && stage.port.session.driverReport?.activity == .asleep)
    }

    @Test func `an unneeded receiver is put to sleep and woken on demand`() throws {
        let stage = try PortStage()
        stage.follow(.sleepIndefinitely)
        try stage.wait(30)
        #expect(stage.port.session.driverReport?.activity == .asleep && stage.memory?.isAsleep == true)
        let epochs = stage.epochs
        try stage.wait(60)
        #expect(stage.epochs == epochs && stage.statuses == [.open] && stage.draw != .tracking)
        #expect(stage.port.session.powerState == stage.draw)
        stage.follow(.run(RunPlan()))
        try stage.wait(20)
        #expect(stage.epochs > epochs && stage.memory?.isAsleep == false)
    }

    @Test func `a receiver whose state cannot be saved stays awake until it can be`() throws {
        let stage = try PortStage()
        stage.canSave = false
        stage.follow(.sleepIndefinitely)
        try stage.wait(130)
        let epochs = stage.epochs
        try stage.wait(30)
        #expect(stage.epochs > epochs && stage.memory == nil && stage.port.isOpen)
        stage.canSave = true
        try stage.wait(120)
        #expect(stage.memory?.isAsleep == true && stage.draw != .tracking)
    }

    /// The time of simulated receivers, at the start of the stage.
    private var assistance: StartAssistance {
        StartAssistance(clock: BelievedClock(SimulatedCapture.defaultStart, at: .zero, error: .milliseconds(20)))
    }

    private func wroteTime(_ stage: PortStage) -> Bool {
        stage.written.contains { $0.starts(with: [0xB5, 0x62, 0x13, 0x40, 24, 0, 0x10]) }
    }

    @Test func `a receiver without a fix is told the time once, and its start is recorded`() throws {
        let stage = try PortStage(isCold: true)
        stage.assistance = assistance
        stage.follow(.run(RunPlan()))
        try stage.wait(60)
        #expect(stage.starts.map(\.kind) == [.aided] && stage.starts.first?.assisted == [.time])
        let bytes = stage.written.joined()
        let count = zip(bytes, bytes.dropFirst()).count { $0 == 0x13 && $1 == 0x40 }
        #expect(count == 1)
        // The sentences are the same afterwards.
        let epochs = stage.epochs
        try stage.wait(10)
        #expect(stage.epochs == epochs + 10)
    }

    private var database: SatelliteData {
        SatelliteData(
            database: SatelliteData.Database(
                time: SimulatedCapture.defaultStart, firmware: "FWVER=SPG 3.01",
                bytes: UBXInterpreter.database(SimulatedCapture.defaultStart)))
    }

    @Test func `a receiver that was only asleep is not given its database`() throws {
        let stage = try PortStage(isCold: true)
        stage.assistance = assistance
        stage.satelliteData = database
        stage.memory = ReceiverStateRecord(chip: .ublox8, protocolNumber: 18, isAsleep: true)
        stage.crash()
        stage.follow(.run(RunPlan()))
        try stage.wait(60)
        #expect(stage.starts.count == 1 && wroteTime(stage))
        let frames = UBXFrame.frames(in: Array(stage.written.joined()))
        #expect(!frames.contains { $0.group == 0x13 && $0.number == 0x80 })
    }

    @Test func `a receiver that had no power is given its database after the time, once`() throws {
        let stage = try PortStage(isCold: true)
        stage.assistance = assistance
        stage.satelliteData = database
        stage.crash()
        stage.follow(.run(RunPlan()))
        try stage.wait(60)
        #expect(stage.starts.map(\.kind) == [.aided] && stage.starts.first?.assisted == [.time, .database])
        #expect(stage.starts.allSatisfy { $0.duration < .seconds(12) })
        let frames = UBXFrame.frames(in: Array(stage.written.joined())).filter { $0.group == 0x13 }
        #expect(frames.count == 1 + UBXInterpreter.entries && frames.first?.number == 0x40)
    }

    @Test func `nothing is told to a receiver with a fix, to a passive one, or by a clock that is not believed`() throws
    {
        let running = try PortStage()
        running.assistance = assistance
        let passive = try PortStage(isPassive: true, isCold: true)
        passive.assistance = assistance
        let unknown = try PortStage(isCold: true)
        unknown.assistance = StartAssistance()
        for stage in [running, passive, unknown] {
            stage.follow(.run(RunPlan()))
            try stage.wait(60)
            #expect(!wroteTime(stage))
        }
        #expect(running.starts.isEmpty && unknown.starts.map(\.kind) == [.cold])
    }

    @Test func `what is a minute old is not told`() throws {
        let stage = try PortStage(isCold: true)
        stage.assistance = assistance
        try stage.wait(61)
        stage.follow(.run(RunPlan()))
        try stage.wait(60)
        #expect(!wroteTime(stage))
    }

    @Test func `nothing is told without control of the power, although a driver restores settings`() throws {
        let stage = try PortStage(isCold: true)
        stage.follow(.run(RunPlan(period: .seconds(5))))
        for _ in 0..<20 where stage.memory == nil { try stage.wait(1) }
        #expect(stage.memory != nil)
        stage.assistance = StartAssistance(
            clock: BelievedClock(SimulatedCapture.defaultStart, at: stage.now, error: .milliseconds(20)))
        stage.crash(power: .off)
        try stage.wait(60)
        #expect(!wroteTime(stage))
    }

    @Test func `shutdown wakes the receiver and restores its settings`() throws {
        let stage = try PortStage()
        stage.follow(.sleepIndefinitely)
        try stage.wait(30)
        #expect(stage.memory?.isAsleep == true)
        stage.finish()
        try stage.wait(2)
        #expect(stage.port.isFinished && stage.memory == nil)
        let epochs = stage.epochs
        try stage.wait(20)
        #expect(stage.epochs > epochs)
    }

    @Test(arguments: [Settings.Power.auto, .off])
    func `a receiver left asleep by a crash is woken`(power: Settings.Power) throws {
        let stage = try PortStage()
        stage.follow(.sleepIndefinitely)
        try stage.wait(30)
        #expect(stage.memory?.isAsleep == true)
        stage.crash(power: power)
        let epochs = stage.epochs
        try stage.wait(20)
        #expect(stage.epochs > epochs && stage.memory?.isAsleep != true)
    }

    @Test func `stored receiver states that cannot be read are read again, and not replaced until then`() throws {
        let scratch = try Scratch()
        let terminal = try PseudoTerminal.open(baud: 115_200)
        var settings = Settings()
        settings.state = scratch.path
        settings.discover = false
        settings.ports = [Settings.NamedPort(device: terminal.path, baud: 115_200)]
        let context = try ServiceContext(settings, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let services = DaemonServices(context)
        try #require(mkdir(scratch("receivers"), 0o755) == 0)
        let manager = PortManager(
            loop: context.loop, log: context.log, stateDirectory: scratch.path, receivers: services.receivers)
        let now = context.loop.now
        manager.apply(settings, at: now)
        let port = try #require(manager.ports.first)
        try #require(rmdir(scratch("receivers")) == 0)
        manager.handle(.savedStateChanged(ReceiverStateRecord(chip: .mediatek, isAsleep: false)), of: port, at: now)
        let saved = "sextant receivers 1\nublox8 18.0 asleep 1000 any plain \(port.device.identity)\n"
        #expect(manager.savedState(of: port) == nil && access(scratch("receivers"), F_OK) != 0)
        try scratch.write(saved, to: "receivers")
        manager.tick(at: now + PortManager.rereading)
        #expect(manager.savedState(of: port)?.isAsleep == true && port.session.driverReport != nil)
        // After a failed attempt the file may have either state.
        let (awake, asleep) = (
            ReceiverStateRecord(chip: .ublox8, isAsleep: false), ReceiverStateRecord(chip: .ublox8, isAsleep: true)
        )
        manager.handle(.savedStateChanged(asleep), of: port, at: now)
        try #require(mkdir(scratch("receivers.new"), 0o755) == 0)
        manager.handle(.savedStateChanged(awake), of: port, at: now)
        #expect(manager.savedState(of: port) == asleep)
        try #require(rmdir(scratch("receivers.new")) == 0)
        try scratch.write("sextant receivers 1\n", to: "receivers")
        manager.handle(.savedStateChanged(asleep), of: port, at: now)
        #expect(Scratch.text(of: scratch("receivers")).contains(" asleep "))
        manager.apply(Settings(), at: now)
        withExtendedLifetime(services) {}
    }

    @Test func `a port that another entry names is closed at once, and one without an entry after 2 s at most`() throws
    {
        let scratch = try Scratch()
        let terminal = try PseudoTerminal.open(baud: 115_200)
        let identity = DeviceEnumerator.describe(terminal.path).identity
        try scratch.write("sextant receivers 1\nublox8 18.0 asleep 1000 airborne error \(identity)\n", to: "receivers")
        var settings = Settings()
        settings.state = scratch.path
        settings.discover = false
        let context = try ServiceContext(settings, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let services = DaemonServices(context)
        let manager = PortManager(
            loop: context.loop, log: context.log, stateDirectory: scratch.path, receivers: services.receivers)
        let now = context.loop.now
        var ports: [Port] = []
        for baud in [115_200, 9600] {
            settings.ports = [Settings.NamedPort(device: terminal.path, baud: baud)]
            manager.apply(settings, at: now)
            ports += manager.ports
        }
        #expect(ports.map(\.isOpen) == [false, true] && manager.areFinished == false)
        settings.ports = []
        manager.apply(settings, at: now)
        #expect(ports[1].isOpen && !manager.areFinished)
        manager.tick(at: now + .seconds(2))
        #expect(!ports[1].isOpen && manager.areFinished && manager.deadline == nil)
        withExtendedLifetime(services) {}
    }

    @Test func `stored receiver states are parsed back`() throws {
        var memories = ReceiverStateStore()
        var memory = ReceiverStateRecord(chip: .ublox8, protocolNumber: 18, isAsleep: true)
        memory.initialPeriod = 1000
        memory.dynamics = .automotive
        memory.outputsErrorEstimate = true
        let changes = [memory, memory, nil].map { memories.store($0, for: "usb:1546:01a8 port 1-1.4") }
        #expect(changes == [true, false, true] && memories == ReceiverStateStore())
        _ = memories.store(memory, for: "usb:1546:01a8 port 1-1.4")
        _ = memories.store(ReceiverStateRecord(chip: .generic, isAsleep: false), for: "/dev/ttyS0")
        #expect(ReceiverStateStore(text: memories.text) == memories && memories["usb:1546:01a8 port 1-1.4"] == memory)
        let heading = "sextant receivers 1\n"
        for line in [
            "ublox8 x asleep - any plain a", "ublox8 inf asleep - any plain a", "who - asleep - any plain a",
            "ublox8 - nap - any plain a",
            "x",
        ] {
            #expect(ReceiverStateStore(text: heading + line) == nil, "\(line)")
        }
        #expect(ReceiverStateStore(text: "") == nil && ReceiverStateStore(text: heading) == ReceiverStateStore())
    }
}
