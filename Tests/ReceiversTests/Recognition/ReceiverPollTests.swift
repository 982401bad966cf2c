import Chronology
import Simulator
import Testing

@testable import Receivers

@Suite struct ReceiverPollTests {
    private static func answer(to bytes: [UInt8]) -> String? {
        var poll = ReceiverPoll(baudRate: 9600)
        for byte in bytes { poll.push([byte].span.bytes, at: .zero) }
        return poll.answer
    }

    @Test func `a receiver that is asked answers with its name`() throws {
        var options = SimulatorOptions()
        options.binary = BinaryOutput(.ubx)
        options.baud = 9600
        var receiver = try options.receiver(origin: .zero)
        for question in ReceiverPoll.questions { receiver.process(question, at: .zero) }
        let bytes = receiver.bytes(until: .zero + .milliseconds(600)).flatMap(\.bytes)
        // Its messages of a second come before the answer.
        #expect(Self.answer(to: bytes) == "a receiver with UBX")
        let version = Array("ROM CORE 3.01 (107888)".utf8) + [UInt8](repeating: 0, count: 18)
        let answer = UBXFrame(0x0A, 0x04, version).bytes
        #expect(Self.answer(to: answer) == "a receiver with UBX (ROM CORE 3.01 (107888))")
    }

    @Test(arguments: [
        ("\r\nOK\r\n", "a modem"),
        ("$GPGGA,120000.00,,,,,0,00,,,M,,M,,*4B\r\n", "a device with NMEA sentences (GPGGA)"),
        ("gateway login: ", "a Linux console"),
    ])
    func `other devices are named`(text: String, answer: String) {
        #expect(Self.answer(to: Array(text.utf8)) == answer)
    }

    @Test func `a single frame is an answer, and noise is none`() {
        #expect(Self.answer(to: Hex.bytes("A0A1000283098A0D0A")) == "a receiver with SkyTraq binary")
        #expect(Self.answer(to: Array(repeating: 0x80, count: 200)) == nil)
    }

    @Test func `an echo of the questions is no answer`() {
        var poll = ReceiverPoll(baudRate: 9600)
        for question in ReceiverPoll.questions {
            poll.push(question.span.bytes, at: .zero)
            #expect(poll.answer == nil, "\(question)")
        }
        #expect(poll.hasEcho)
        // An answer after it is one.
        poll.push(Hex.bytes("A0A1000283098A0D0A").span.bytes, at: .zero)
        #expect(poll.answer == "a receiver with SkyTraq binary")
    }

    @Test func `the questions change nothing`() {
        // MON-VER of three families, versions of two, five sentences and AT.
        #expect(ReceiverPoll.questions.count == 11)
        #expect(!ReceiverPoll.questions.contains { $0.count > 3 && $0[0] == 0xB5 && $0[2] == 0x06 })
    }
}
