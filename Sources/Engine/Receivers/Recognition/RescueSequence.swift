import Chronology

/// Switches a receiver that sends a binary protocol back to NMEA, in its RAM only.
///
/// The commands are those of `docs/receiver-commands.md`. Nothing is saved, and neither the baud
/// rate nor the protocols that the receiver accepts change. The observed effect decides, not the
/// reply: two GNSS sentences within 3 s.
///
/// A u-blox receiver is asked in the order of its generations: keys first, which older ones refuse.
/// Its port is only configured with its own answer, in which one bit is set: the number of the port
/// and its baud rate are never guessed.
struct RescueSequence: Sendable {
    /// The result so far.
    enum Outcome: Sendable, Equatable {
        case working, succeeded, failed
    }

    private enum Stage: Sendable, Equatable {
        /// The key of the output protocol was written.
        case outputKey
        /// The keys of the sentences were written.
        case sentenceKeys
        /// The port's configuration was polled this many times.
        case poll(Int)
        /// The configuration of the port was written.
        case portConfiguration
        /// The commands of ``queue`` are written one after the other.
        case commands
        /// All is written.
        case verification
    }

    /// The time in which two sentences show success.
    static let verificationTime = Instant.Span.seconds(3)
    /// The time for an acknowledgement, which takes an M10 more than 1 s.
    private static let answerTime = Instant.Span.milliseconds(1500)
    /// The time for which copies of u-blox receivers lose bytes after the configuration of a port.
    private static let portRestartTime = Instant.Span.milliseconds(400)
    /// The pause between two commands, for receivers with a small buffer.
    private static let pause = Instant.Span.milliseconds(50)
    /// The baud rates that fit into the field of SiRF's command.
    private static let sirfRates = 1...0xFFFF

    /// The protocol that the receiver sends.
    let family: BinaryProtocol
    private(set) var outcome = Outcome.working
    private var stage: Stage
    private var due: Instant
    /// The commands that are not written yet.
    private var queue: [[UInt8]] = []
    /// The commands that end the binary messages once there are sentences.
    private let silencing: [[UInt8]]
    private let isNativeUSB: Bool
    private var hasPolled = false
    private var lastSentence: Instant?
    private var hasSentences = false
    private var writes: [[UInt8]] = []

    /// Returns whether a family can be switched at a baud rate; the rate is nil for a port without
    /// one.
    static func supports(_ family: BinaryProtocol, baudRate: Int?) -> Bool {
        switch family {
        case .ubx, .skytraq, .allystar: true
        case .casic: baudRate != nil
        case .sirf: baudRate.map(sirfRates.contains) ?? false
        case .mediatek, .unicore, .sbf, .novatel, .rtcm, .everMore, .garmin, .tsip: false
        }
    }

    /// Begins with the first command; nil if the family cannot be switched.
    ///
    /// - Parameters:
    ///   - messages: The class and number of each UBX message that arrives.
    ///   - isNativeUSB: Whether the port is the receiver's own USB port.
    init?(_ family: BinaryProtocol, baudRate: Int?, isNativeUSB: Bool, messages: [[UInt8]] = [], at now: Instant) {
        guard RescueSequence.supports(family, baudRate: baudRate) else { return nil }
        self.isNativeUSB = isNativeUSB
        self.family = family
        silencing = messages.map { UBXFrame(0x06, 0x01, $0 + [0]).bytes }
        due = now
        stage = .commands
        switch family {
        case .ubx:
            stage = .outputKey
            writes = [UbloxRescue.outputKey(isNativeUSB: isNativeUSB)]
            due = now + RescueSequence.answerTime
        case .sirf: queue = [OtherRescue.sirf(baudRate: UInt16(clamping: baudRate ?? 0))]
        case .casic: queue = [OtherRescue.casic(baudRate: UInt32(clamping: baudRate ?? 0))]
        case .skytraq: queue = [OtherRescue.skytraq]
        default: queue = OtherRescue.allystar
        }
    }

