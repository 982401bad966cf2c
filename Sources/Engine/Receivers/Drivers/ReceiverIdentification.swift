import Chronology
import Positioning

/// Identifies the receiver on an open port: waits for GNSS NMEA, collects what the receiver reports
/// about itself, and probes it if that does not identify the chip.
struct ReceiverIdentification: Sendable {
    /// The phase of the identification.
    private enum Phase: Sendable {
        /// No GNSS NMEA has arrived yet, so nothing is written. A receiver that was put to sleep is
        /// woken at the instant.
        case undetected(wake: Instant?)
        /// GNSS NMEA arrives, and unsolicited identification is collected until the instant.
        /// Without an instant, the receiver fell silent; identification resumes with its output.
        case collecting(until: Instant?)
        /// The receiver is probed.
        case probing
        /// The chip is known.
        case identified
    }

    /// What the driver must do next.
    enum Outcome: Sendable, Equatable {
        /// Nothing: the identification continues.
        case pending
        /// Configure the receiver; its chip is now known.
        case identified
        /// Wake the receiver, which was put to sleep earlier.
        case wakeReceiver
    }

    /// The time to collect unsolicited identification before the receiver is probed.
    private static let collectionTime = Instant.Span.seconds(3)
    /// The silence after which a receiver that was put to sleep is woken.
    static let minWakeSilence = Instant.Span.seconds(2.5)

    /// The chip; nil until it is identified.
    private(set) var chip: ReceiverChip?
    /// What the receiver has reported about itself.
    private(set) var identity: ReceiverIdentity
    private var detection = GNSSDetection()
    private var phase = Phase.identified
    /// Whether the device was identified before the port was opened, so that nothing needs to be
    /// collected.
    private var wasIdentified = false

    init(_ identity: ReceiverIdentity) { self.identity = identity }

    /// The version of the u-blox protocol, if the receiver has reported it.
    var protocolNumber: Double? { identity.protocolNumber }

    /// Whether no GNSS NMEA has arrived yet.
    var isUndetected: Bool { if case .undetected = phase { true } else { false } }

    /// Returns when ``advance(_:at:)`` has work to do.
    func deadline(_ channel: CommandChannel) -> Instant? {
        switch phase {
        case .undetected(let wake): wake
        case .collecting(let until): until
        case .probing: channel.deadline
        case .identified: nil
        }
    }

    /// Starts on an open port.
    ///
    /// - Parameters:
    ///   - wake: When to wake a receiver that was put to sleep and stays silent; nil for never.
    ///   - wasIdentified: Whether this device was identified earlier: it is probed at once.
    mutating func begin(wake: Instant?, wasIdentified: Bool = false) {
        chip = nil
        self.wasIdentified = wasIdentified
        detection = GNSSDetection()
        phase = .undetected(wake: wake)
    }

    /// Continues after a receiver was woken that is not identified yet.
    mutating func resume(_ channel: inout CommandChannel, at now: Instant) -> Outcome {
        phase = .undetected(wake: nil)
        return detection.isConfirmed ? detected(&channel, at: now) : .pending
    }

    mutating func record(_ message: ReceivedMessage) {
        switch message {
        case .standardSentence(let sentence): detection.accept(address: sentence.address)
        case .sentence(let body):
            identity.recordEvidence(body)
            detection.accept(address: body.utf8.prefix { $0 != UInt8(ascii: ",") })
        case .ubx(let frame):
            if frame.group == 0x0A, frame.number == 0x04 { identity.addTexts(Probe.texts(of: frame)) }
        }
    }

    /// Processes the arrival of a standard sentence.
    mutating func sentenceArrived(_ channel: inout CommandChannel, at now: Instant) -> Outcome {
        switch phase {
        case .undetected where detection.isConfirmed: detected(&channel, at: now)
        case .collecting(nil): identify(&channel, at: now)
        default: .pending
        }
    }

    /// Processes the reply to a probe.
    ///
    /// - Parameter index: The index in ``Probe/all``.
    mutating func recordReply(toProbe index: Int, on channel: inout CommandChannel) -> Outcome {
        channel.cancelSequence()
        let probed = Probe.all.indices.contains(index) ? Probe.all[index].chip : nil
        return identified(as: probed ?? identity.chip ?? .generic)
    }

    mutating func probesFinished() -> Outcome {
        guard case .probing = phase else { return .pending }
        return identified(as: identity.chip ?? .generic)
    }

    /// Performs the work that is due.
    mutating func advance(_ channel: inout CommandChannel, at now: Instant) -> Outcome {
        switch phase {
        case .undetected: return mayWake(channel, at: now) ? .wakeReceiver : .pending
        case .collecting where channel.hasStoppedSending(at: now), .probing where channel.hasStoppedSending(at: now):
            if channel.savedState?.isAsleep == true {
                channel.cancelSequence()
                return .wakeReceiver
            }
            phase = .collecting(until: nil)
            return .pending
        case .collecting: return identify(&channel, at: now)
        case .probing:
            channel.advance(to: now)
            return .pending
        case .identified: return .pending
        }
    }

