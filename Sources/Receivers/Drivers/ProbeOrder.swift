import Chronology

/// Questions to a receiver that has not said what it is, the least harmful first (`docs/receiver-commands.md`, "Which receiver is it").
///
/// Asked only of a port that has shown GNSS NMEA. Makes without a table of commands are not asked for: the answer would change nothing.
struct Probe: Sendable, Equatable {
    /// Who answers; nil where the answer says so itself.
    var chip: ReceiverChip?
    /// The question.
    var command: Command

    /// What its command is for: the lock before PQTM and PAIR is a frame, and no question.
    func purpose(place: Int) -> CommandScript.Purpose { isFrame ? .frame : .question(place) }

    /// Opens an ear and asks nothing.
    var isFrame = false

    static let all: [Probe] = [
        Probe(chip: nil, command: ublox),
        Probe(chip: .mediatek, command: .sentence("PMTK605", answer: .sentence("PMTK705"), attempts: 1)),
        Probe(command: .sentence("PAIR382,1", answer: .pair(382), attempts: 6, patience: .milliseconds(40)), isFrame: true),
        Probe(chip: .quectel, command: .sentence("PQTMVERNO", answer: .sentence("PQTMVERNO,"), attempts: 1)),
        Probe(chip: .airoha, command: .sentence("PAIR021", answer: .sentence("PAIR021,"), attempts: 1)),
        Probe(chip: .casic, command: .sentence("PCAS06,0", answer: .sentence(",SW="), attempts: 1)),
        Probe(chip: .teseo, command: .sentence("PSTMGETSWVER,6", answer: .sentence("PSTMVER"), attempts: 1)),
    ]

    /// UBX-MON-VER: software, hardware, and extensions of 30 bytes each [UB].
    static let ublox = Command(bytes: UBXFrame(0x0A, 0x04).bytes, answer: .ubx(group: 0x0A, number: 0x04), attempts: 1)

    /// The texts in UBX-MON-VER.
    static func texts(of version: UBXFrame) -> [String] {
        let payload = version.payload
        guard payload.count >= 40 else { return [] }
        let bounds = [0..<30, 30..<40] + stride(from: 40, to: payload.count, by: 30).map { $0..<min($0 + 30, payload.count) }
        let texts = bounds.map { String(decoding: payload[$0].prefix { $0 != 0 }, as: UTF8.self) }
        return texts.prefix(ReceiverEvidence.most).filter { !$0.isEmpty }
    }
}