    /// When ``advance(to:)`` is due; nil at the end.
    var deadline: Instant? { outcome == .working ? due : nil }

    mutating func takeWrites() -> [[UInt8]] {
        defer { writes = [] }
        return writes
    }

    /// Performs the work that is due.
    mutating func advance(to now: Instant) {
        guard outcome == .working, due <= now else { return }
        switch stage {
        case .outputKey:
            // The answer may be lost: the sentences are then switched on all the same.
            writes += UbloxRescue.sentenceKeys(isNativeUSB: isNativeUSB)
            poll(1, at: now)
        case .sentenceKeys: poll(1, at: now)
        case .poll(let count): if count < 2 { poll(count + 1, at: now) } else { begin(UbloxRescue.sentences, at: now) }
        case .portConfiguration: begin(UbloxRescue.sentences, at: now)
        case .commands:
            guard !queue.isEmpty else { return verify(at: now) }
            writes.append(queue.removeFirst())
            due = now + RescueSequence.pause
        case .verification:
            // Keys of another port are accepted without effect.
            if family == .ubx, !hasPolled { poll(1, at: now) } else { outcome = .failed }
        }
    }

    /// Processes a frame, which may be an answer.
    mutating func process(_ frame: BinaryFrame, at now: Instant) {
        guard outcome == .working, let message = frame.ubx else { return }
        let isAccepted = UbloxRescue.isKeyAccepted(message)
        switch (stage, isAccepted) {
        case (.outputKey, true?):
            writes += UbloxRescue.sentenceKeys(isNativeUSB: isNativeUSB)
            stage = .sentenceKeys
            due = now + RescueSequence.answerTime
        case (.outputKey, false?), (.sentenceKeys, false?): poll(1, at: now)
        case (.sentenceKeys, true?): begin([], at: now)
        case (.poll, _):
            guard let port = UbloxRescue.PortConfiguration(message) else { return }
            guard !port.sendsNMEA else { return begin(UbloxRescue.sentences, at: now) }
            guard let command = port.withNMEA else { return outcome = .failed }
            writes.append(command)
            stage = .portConfiguration
            due = now + RescueSequence.portRestartTime
        default: break
        }
    }

    /// Records that GNSS sentences arrived.
    mutating func sentencesArrived(_ count: Int, at now: Instant) {
        guard outcome == .working, count > 0 else { return }
        let isFollowUp = count > 1 || lastSentence.map { now - $0 <= RescueSequence.verificationTime } ?? false
        lastSentence = now
        guard isFollowUp else { return }
        hasSentences = true
        switch stage {
        case .verification: outcome = .succeeded
        case .commands: break
        case .outputKey, .sentenceKeys, .poll, .portConfiguration: begin([], at: now)
        }
    }

    private mutating func poll(_ count: Int, at now: Instant) {
        hasPolled = true
        writes.append(UbloxRescue.portPoll)
        stage = .poll(count)
        due = now + RescueSequence.answerTime
    }

    private mutating func begin(_ commands: [[UInt8]], at now: Instant) {
        queue = commands + silencing
        stage = .commands
        due = now + RescueSequence.pause
    }

    private mutating func verify(at now: Instant) {
        if hasSentences { return outcome = .succeeded }
        stage = .verification
        due = now + RescueSequence.verificationTime
    }
}

/// The commands to u-blox receivers [UB, UX; gpsd's `driver_ubx.c`].
enum UbloxRescue {
    /// CFG-PRT without a port: the receiver answers with the port that it was asked on.
    static let portPoll = UBXFrame(0x06, 0x00).bytes

    /// CFG-MSG: GGA, GSA, GSV and RMC on the port on which the message arrives.
    static let sentences = [0x00, 0x02, 0x03, 0x04].map { UBXFrame(0x06, 0x01, [0xF0, $0, 1]).bytes }

    /// CFG-VALSET, layer RAM: NMEA on UART 1 or USB. The keys of one port only, because one unknown
    /// key makes the receiver refuse all.
    static func outputKey(isNativeUSB: Bool) -> [UInt8] { keys([isNativeUSB ? 0x1078_0002 : 0x1074_0002]) }

