import Chronology
import Locator
import Positioning
import Simulator
import Testing

@testable import Receivers

/// The navigation database of u-blox receivers, and AssistNow data of the owner.
@Suite struct SatelliteDataTests {
    private static let utc = UTCTime(rfc3339: "2026-11-27T17:00:00Z") ?? UTCTime(milliseconds: 0)
    private static let hour = Instant.Span.seconds(3600)

    /// Returns a receiver that has had a fix for a while, and is about to rest.
    private func stage(
        _ kind: ReceiverKind, baud: Int = 115_200, fix: Double = 90, keeps: Bool = true
    ) throws -> DriverStage {
        var stage = try DriverStage(kind, baud: baud, opening: 0, keepsDatabase: keeps)
        stage.driver.recordEpoch(hasFix: true, at: stage.now)
        stage.wait(fix)
        return stage
    }

    private func rest(_ stage: inout DriverStage, for span: Instant.Span = hour) {
        stage.follow(.sleep(until: stage.now + span))
        stage.wait(30)
    }

    @Test(arguments: [ReceiverKind.ublox8, .ubloxM9, .ubloxM10])
    func `the database is dumped before a long rest, once in half an hour, and the receiver sleeps`(
        kind: ReceiverKind
    ) throws {
        var stage = try stage(kind)
        rest(&stage)
        #expect(stage.dumps.map { UBXFrame.frames(in: $0.bytes).count } == [60])
        #expect(stage.dumps.first?.firmware.hasPrefix("FWVER=SPG") == true && stage.isReceiverAsleep)
        stage.follow(.run(RunPlan()))
        stage.wait(20)
        stage.driver.recordEpoch(hasFix: true, at: stage.now)
        stage.wait(90)
        rest(&stage)
        #expect(stage.dumps.count == 1 && stage.isReceiverAsleep)
    }

    @Test func `the database is dumped at the end of the program`() throws {
        var stage = try stage(.ublox8)
        stage.finish()
        #expect(stage.dumps.count == 1 && stage.driver.isFinished && stage.memory == nil)
        // There is no time for it on a slower line.
        var slow = try self.stage(.ublox8, baud: 57_600)
        slow.finish()
        #expect(slow.dumps.isEmpty && slow.driver.isFinished)
    }

