import Chronology

/// Something written to a receiver, and how one learns whether it was taken.
struct Command: Sendable, Equatable {
    /// As it goes over the line.
    var bytes: [UInt8]
    /// What a receiver that understands it says.
    var answer = Answer.none
    /// How often it is written before its answer is given up.
    var attempts = 2
    /// How long an answer is waited for after each writing, behind a burst that is still coming; without an answer, the pause afterwards.
    var patience = Instant.Span.milliseconds(1500)

    /// Ways of answering.
    enum Answer: Sendable, Equatable {
        /// It does not: the effect alone tells.
        case none
        /// UBX-ACK-ACK or -NAK of a message.
        case ubxAcknowledgement(group: UInt8, number: UInt8)
        /// A UBX message of that name.
        case ubx(group: UInt8, number: UInt8)
        /// `PMTK001,number,3`; 0, 1 and 2 are refusals (GlobalTop PMTK A08).
        case pmtk(Int)
        /// `PAIR001,number,0`; 1 is "wait", more are refusals.
        case pair(Int)
        /// A sentence that begins so; a refusal if it goes on with ERROR.
        case sentence(String)
    }

    /// What an answer says.
    enum Verdict: Sendable, Equatable {
        case accepted, refused
    }

    /// What something heard means for this command; nil when it is about something else.
    func verdict(on heard: Utterance) -> Verdict? {
        switch (answer, heard) {
        case (.ubxAcknowledgement(let group, let number), .ubx(let frame)):
            guard frame.group == 0x05, frame.number <= 1, frame.payload == [group, number] else { return nil }
            return frame.number == 1 ? .accepted : .refused
        case (.ubx(let group, let number), .ubx(let frame)):
            return frame.group == group && frame.number == number ? .accepted : nil
        case (.pmtk(let number), .sentence(let body)):
            return Command.result(of: "PMTK001", number, body).map { $0 == 3 ? .accepted : .refused }
        case (.pair(let number), .sentence(let body)):
            guard let result = Command.result(of: "PAIR001", number, body), result != 1 else { return nil }
            return result == 0 ? .accepted : .refused
        case (.sentence(let prefix), .sentence(let body)):
            // Texts are recognised by what they say, whoever of the talkers says it.
            let matches = prefix.hasPrefix(",") ? body.contains(prefix) : body.hasPrefix(prefix)
            return matches ? (body.dropFirst(prefix.count).contains("ERROR") ? .refused : .accepted) : nil
        default: return nil
        }
    }

    /// The result in `address,number,result`.
    private static func result(of address: String, _ number: Int, _ body: String) -> Int? {
        let fields = body.split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count >= 3, fields[0] == address, Int(fields[1]) == number else { return nil }
        return Int(fields[2])
    }
}

extension Command {
    /// A sentence of which the body is given; checksum and line end are added.
    static func sentence(_ body: String, answer: Answer = .none, attempts: Int = 2, patience: Instant.Span? = nil) -> Command {
        let sum = body.utf8.reduce(0) { $0 ^ $1 }
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = [UInt8(ascii: "$")] + body.utf8 + [UInt8(ascii: "*"), digits[Int(sum >> 4)], digits[Int(sum & 15)], 13, 10]
        return Command(
            bytes: bytes, answer: answer, attempts: answer == .none ? 1 : attempts,
            patience: patience ?? (answer == .none ? .milliseconds(50) : .milliseconds(1500)))
    }

    /// A UBX message of the settings, which are all acknowledged, or another, which is not.
    static func ubx(_ group: UInt8, _ number: UInt8, _ payload: [UInt8] = [], isAcknowledged: Bool? = nil) -> Command {
        let bytes = UBXFrame(group, number, payload).bytes
        guard isAcknowledged ?? (group == 0x06) else { return Command(bytes: bytes, attempts: 1, patience: .milliseconds(50)) }
        return Command(bytes: bytes, answer: .ubxAcknowledgement(group: group, number: number))
    }
}