    /// Gives up waking the receiver, because its family has no sleep method.
    mutating func cancelWaking() { phase = .undetected(wake: nil) }

    /// Returns whether the silence shows that the receiver sleeps.
    private mutating func mayWake(_ channel: CommandChannel, at now: Instant) -> Bool {
        guard channel.savedState != nil else {
            phase = .undetected(wake: nil)
            return false
        }
        guard receivesOtherData(channel, at: now) else { return true }
        phase = .undetected(wake: now + ReceiverIdentification.minWakeSilence)
        return false
    }

    /// Returns whether data arrives that cannot be parsed, perhaps at another baud rate: the
    /// receiver is not asleep, or the port has another device.
    func receivesOtherData(_ channel: CommandChannel, at now: Instant) -> Bool {
        guard case .undetected = phase, let lastReceived = channel.lastReceived else { return false }
        return now - lastReceived < ReceiverIdentification.minWakeSilence
    }

    /// Processes the detection of GNSS NMEA on the port.
    private mutating func detected(_ channel: inout CommandChannel, at now: Instant) -> Outcome {
        guard !channel.isPassive else { return identified(as: .generic) }
        channel.restartObservation()
        if wasIdentified { return identify(&channel, at: now) }
        var until = now + ReceiverIdentification.collectionTime
        // What a receiver has sent before it fell asleep may arrive late.
        if case .undetected(_?) = phase { until = until + ReceiverIdentification.minWakeSilence }
        phase = .collecting(until: until)
        return .pending
    }

    /// Identifies the receiver by its messages, or else probes it.
    private mutating func identify(_ channel: inout CommandChannel, at now: Instant) -> Outcome {
        if let chip = identity.chip { return identified(as: chip) }
        let probes = identity.isUblox ? [Probe.all[0]] : Probe.all
        phase = .probing
        channel.start(
            probes.enumerated().map {
                CommandSequence.Step(purpose: $0.element.purpose(index: $0.offset), command: $0.element.command)
            }, at: now)
        channel.advance(to: now)
        return .pending
    }

    private mutating func identified(as chip: ReceiverChip) -> Outcome {
        self.chip = chip
        phase = .identified
        return .identified
    }
}

/// A probe for a receiver that has not identified itself. The least harmful probe comes first in
/// ``all`` (`docs/receiver-commands.md`, "Identification").
///
/// The driver probes only a port that has shown GNSS NMEA. It does not probe for makes without a
/// command table, because the reply would change nothing.
struct Probe: Sendable, Equatable {
    /// The chip that replies; nil if the reply itself names the chip.
    var chip: ReceiverChip?
    var command: Command

    /// Returns the purpose of the probe's command: the command before PQTM and PAIR is a wrapper
    /// command, not a probe.
    ///
    /// - Parameter index: The index in ``all``.
    func purpose(index: Int) -> CommandSequence.Purpose { isWrapper ? .wrapper : .probe(index) }

    /// Whether the command only keeps the command processor awake.
    var isWrapper = false

    static let all: [Probe] = [
        Probe(chip: nil, command: ublox),
        Probe(chip: .mediatek, command: .sentence("PMTK605", reply: .sentence("PMTK705"), attempts: 1)),
        Probe(
            command: .sentence("PAIR382,1", reply: .pair(382), attempts: 6, timeout: .milliseconds(40)),
            isWrapper: true),
        Probe(chip: .quectel, command: .sentence("PQTMVERNO", reply: .sentence("PQTMVERNO,"), attempts: 1)),
        Probe(chip: .airoha, command: .sentence("PAIR021", reply: .sentence("PAIR021,"), attempts: 1)),
        Probe(chip: .casic, command: .sentence("PCAS06,0", reply: .sentence(",SW="), attempts: 1)),
        Probe(chip: .teseo, command: .sentence("PSTMGETSWVER,6", reply: .sentence("PSTMVER"), attempts: 1)),
    ]

    /// UBX-MON-VER: software version, hardware version, and extensions of 30 bytes each [UB].
    static let ublox = Command(
        bytes: UBXFrame(0x0A, 0x04).bytes, expectedReply: .ubx(group: 0x0A, number: 0x04), attempts: 1)

    /// Returns the texts in UBX-MON-VER.
    static func texts(of version: UBXFrame) -> [String] {
        let payload = version.payload
        guard payload.count >= 40 else { return [] }
        let bounds =
            [0..<30, 30..<40] + stride(from: 40, to: payload.count, by: 30).map { $0..<min($0 + 30, payload.count) }
        let texts = bounds.map { String(decoding: payload[$0].prefix { $0 != 0 }, as: UTF8.self) }
        return texts.prefix(ReceiverIdentity.maxEvidence).filter { !$0.isEmpty }
    }
}
