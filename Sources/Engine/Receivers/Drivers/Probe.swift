import Chronology
import Positioning

/// A probe for a receiver that has not identified itself. The least harmful probe comes first in
/// ``all`` (`docs/receiver-commands.md`, "Identification").
///
/// The driver probes only a port that has shown GNSS NMEA. It does not probe for makes without a
/// command table, because the reply would change nothing.
struct Probe: Sendable, Equatable {
    /// The chip that replies; nil if the reply itself names the chip.
    var chip: ReceiverChip?
    /// The command to write.
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
