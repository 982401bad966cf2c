import Chronology
import Receivers

/// The binary output of a simulated receiver.
package struct BinaryOutput: Sendable, Equatable {
    /// How the receiver deviates from one whose output of NMEA is off.
    package enum Case: String, Sendable, CaseIterable {
        /// The output of NMEA is off, and commands switch it on.
        case outputOff = "output-off"
        /// The output of NMEA is on, and that of each sentence is off.
        case sentencesOff = "sentences-off"
        /// Commands are executed, and the acknowledgements are lost.
        case noReplies = "no-replies"
        /// Bytes are lost for 0.3 s after a command that restarts the port.
        case restarts
        /// Commands are refused.
        case refuses
        /// The messages contain `$`.
        case dollars
        /// The messages come before the sentences of each second.
        case mixed
        /// Raw measurements and corrections, without positions.
        case base
        /// Sentences alone, as after power-on: commands of another program switch them off and
        /// messages on.
        case sentences
    }

    package var family: BinaryProtocol
    package var behavior: Case

    package init(_ family: BinaryProtocol, _ behavior: Case = .outputOff) {
        (self.family, self.behavior) = (family, behavior)
    }

    /// Creates an output from its text, such as `ubx` or `ubx:sentences-off`; nil if it is no
    /// protocol or no case.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard let family = BinaryProtocol.allCases.first(where: { BinaryOutput.name(of: $0) == parts.first }),
            let behavior = parts.count == 1 ? .outputOff : Case(rawValue: parts[1])
        else { return nil }
        self.init(family, behavior)
    }

    package static func name(of family: BinaryProtocol) -> String { "\(family)".lowercased() }

    /// The receiver model that has the protocol.
    var receiver: ReceiverKind {
        switch family {
        case .ubx: .ublox8
        case .sirf: .sirf
        case .casic: .casic
        case .mediatek: .mtk
        default: .generic
        }
    }
}

/// A simulated receiver that sends a binary protocol until a command switches NMEA on.
///
/// It wraps another source, whose sentences it holds back. As a real receiver it loses its settings
/// at power-on.
struct BinaryReceiver: BurstSource {
    private let output: BinaryOutput
    private let baud: Int
    private let hasKeys: Bool
    private var source: CommandableReceiver
    private var settings: Settings
    private var framer = UBXFramer()
    /// The bytes of a command of another protocol than UBX.
    private var input: [UInt8] = []
    private var deafUntil: Instant?
    private var responses: [Burst] = []

    /// What commands change.
    private struct Settings {
        var sendsNMEA: Bool
        var sendsSentences: Bool
        /// The class and number of messages that are off, and the numbers of such sentences.
        var silenced: Set<[UInt8]> = []
        var silencedSentences: Set<UInt8> = []
        /// The protocols of CFG-PRT: input, and output without NMEA.
        var inputs: UInt8 = 7
        var outputs: UInt8 = 1

        init(_ behavior: BinaryOutput.Case) {
            sendsNMEA = [.sentencesOff, .mixed, .sentences].contains(behavior)
            sendsSentences = [.outputOff, .mixed, .restarts, .sentences].contains(behavior)
            if behavior == .sentences { silenced = [[0x01, 0x07], [0x01, 0x61]] }
        }

        /// Records CFG-MSG with the rate of this port.
        mutating func setRate(_ rate: UInt8, group: UInt8, number: UInt8) {
            if group == 0xF0 {
                sendsSentences = sendsSentences || rate > 0
                if rate == 0 { silencedSentences.insert(number) } else { silencedSentences.remove(number) }
            } else if rate == 0 {
                silenced.insert([group, number])
            } else {
                silenced.remove([group, number])
            }
        }