    /// CFG-VALSET, layer RAM: RMC and GGA, then GSA and GSV.
    static func sentenceKeys(isNativeUSB: Bool) -> [[UInt8]] {
        // The keys of USB follow those of UART 1 by two.
        let offset: UInt32 = isNativeUSB ? 2 : 0
        return [[0x2091_00AC, 0x2091_00BB], [0x2091_00C0, 0x2091_00C5]].map { keys($0.map { $0 + offset }) }
    }

    private static func keys(_ keys: [UInt32]) -> [UInt8] {
        UBXFrame(0x06, 0x8A, [0, 1, 0, 0] + keys.flatMap { $0.littleEndianBytes + [1] }).bytes
    }

    /// Returns whether a message accepts or refuses CFG-VALSET; nil if it is another one.
    static func isKeyAccepted(_ message: UBXFrame) -> Bool? {
        guard message.group == 0x05, message.number <= 1, message.payload == [0x06, 0x8A] else { return nil }
        return message.number == 1
    }

    /// The receiver's own answer to ``portPoll``.
    struct PortConfiguration {
        private let payload: [UInt8]

        /// Creates the configuration from a message; nil if it is another one.
        init?(_ message: UBXFrame) {
            guard message.group == 0x06, message.number == 0x00, message.payload.count == 20 else { return nil }
            payload = message.payload
        }

        /// Bit 1 of the mask of output protocols.
        var sendsNMEA: Bool { payload[14] & 2 != 0 }

        /// The command that sets that bit and nothing else; nil for a UART whose mode or baud rate
        /// is missing, because the receiver would refuse it.
        var withNMEA: [UInt8]? {
            let isUART = payload[0] == 1 || payload[0] == 2
            let isWhole = payload[4..<8].contains { $0 != 0 } && payload[8..<12].contains { $0 != 0 }
            guard isWhole || !isUART else { return nil }
            var changed = payload
            changed[14] |= 2
            return UBXFrame(0x06, 0x00, changed).bytes
        }
    }
}

/// The commands to receivers of other makers [D].
enum OtherRescue {
    /// MID 129: switch to NMEA with GGA, GSA, GSV every 5 s and RMC, at the present baud rate.
    static func sirf(baudRate: UInt16) -> [UInt8] {
        let rates: [UInt8] = [1, 1, 0, 1, 1, 1, 5, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0]
        let payload = [129, 2] + rates + baudRate.littleEndianBytes.reversed()
        let sum = UInt16(payload.reduce(0) { ($0 + Int($1)) & 0x7FFF })
        return [0xA0, 0xA2, 0, UInt8(payload.count)] + payload + sum.littleEndianBytes.reversed() + [0xB0, 0xB3]
    }

    /// Message type: NMEA, attribute SRAM.
    static let skytraq: [UInt8] = [0xA0, 0xA1, 0, 3, 9, 1, 0, 8, 0x0D, 0x0A]

    /// CFG-PRT for the port on which it arrives: text and binary in, text out, 8N1, at the present
    /// baud rate.
    static func casic(baudRate: UInt32) -> [UInt8] {
        let payload = [0xFF, 0x23, 0xC0, 0x08] + baudRate.littleEndianBytes
        let covered = [UInt8(payload.count), 0, 0x06, 0x00] + payload
        let sum = stride(from: 0, to: covered.count, by: 4).reduce(UInt32(0)) { sum, start in
            // The sum wraps: it is modulo 2^32.
            sum &+ covered[start..<(start + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        return [0xBA, 0xCE] + covered + sum.littleEndianBytes
    }

    /// CFG-MSG: GGA, GSA, GSV, RMC. The frame differs from UBX in its first two bytes.
    static let allystar = [0x00, 0x02, 0x04, 0x05].map {
        [0xF1, 0xD9] + UBXFrame(0x06, 0x01, [0xF0, $0, 1]).bytes.dropFirst(2)
    }
}
