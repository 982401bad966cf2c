import Chronology
import NMEA

/// A command to a receiver, and how to recognise its acknowledgement.
struct Command: Sendable, Equatable {
    var bytes: [UInt8]
    /// The reply of a receiver that supports the command.
    var expectedReply = ExpectedReply.none
    /// The number of times to write the command before giving up on a reply.
    var attempts = 2
    /// The timeout for the reply after each write, which allows for a burst in progress. For a
    /// command without a reply, the pause after it.
    var timeout = Instant.Span.milliseconds(1500)

    /// The kinds of replies.
    enum ExpectedReply: Sendable, Equatable {
        /// No reply; only the effect shows whether the command succeeded.
        case none
        /// UBX-ACK-ACK or UBX-ACK-NAK for a message.
        case ubxAcknowledgement(group: UInt8, number: UInt8)
        /// A UBX message of this class and number.
        case ubx(group: UInt8, number: UInt8)
        /// `PMTK001,number,3`; 0, 1 and 2 are refusals (GlobalTop PMTK A08).
        case pmtk(Int)
        /// `PAIR001,number,0`; 1 means "wait", greater values are refusals.
        case pair(Int)
        /// A sentence with this prefix; a refusal if ERROR follows.
        case sentence(String)
    }

    /// The meaning of a reply.
    enum CommandReply: Sendable, Equatable {
        case accepted, refused
    }

    /// Returns what a received message means for this command; nil if it is unrelated.
    func reply(on message: ReceivedMessage) -> CommandReply? {
        switch (expectedReply, message) {
        case (.ubxAcknowledgement(let group, let number), .ubx(let frame)):
            guard frame.group == 0x05, frame.number <= 1, frame.payload == [group, number] else { return nil }
            return frame.number == 1 ? .accepted : .refused
        case (.ubx(let group, let number), .ubx(let frame)):
            return frame.group == group && frame.number == number ? .accepted : nil
        case (.pmtk(let number), .sentence(let body)):
            return Command.result(of: "PMTK001", number: number, body: body).map { $0 == 3 ? .accepted : .refused }
        case (.pair(let number), .sentence(let body)):
            guard let result = Command.result(of: "PAIR001", number: number, body: body), result != 1 else {
                return nil
            }
            return result == 0 ? .accepted : .refused
        case (.sentence(let prefix), .sentence(let body)):
            // Texts are matched by content, with any talker.
            let matches = prefix.hasPrefix(",") ? body.contains(part: prefix) : body.hasPrefix(prefix)
            return matches ? (body.dropFirst(prefix.count).contains(part: "ERROR") ? .refused : .accepted) : nil
        default: return nil
        }
    }

    /// Returns the result in `address,number,result`.
    private static func result(of address: String, number: Int, body: String) -> Int? {
        let fields = body.split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count >= 3, fields[0] == address, Int(fields[1]) == number else { return nil }
        return Int(fields[2])
    }
}

extension Command {
    /// Creates a sentence from its body; adds the checksum and the line end.
    static func sentence(
        _ body: String, reply: ExpectedReply = .none, attempts: Int = 2, timeout: Instant.Span? = nil
    ) -> Command {
        let sum = body.utf8.reduce(0) { $0 ^ $1 }
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes =
            [UInt8(ascii: "$")] + body.utf8 + [UInt8(ascii: "*"), digits[Int(sum >> 4)], digits[Int(sum & 15)], 13, 10]
        return Command(
            bytes: bytes, expectedReply: reply, attempts: reply == .none ? 1 : attempts,
            timeout: timeout ?? (reply == .none ? .milliseconds(50) : .milliseconds(1500)))
    }

    /// Creates a UBX message. By default, configuration messages (class 0x06) are acknowledged and
    /// others are not.
    static func ubx(_ group: UInt8, _ number: UInt8, _ payload: [UInt8] = [], isAcknowledged: Bool? = nil) -> Command {
        let bytes = UBXFrame(group, number, payload).bytes
        guard isAcknowledged ?? (group == 0x06) else {
            return Command(bytes: bytes, attempts: 1, timeout: .milliseconds(50))
        }
        return Command(bytes: bytes, expectedReply: .ubxAcknowledgement(group: group, number: number))
    }
}