        func filter(_ sentences: [UInt8]) -> [UInt8] {
            guard !silencedSentences.isEmpty else { return sentences }
            let lines = sentences.split(separator: 10, omittingEmptySubsequences: true).filter { line in
                let kind = String(decoding: line.dropFirst(3).prefix(3), as: UTF8.self)
                return !(Settings.numbers[kind].map(silencedSentences.contains) ?? false)
            }
            return lines.flatMap { $0 + [10] }
        }

        /// The numbers of sentences in class F0.
        private static let numbers: [String: UInt8] = [
            "GGA": 0, "GLL": 1, "GSA": 2, "GSV": 3, "RMC": 4, "VTG": 5, "GRS": 6, "GST": 7, "ZDA": 8, "GBS": 9,
        ]
    }

    /// Creates a receiver at a baud rate.
    ///
    /// - Parameter chip: A u-blox receiver of generation 9 or later has keys.
    init(_ source: CommandableReceiver, _ output: BinaryOutput, chip: ReceiverChip, baud: Int) {
        self.source = source
        self.output = output
        self.baud = baud
        hasKeys = chip.family == .ubloxKeys
        settings = Settings(output.behavior)
    }

    var deadline: Instant? { earliest(responses.first?.instant, source.deadline) }
    var isOver: Bool { false }

    private var isSendingNMEA: Bool { settings.sendsNMEA && settings.sendsSentences }

    mutating func burst() -> Burst {
        if let response = responses.first, source.deadline.map({ response.instant <= $0 }) ?? true {
            return responses.removeFirst()
        }
        var burst = source.burst()
        guard burst.bytes.first == UInt8(ascii: "$") else { return burst }
        let sentences = isSendingNMEA ? settings.filter(burst.bytes) : []
        let messages = messages
        burst.bytes = messages + sentences
        burst.sentence = sentences.isEmpty ? nil : messages.count
        return burst
    }

    /// The binary messages of a second.
    private var messages: [UInt8] {
        switch (output.family, output.behavior) {
        // RXM-RAWX and RXM-SFRBX.
        case (.ubx, .base):
            return UBXFrame(0x02, 0x15, Array(repeating: 0, count: 16 + 32 * 8)).bytes
                + UBXFrame(0x02, 0x13, Array(repeating: 0, count: 48)).bytes
        // Measurements.
        case (.skytraq, .base): return BinaryEncoder.skytraq([0xE5] + Array(repeating: 0, count: 100))
        default: break
        }
        if isSendingNMEA, output.family != .ubx, output.behavior != .mixed { return [] }
        let filler = output.behavior == .dollars ? Array("$GPGGA,*47\r\n".utf8) : []
        let frames = BinaryEncoder.epoch(of: output.family, filler: filler)
        return frames.filter { output.family != .ubx || !settings.silenced.contains([$0[2], $0[3]]) }.flatMap(\.self)
    }

    mutating func powerOn(at now: Instant) {
        settings = Settings(output.behavior)
        deafUntil = nil
        input = []
        framer = UBXFramer()
    }

    mutating func process(_ bytes: [UInt8], at now: Instant) {
        if let deafUntil, now < deafUntil { return }
        guard output.behavior != .refuses else { return refuse(bytes, at: now) }
        if output.family == .ubx { return processUBX(bytes, at: now) }
        input += bytes
        // Whole commands arrive in one piece.
        defer { input = [] }
        if isSwitchCommand(input) {
            (settings.sendsNMEA, settings.sendsSentences) = (true, true)
        } else {
            source.process(bytes, at: now)
        }
    }

    /// Whether bytes are the command that switches the family to NMEA, in RAM and at the baud rate
    /// of the line.
    private func isSwitchCommand(_ bytes: [UInt8]) -> Bool {
        switch output.family {
        case .sirf:
            bytes.count == 32 && bytes[4] == 129 && Int(bytes[26]) << 8 | Int(bytes[27]) == baud
                && BinaryEncoder.sirf(Array(bytes[4..<28])) == bytes
        case .skytraq: bytes == BinaryEncoder.skytraq([9, 1, 0])
        case .casic:
            bytes.count == 18 && bytes[7] == 0x23
                && BinaryEncoder.casic(0x06, 0x00, Array(bytes[6..<14])) == bytes
                && Int(bytes[10]) | Int(bytes[11]) << 8 | Int(bytes[12]) << 16 == baud
        // GGA or RMC.
        case .allystar: bytes.starts(with: [0xF1, 0xD9, 0x06, 0x01, 3, 0, 0xF0]) && bytes[8] == 1
        default: false
        }
    }