    @Test func `it is not dumped without a reason`() throws {
        var stages = [
            try stage(.ublox8, baud: 9600), try stage(.ublox8, fix: 50), try stage(.ublox8, keeps: false),
            try stage(.ublox6), try stage(.mtk), try stage(.quectel),
        ]
        for index in stages.indices { rest(&stages[index]) }
        var short = try stage(.ublox8)
        rest(&short, for: .seconds(300))
        #expect(
            (stages + [short]).allSatisfy { stage in
                stage.dumps.isEmpty && !stage.written.contains { $0.bytes.starts(with: [0xB5, 0x62, 0x13, 0x80]) }
            })
    }

    @Test func `a dump that lacks messages is not kept`() throws {
        let entry = UBXFrame(0x13, 0x80, [UInt8](repeating: 1, count: 164))
        func end(_ type: UInt8, _ count: UInt8) -> UBXFrame {
            UBXFrame(0x13, 0x60, [type, 0, 0, 0x80, count, 0, 0, 0])
        }
        func kept(_ frames: [UBXFrame], isAtEnd: Bool = false, isLost: Bool = false) -> Bool {
            var channel = CommandChannel(isPassive: false, savedState: nil)
            var receiver = ReceiverIdentification(ReceiverIdentity())
            receiver.record(
                .ubx(UBXFrame(0x0A, 0x04, [UInt8](repeating: 0, count: 40) + Array("FWVER=SPG 5.10".utf8) + zeros(16))))
            receiver.record(
                .ubx(UBXFrame(0x0A, 0x04, [UInt8](repeating: 0, count: 40) + Array("PROTVER=34.10".utf8) + zeros(17))))
            _ = receiver.recordReply(toProbe: 0, on: &channel)
            var reader = DatabaseReader(isEnabled: true)
            reader.record(hasFix: true, at: .zero)
            #expect(!reader.steps(receiver, channel, isAtEnd: isAtEnd, at: .zero + .seconds(60)).isEmpty)
            for frame in frames { reader.receive(.ubx(frame)) }
            if isLost { reader.cancel() }
            reader.end(receiver, on: &channel)
            return !channel.takeActions().isEmpty
        }
        #expect(kept([entry, entry, end(1, 2)]) && kept([entry, entry, end(1, 2)], isAtEnd: true))
        #expect(!kept([entry, end(1, 2)]) && !kept([entry, end(0, 1)]) && !kept([]) && !kept([end(1, 0)]))
        // Without an acknowledgement, the timeout ended it; the end of the program may have cut it.
        #expect(kept([entry]) && !kept([entry], isAtEnd: true))
        #expect(!kept([entry], isLost: true))
        #expect(!kept([UBXFrame](repeating: entry, count: 200) + [end(1, 200)]))
        #expect(!kept([UBXFrame](repeating: UBXFrame(0x13, 0x80, zeros(400)), count: 2)))
    }

    private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    @Test(arguments: [
        ("FWVER=SPG 3.01", 0.0, true), ("FWVER=SPG 3.01", 4, true), ("FWVER=SPG 3.01", 4.01, false),
        ("FWVER=SPG 3.01", -0.01, false), ("FWVER=SPG 4.04", 1, false), ("", 1, false),
    ])
    func `a database is given back to its firmware within 4 h`(firmware: String, hours: Double, isGiven: Bool) {
        let entry = UBXFrame(0x13, 0x80, zeros(164))
        let bytes = entry.bytes + UBXFrame(0x06, 0x04, zeros(4)).bytes + entry.bytes.dropLast() + [0]
        let database = SatelliteData.Database(time: Self.utc, firmware: "FWVER=SPG 3.01", bytes: bytes)
        let messages = SatelliteData(database: database).messages(
            for: firmware, at: Self.utc.advanced(by: .seconds(hours * 3600)))
        // Only messages of a database, and none that is damaged.
        #expect(messages.map(\.frame) == (isGiven ? [entry] : []))
    }

    @Test(arguments: [false, true])
    func `a known device is probed at once, and gets its database after an epoch without a fix`(hasFix: Bool) throws {
        var known = try stage(.ublox8)
        rest(&known)
        let dump = try #require(known.dumps.first)
        var stage = try DriverStage(.ublox8)
        stage.driver.portLost(at: stage.now)
        stage.driver.starts.assistance = StartAssistance(
            clock: BelievedClock(Self.utc, at: stage.now, error: .zero))
        stage.driver.starts.data = SatelliteData(
            database: SatelliteData.Database(time: Self.utc, firmware: dump.firmware, bytes: dump.bytes))
        stage.open()
        stage.follow(.run(RunPlan()))
        stage.wait(1.5)
        func isWritten(_ number: [UInt8]) -> Bool {
            stage.written.contains { $0.bytes.dropFirst(2).starts(with: number) }
        }
        #expect(isWritten([0x0A, 0x04]) && !isWritten([0x13]))
        stage.driver.recordEpoch(hasFix: hasFix, at: stage.now)
        stage.wait(3)
        #expect(isWritten([0x13, 0x80]) == !hasFix)
    }

    @Test func `of the owner's files, AssistNow Offline of today is given`() {
        func ano(_ day: UInt8, number: UInt8 = 0x20) -> UBXFrame {
            UBXFrame(0x13, number, [0, 0, 7, 0, 26, 11, day] + zeros(69))
        }
        let time = UBXFrame(0x13, 0x40, [0x10] + zeros(23))
        let frames = [time, ano(26), ano(27), ano(28), ano(27, number: 0x21), UBXFrame(0x06, 0x09, zeros(12))]
        let bytes = SatelliteData.messages(of: frames, on: Self.utc.date)
        #expect(UBXFrame.frames(in: bytes) == [ano(27)])
        // The day is that of the start, whatever it was when the file was read.
        let data = SatelliteData(files: bytes)
        #expect(data.messages(for: "FWVER=", at: Self.utc).map(\.kind) == [.file])
        #expect(data.messages(for: "FWVER=", at: Self.utc.advanced(by: .seconds(86_400))).isEmpty)
        let many = SatelliteData.messages(of: [UBXFrame](repeating: ano(27), count: 1000), on: Self.utc.date)
        #expect(many.count <= SatelliteData.maxBytes && many.count > SatelliteData.maxBytes - 84)
    }

    @Test func `data follows the time, at the speed of the line`() {
        var commands = AssistanceCommands(
            StartAssistance(clock: BelievedClock(Self.utc, at: .zero, error: .zero)), for: .ublox8, at: .zero)
        commands.add([(UBXFrame(0x13, 0x80, zeros(164)), .database)], baud: 38_400)
        #expect(commands.steps.count == 2 && commands.kinds == [.time, .database])
        // 172 bytes take 44 ms, and the receiver 10 ms.
        #expect(commands.steps.last?.command.timeout == .milliseconds(54))
    }
}
