import Chronology
import Delivery
import Locator
import Receivers
import Testing

@testable import sextantd

/// What is written to a receiver through its port, and when.
@Suite struct DrivingTests {
    @Test func nothingIsWrittenWithoutAPlan() throws {
        let stage = try PortStage()
        try stage.wait(60)
        #expect(stage.written.isEmpty && stage.port.driving.driver == nil && stage.memory == nil)
    }

    @Test func nothingIsWrittenWherePowerIsOff() throws {
        let stage = try PortStage(power: .off)
        stage.follow(.rest)
        try stage.wait(60)
        #expect(stage.written.isEmpty && stage.port.isOpen)
    }

    @Test func aPassiveReceiverIsNotWrittenToAndItsPortIsClosed() throws {
        let stage = try PortStage(isPassive: true)
        stage.follow(.rest)
        try stage.wait(60)
        #expect(stage.written.isEmpty && !stage.port.isOpen && stage.statuses == [.open])
        stage.follow(.run(RunPlan()))
        #expect(stage.port.isOpen && stage.statuses == [.open])
    }

    @Test func whoIsNotNeededRestsAndWakes() throws {
        let stage = try PortStage()
        stage.follow(.rest)
        try stage.wait(30)
        #expect(stage.port.driving.driver?.report.activity == .resting && stage.memory?.isAsleep == true)
        let epochs = stage.epochs
        try stage.wait(60)
        #expect(stage.epochs == epochs && stage.statuses == [.open] && stage.draw != .tracking)
        stage.follow(.run(RunPlan()))
        try stage.wait(20)
        #expect(stage.epochs > epochs && stage.memory?.isAsleep == false)
    }

    @Test func theEndTakesEverythingBack() throws {
        let stage = try PortStage()
        stage.follow(.rest)
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
    func afterACrashTheReceiverIsWoken(power: Settings.Power) throws {
        let stage = try PortStage()
        stage.follow(.rest)
        try stage.wait(30)
        #expect(stage.memory?.isAsleep == true)
        stage.crash(power: power)
        let epochs = stage.epochs
        try stage.wait(20)
        #expect(stage.epochs > epochs && stage.memory?.isAsleep != true)
    }

    @Test func whatIsRememberedReadsBack() throws {
        var memories = ReceiverMemories()
        var memory = ReceiverMemory(chip: .ublox8, protocolNumber: 18, isAsleep: true)
        (memory.ownPeriod, memory.dynamics, memory.statesError) = (1000, .automotive, true)
        let changes = [memory, memory, nil].map { memories.remember($0, for: "usb:1546:01a8 port 1-1.4") }
        #expect(changes == [true, false, true] && memories == ReceiverMemories())
        _ = memories.remember(memory, for: "usb:1546:01a8 port 1-1.4")
        _ = memories.remember(ReceiverMemory(chip: .generic, isAsleep: false), for: "/dev/ttyS0")
        #expect(ReceiverMemories(text: memories.text) == memories && memories["usb:1546:01a8 port 1-1.4"] == memory)
        let heading = "sextant receivers 1\n"
        for line in [
            "ublox8 x asleep - any plain a", "ublox8 inf asleep - any plain a", "who - asleep - any plain a", "ublox8 - nap - any plain a",
            "x",
        ] {
            #expect(ReceiverMemories(text: heading + line) == nil, "\(line)")
        }
        #expect(ReceiverMemories(text: "") == nil && ReceiverMemories(text: heading) == ReceiverMemories())
    }
}
