import Chronology
import Locator
import Simulator
import Testing

@testable import Receivers

/// Tests of a session with receivers that were left in a binary protocol, at the other end of a
/// simulated line.
@Suite struct RescueTests {
    static let rescuable: [BinaryProtocol] = [.ubx, .sirf, .skytraq, .casic, .allystar]

    @Test(arguments: BinaryProtocol.allCases)
    func `a receiver at any baud rate is named within 20 s, and only one of some families gets commands`(
        family: BinaryProtocol
    ) throws {
        for baud in BaudRateDetector.order {
            let stage = try LineStage(BinaryOutput(family), baud: baud)
            stage.wait(40)
            let named = try #require(stage.named, "\(family) at \(baud)")
            #expect(named.at.nanoseconds < 20_000_000_000, "\(family) at \(baud)")
            #expect(named.text.contains("\(family.rawValue) at \(baud) baud"), "\(named.text)")
            let isRescued = Self.rescuable.contains(family) && (family != .sirf || baud < 65_536)
            #expect((stage.firstFix != nil) == isRescued, "\(family) at \(baud)")
            #expect(stage.written.isEmpty == !isRescued, "\(family) at \(baud)")
            #expect(stage.rescued == (isRescued ? [family] : []), "\(family) at \(baud)")
            #expect((stage.status == .open) == isRescued, "\(stage.status)")
        }
    }

    @Test(
        arguments: [ReceiverKind.ublox6, .ublox8, .ubloxM9, .ubloxM10], [BinaryOutput.Case.outputOff, .sentencesOff])
    func `every generation of u-blox is switched, and its binary messages end`(
        kind: ReceiverKind, behavior: BinaryOutput.Case
    ) throws {
        let stage = try LineStage(BinaryOutput(.ubx, behavior), kind: kind, baud: 38_400)
        stage.wait(20)
        #expect(stage.firstFix != nil && stage.rescued == [.ubx])
        // The first command is for keys, and the port is configured only by an echo of its answer.
        #expect(stage.written.first == Hex.bytes("B562068A090000010000020074100121B8"))
        let portCommands = stage.written.filter { $0.starts(with: [0xB5, 0x62, 0x06, 0x00]) && $0.count > 8 }
        let needsPort = behavior == .outputOff && (kind == .ublox6 || kind == .ublox8)
        #expect(portCommands.count == (needsPort ? 1 : 0))
        #expect(stage.written.contains(Hex.bytes("B562060103000107001250")))
    }

    @Test(arguments: [BinaryOutput.Case.noReplies, .restarts, .dollars])
    func `a difficult receiver is switched`(behavior: BinaryOutput.Case) throws {
        for kind in [ReceiverKind.ublox8, .ubloxM10] {
            let stage = try LineStage(BinaryOutput(.ubx, behavior), kind: kind)
            stage.wait(40)
            #expect(stage.firstFix != nil && stage.rescued == [.ubx], "\(kind)")
        }
    }

    @Test func `a receiver that refuses is tried twice until it is plugged in again`() throws {
        let stage = try LineStage(BinaryOutput(.ubx, .refuses))
        stage.wait(120)
        let polls = stage.written.count { $0 == UbloxRescue.outputKey(isNativeUSB: false) }
        #expect(polls == 2 && stage.firstFix == nil)
        guard case .unreadable(let text, .binaryProtocol) = stage.status else {
            Issue.record("\(stage.status)")
            return
        }
        #expect(text.contains("did not follow the commands") && text.contains("u-center"))
        let before = stage.written.count
        stage.replug()
        stage.wait(60)
        #expect(stage.written.count == 2 * before)
    }

    @Test func `a receiver that forgets is switched after each plug`() throws {
        let stage = try LineStage(BinaryOutput(.ubx))
        for _ in 0..<5 {
            stage.wait(40)
            #expect(stage.status == .open)
            stage.replug()
        }
        stage.wait(40)
        #expect(stage.rescued == Array(repeating: .ubx, count: 6))
    }

    @Test func `a receiver that sends both is read, and nothing is written`() throws {
        for baud in BaudRateDetector.order {
            let stage = try LineStage(BinaryOutput(.ubx, .mixed), baud: baud)
            stage.wait(40)
            #expect(stage.firstFix != nil && stage.written.isEmpty && stage.named == nil, "\(baud)")
        }
    }

    @Test(arguments: [BinaryProtocol.ubx, .skytraq])
    func `a base station or logger is left unchanged`(family: BinaryProtocol) throws {
        let stage = try LineStage(BinaryOutput(family, .base), baud: 115_200)
        stage.wait(60)
        #expect(stage.written.isEmpty)
        #expect(stage.named?.text.contains("as a base station or a logger does") == true)
    }