    private mutating func refuse(_ bytes: [UInt8], at now: Instant) {
        guard output.family == .ubx else { return }
        for byte in bytes {
            guard let frame = framer.push(byte) else { continue }
            respond(UBXFrame(0x05, 0x00, [frame.group, frame.number]), at: now)
        }
    }

    private mutating func respond(_ frame: UBXFrame, at now: Instant) {
        if output.behavior == .noReplies, frame.group == 0x05 { return }
        responses.append(Burst(instant: now + CommandableReceiver.responseDelay, bytes: frame.bytes))
    }
}

// Commands to u-blox receivers.
extension BinaryReceiver {
    private mutating func processUBX(_ bytes: [UInt8], at now: Instant) {
        // Sentences and unknown messages are for the receiver itself.
        guard bytes.first == 0xB5 else { return source.process(bytes, at: now) }
        for byte in bytes {
            guard let frame = framer.push(byte) else { continue }
            if let deafUntil, now < deafUntil { return }
            execute(frame, at: now)
        }
    }

    private mutating func execute(_ frame: UBXFrame, at now: Instant) {
        let payload = frame.payload
        switch (frame.group, frame.number, payload.count) {
        case (0x06, 0x8A, 9...):
            guard hasKeys else { return acknowledge(frame, isAccepted: false, at: now) }
            let key = (0..<4).reduce(UInt32(0)) { $0 | UInt32(payload[4 + $1]) << UInt32($1 * 8) }
            guard payload[1] == 1, [0x1074_0002, 0x2091_00AC, 0x2091_00C0].contains(key) else {
                return source.process(frame.bytes, at: now)
            }
            if key == 0x1074_0002 { settings.sendsNMEA = true } else { settings.sendsSentences = true }
            acknowledge(frame, at: now)
        case (0x06, 0x00, 0) where !hasKeys: respond(UBXFrame(0x06, 0x00, portConfiguration), at: now)
        case (0x06, 0x00, 20) where !hasKeys:
            var expected = portConfiguration
            expected[14] = payload[14]
            // Other programs than the daemon set all protocols of the port.
            if output.behavior == .sentences { expected[12] = payload[12] }
            guard payload == expected else { return acknowledge(frame, isAccepted: false, at: now) }
            (settings.inputs, settings.outputs) = (payload[12], payload[14] & ~2)
            settings.sendsNMEA = payload[14] & 2 != 0
            acknowledge(frame, at: now)
            if output.behavior == .restarts { deafUntil = now + .milliseconds(300) }
        case (0x06, 0x01, 3):
            settings.setRate(payload[2], group: payload[0], number: payload[1])
            acknowledge(frame, at: now)
        default: source.process(frame.bytes, at: now)
        }
    }

    private mutating func acknowledge(_ frame: UBXFrame, isAccepted: Bool = true, at now: Instant) {
        respond(UBXFrame(0x05, isAccepted ? 1 : 0, [frame.group, frame.number]), at: now)
    }

    /// CFG-PRT of UART 1: 8N1, all protocols in, UBX out.
    private var portConfiguration: [UInt8] {
        let rate = (0..<4).map { UInt8(baud >> ($0 * 8) & 0xFF) }
        return [1, 0, 0, 0, 0xD0, 0x08, 0, 0] + rate
            + [settings.inputs, 0, settings.outputs | (settings.sendsNMEA ? 2 : 0), 0, 0, 0, 0, 0]
    }
}
