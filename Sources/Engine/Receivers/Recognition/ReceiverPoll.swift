import Chronology
import NMEA

/// Asks whatever is on a line what it is, at one baud rate. For a person who allows that by a
/// command; the daemon itself asks only receivers that send NMEA.
///
/// The questions are for versions, and change nothing (`docs/receiver-commands.md`).
package struct ReceiverPoll: Sendable {
    /// The questions of all makes, in the order in which they are written.
    package static let questions: [[UInt8]] =
        Probe.all.filter { !$0.isWrapper }.map(\.command.bytes) + [
            // MON-VER of Allystar and of CASIC, the software version of SkyTraq and of SiRF.
            [0xF1, 0xD9, 0x0A, 0x04, 0, 0, 0x0E, 0x34], [0xBA, 0xCE, 0, 0, 0x0A, 0x04, 0, 0, 0x0A, 0x04],
            [0xA0, 0xA1, 0, 2, 0x02, 0x01, 0x03, 0x0D, 0x0A], [0xA0, 0xA2, 0, 2, 0x84, 0, 0, 0x84, 0xB0, 0xB3],
            Array("AT\r".utf8),
        ]

    /// The number of bytes that arrived.
    package private(set) var bytes = 0
    /// Who answered or sends without being asked, as the subject of a sentence; nil if nobody has.
    package private(set) var answer: String?
    /// Whether a question came back: a device echoes, or the two lines of data are connected.
    package private(set) var hasEcho = false
    private var recognizer: LineRecognizer
    private var sentences = SentenceStream()

    /// Creates a poll at a baud rate in bits per second; nil for a port without one.
    package init(baudRate: Int?) { recognizer = LineRecognizer(baudRate: baudRate) }

    /// Processes the bytes that arrive after the questions were written.
    package mutating func push(_ chunk: RawSpan, at now: Instant) {
        bytes += chunk.byteCount
        var found: String?
        var hasEcho = hasEcho
        recognizer.push(chunk, at: now) { frame in
            if ReceiverPoll.questions.contains(frame.bytes) { return hasEcho = true }
            found = found ?? ReceiverPoll.name(frame)
        }
        var isQuestion = false
        let onFrame = { (body: RawSpan) in isQuestion = ReceiverPoll.isQuestion(body) }
        sentences.push(chunk, onFrame: onFrame) { address, _ in
            if isQuestion { return hasEcho = true }
            found = found ?? "a device with NMEA sentences (\(address))"
        }
        self.hasEcho = hasEcho
        switch recognizer.finding?.content {
        case .modem: found = found ?? "a modem"
        case .console: found = found ?? "a Linux console"
        case .binary(let family): found = found ?? "a receiver with \(family.rawValue)"
        default: break
        }
        answer = answer ?? found
    }

    /// Returns whether a question has this body of a sentence, the bytes between `$` and `*`.
    private static func isQuestion(_ body: RawSpan) -> Bool {
        body.withUnsafeBytes { body in
            questions.contains {
                $0.first == UInt8(ascii: "$") && $0.dropFirst().prefix { $0 != 42 }.elementsEqual(body)
            }
        }
    }

    private static func name(_ frame: BinaryFrame) -> String {
        guard let message = frame.ubx, message.group == 0x0A, message.number == 0x04 else {
            return "a receiver with \(frame.family.rawValue)"
        }
        return "a receiver with UBX (\(Probe.texts(of: message).first ?? "u-blox"))"
    }
}