    @Test(arguments: ["passive", "power", "rescue", "holder"])
    func `what forbids commands is named`(reason: String) throws {
        var settings = LineStage.configured
        settings.isPassive = reason == "passive"
        settings.controlsPower = reason != "power"
        settings.rescues = reason != "rescue"
        let stage = try LineStage(BinaryOutput(.ubx), settings: settings)
        if reason == "holder" { stage.use = .open(["gpsd (pid 812)"], command: "sudo kill 812") }
        stage.wait(60)
        #expect(stage.written.isEmpty && stage.firstFix == nil)
        guard case .unreadable(let text, _) = stage.status else {
            Issue.record("\(stage.status)")
            return
        }
        let words = [
            "passive": "passive = true", "power": "power = \"off\"", "rescue": "rescue = false",
            "holder": "gpsd (pid 812)",
        ]
        #expect(text.contains(words[reason] ?? "?"), "\(text)")
    }

    @Test(arguments: [
        PortUse.open(["cat (pid 9)"], command: "sudo kill 9"), .possible("gpsd (pid 812)", command: "sudo kill 812"),
        .hidden,
    ])
    func `a receiver is switched a minute after the other program has ended`(use: PortUse) throws {
        let stage = try LineStage(BinaryOutput(.ubx))
        stage.use = use
        stage.wait(30)
        #expect(stage.written.isEmpty && "\(stage.status)".contains(use.advice))
        stage.use = .unused
        stage.wait(70)
        #expect(stage.rescued == [.ubx] && stage.status == .open)
    }

    /// The keys are those of the port, by one rule for the switch and for the driver.
    @Test(arguments: [
        (LineStage.native, false, "B562068A090000010000020078100125C4"),
        (LineStage.kernel, false, "B562068A090000010000020074100121B8"),
        (LineStage.converter, true, "B562068A090000010000020074100121B8"),
    ])
    func `the keys are those of the receiver's own USB port or of its UART`(
        device: DeviceDescription, hasBaudRate: Bool, first: String
    ) throws {
        let stage = try LineStage(BinaryOutput(.ubx), hasBaudRate: hasBaudRate, device: device)
        // Nobody needs a position: a receiver with NMEA would be read rarely.
        stage.setReadPolicy(.interval(.seconds(60)))
        stage.wait(20)
        #expect(stage.written.first == Hex.bytes(first))
        #expect(!stage.written.contains { $0.count == 17 && $0 != Hex.bytes(first) })
        #expect(stage.firstFix != nil && stage.status == .open)
    }

    /// A detected baud rate, a configured one, and a port without one.
    @Test(arguments: [(true, true), (true, false), (false, false)])
    func `a receiver that loses power is switched again, without a limit`(hasBaudRate: Bool, detects: Bool) throws {
        let stage = try LineStage(BinaryOutput(.ubx), hasBaudRate: hasBaudRate, detects: detects)
        for count in 1...5 {
            stage.wait(75)
            #expect(stage.rescued.count == count && stage.status == .open)
            #expect(!stage.needsMessages)
            stage.cutPower()
        }
    }

    @Test func `a receiver that does not keep its settings is switched once a minute`() throws {
        let stage = try LineStage(BinaryOutput(.ubx))
        var switches: [Instant] = []
        var texts: Set<String> = []
        for _ in 0..<300 {
            stage.wait(1)
            if case .unreadable(let text, _) = stage.status { texts.insert(text) }
            guard stage.rescued.count > switches.count else { continue }
            switches.append(stage.now)
            stage.cutPower()
        }
        #expect((4...5).contains(switches.count))
        #expect(zip(switches, switches.dropFirst()).allSatisfy { $1 - $0 >= .seconds(60) })
        #expect(texts.contains { $0.contains("was switched to NMEA within the last minute") })
        #expect(!texts.contains { $0.contains("did not follow") })
    }

    @Test func `a receiver that loses power on a line with a fixed rate and sends texts is switched again`() throws {
        let stage = try LineStage(BinaryOutput(.ubx), detects: false)
        stage.countsEpochs = true
        stage.wait(20)
        #expect(stage.rescued == [.ubx])
        stage.cutPower()
        for _ in 0..<80 {
            stage.wait(0.5)
            stage.send("$GNTXT,01,01,02,ANTSTATUS=OK*25\r\n")
            stage.wait(0.5)
        }
        #expect(stage.rescued == [.ubx, .ubx])
    }

    @Test func `a text in a sentence does not end the recognition`() throws {
        let stage = try LineStage(BinaryOutput(.ubx), detects: false)
        for _ in 0..<15 {
            stage.send("$GNTXT,01,01,02,ANTSTATUS=OK*25\r\n")
            stage.wait(1)
        }
        #expect(stage.rescued == [.ubx] && stage.status == .open)
    }

    @Test func `the sentences of another device end the recognition after some seconds`() throws {
        let stage = try LineStage(BinaryOutput(.ubx), detects: false)
        for second in 0..<5 {
            #expect(stage.needsMessages == (second < 4))
            stage.send("$HEHDT,10.0,T*1E\r\n")
            stage.now = stage.now + .seconds(1)
        }
        #expect(!stage.needsMessages)
    }

    @Test func `an unknown converter is switched and confirmed, or closed with the name of the protocol`() throws {
        let stage = try LineStage(BinaryOutput(.ubx), settings: SessionSettings())
        stage.wait(40)
        #expect(stage.isConfirmed && stage.status == .open)
        let other = try LineStage(BinaryOutput(.garmin), settings: SessionSettings())
        other.wait(80)
        #expect(!other.isOpen)
        guard case .notGNSS(let text, .binaryProtocol) = other.status else {
            Issue.record("\(other.status)")
            return
        }
        #expect(text.contains("Garmin binary at 9600 baud"))
    }
}

@Suite struct RescueSequenceTests {
    @Test(arguments: [ReceiverKind.ublox8, .ubloxM10, .casic])
    func `a receiver with settings to keep is not put into a sleep that loses them`(kind: ReceiverKind) throws {
        var stage = try DriverStage(kind)
        stage.driver.sleepControl.mustKeepSettings = true
        stage.wait(30)
        stage.follow(.run(RunPlan()))
        stage.wait(30)
        stage.follow(.sleepIndefinitely)
        stage.wait(30)
        #expect(stage.sleepCommands == 0 && !stage.isOpen)
        #expect(stage.driver.report.activity == .portClosed)
    }

    @Test func `the commands are those of the reference`() {
        #expect(UbloxRescue.portPoll == Hex.bytes("B562060000000618"))
        #expect(UbloxRescue.sentences[0] == Hex.bytes("B56206010300F00001FB10"))
        #expect(
            UbloxRescue.sentenceKeys(isNativeUSB: false)[0] == Hex.bytes("B562068A0E0000010000AC00912001BB009120016A44")
        )
        #expect(
            UbloxRescue.sentenceKeys(isNativeUSB: true)[0] == Hex.bytes("B562068A0E0000010000AE00912001BD009120016E62"))
        #expect(
            OtherRescue.sirf(baudRate: 4800)
                == Hex.bytes("A0A200188102010100010101050101010001000100010001000012C00166B0B3"))
        #expect(OtherRescue.sirf(baudRate: 9600).suffix(6) == Hex.bytes("25800139B0B3"))
        #expect(OtherRescue.casic(baudRate: 9600) == Hex.bytes("BACE08000600FF23C008802500008749C608"))
        #expect(OtherRescue.casic(baudRate: 115_200) == Hex.bytes("BACE08000600FF23C00800C2010007E6C708"))
        #expect(OtherRescue.skytraq == Hex.bytes("A0A10003090100080D0A"))
        #expect(OtherRescue.allystar[0] == Hex.bytes("F1D906010300F00001FB10"))
        #expect(OtherRescue.allystar[3] == Hex.bytes("F1D906010300F00501001A"))
    }

    @Test func `the echo of a port sets one bit`() throws {
        let reply = Hex.bytes("B5620600140001000000D0080000802500000700010000000000A0A9")
        let message = try #require(BinaryFrame(family: .ubx, bytes: reply).ubx)
        let port = try #require(UbloxRescue.PortConfiguration(message))
        #expect(!port.sendsNMEA)
        #expect(port.withNMEA == Hex.bytes("B5620600140001000000D0080000802500000700030000000000A2B5"))
        // A UART without a baud rate is not echoed: the receiver would refuse it.
        var silent = message
        for index in 8..<12 { silent.payload[index] = 0 }
        #expect(UbloxRescue.PortConfiguration(silent)?.withNMEA == nil)
    }

    /// One character is a tenth of a second: `A` accepts keys, `N` refuses them, `P` is the answer
    /// of a port, `S` two sentences, `.` nothing.
    @Test(arguments: [
        // Keys, then the sentences of the keys, then the end.
        ("A...A....S", "keys", "succeeded"),
        // Refused keys: poll, echo, four sentences.
        ("N.P......................S", "port", "succeeded"),
        // No answer at all, and no sentences.
        (String(repeating: ".", count: 90), "sentences", "failed"),
        // Sentences without any answer.
        ("....S.....", "keys", "succeeded"),
        // The keys are accepted without effect, because they are those of another port.
        ("A.A" + String(repeating: ".", count: 33) + "P.........S..", "port", "succeeded"),
    ])
    func `a rescue follows the answers`(drawing: String, last: String, outcome: String) throws {
        var now = Instant.zero
        var rescue = try #require(
            RescueSequence(.ubx, baudRate: 9600, isNativeUSB: false, messages: [[1, 7]], at: now))
        var writes = rescue.takeWrites()
        for stroke in drawing {
            now = now + .milliseconds(100)
            switch stroke {
            case "A": rescue.process(Self.frame("B56205010200068A98C1"), at: now)
            case "N": rescue.process(Self.frame("B56205000200068A97BC"), at: now)
            case "P":
                rescue.process(Self.frame("B5620600140001000000D0080000802500000700010000000000A0A9"), at: now)
            case "S": rescue.sentencesArrived(2, at: now)
            default: break
            }
            // Deadlines are kept exactly.
            while let due = rescue.deadline, due <= now { rescue.advance(to: now) }
            writes += rescue.takeWrites()
        }
        #expect("\(rescue.outcome)" == outcome)
        #expect(writes.contains { $0.count == 28 } == (last == "port"))
        #expect(writes.contains(UbloxRescue.sentences[3]) == (last != "keys"))
    }

    private static func frame(_ text: String) -> BinaryFrame { BinaryFrame(family: .ubx, bytes: Hex.bytes(text)) }
}
