/// What is known of a receiver before it is asked: from its USB number, from what it said at boot, from proprietary sentences.
public struct ReceiverEvidence: Sendable, Equatable {
    /// Maker, such as "u-blox".
    public var vendor: String?
    /// Chip, such as "UBX-M8030 00080000" or "AT6558".
    public var chipset: String?
    /// Firmware, such as "SPG 3.01".
    public var firmware: String?
    /// Version of its protocol, such as "18.00"; u-blox only.
    public var protocolVersion: String?
    /// Addresses of proprietary sentences heard from it, such as "PMTK011".
    public var proprietary: Set<String> = []
    /// Texts it has sent.
    public var texts: [String] = []

    /// Nothing known.
    public init(vendor: String? = nil, chipset: String? = nil, firmware: String? = nil, protocolVersion: String? = nil) {
        (self.vendor, self.chipset, self.firmware, self.protocolVersion) = (vendor, chipset, firmware, protocolVersion)
    }

    /// The most texts and addresses kept: a receiver says all it has to say of itself in a dozen.
    static let most = 32

    /// Takes the body of a sentence: proprietary addresses and texts say who speaks, all else nothing.
    mutating func hear(_ body: String) {
        let fields = body.split(separator: ",", omittingEmptySubsequences: false)
        guard let address = fields.first else { return }
        if address.hasPrefix("P"), proprietary.count < ReceiverEvidence.most { proprietary.insert(String(address)) }
        if address.hasSuffix("TXT"), fields.count > 4, texts.count < ReceiverEvidence.most {
            texts.append(fields[4...].joined(separator: ","))
        }
    }

    /// Everything in one text, capitals only.
    private var everything: String {
        ([vendor, chipset, firmware].compactMap(\.self) + texts).joined(separator: "\n").uppercased()
    }

    /// u-blox's protocol version as a number: 18 for "PROTVER=18.00".
    public var protocolNumber: Double? {
        if let protocolVersion, let number = Double(protocolVersion) { return number }
        for text in texts {
            // "PROTVER=18.00", before M8's third firmware "PROTVER 15.00".
            guard text.uppercased().hasPrefix("PROTVER"), let number = Double(text.dropFirst(8)) else { continue }
            return number
        }
        return nil
    }

    /// Whether it is one of u-blox's, of whatever age.
    public var isUblox: Bool {
        let text = everything
        return proprietary.contains { $0.hasPrefix("PUBX") } || text.contains("U-BLOX") || text.contains("UBX") || protocolNumber != nil
    }

    /// What this amounts to; nil when it has to be asked.
    public var chip: ReceiverChip? {
        let text = everything
        // Numbers of the hardware, as in UBX-MON-VER and the boot text.
        for (number, chip) in ReceiverEvidence.hardware where text.contains(number) { return chip }
        if let number = protocolNumber { return ReceiverEvidence.chip(protocolNumber: number) }
        for (prefix, chip) in ReceiverEvidence.prefixes where proprietary.contains(where: { $0.hasPrefix(prefix) }) { return chip }
        return ReceiverEvidence.words.first { text.contains($0.word) }?.chip
    }

    /// Hardware versions (UBX-MON-VER; receiver-power.md section 1).
    private static let hardware: [(String, ReceiverChip)] = [
        ("00040007", .ublox6), ("00070000", .ublox7), ("00080000", .ublox8), ("00190000", .ubloxM9), ("000A0000", .ubloxM10),
    ]

    /// Who sends which proprietary sentences; a Quectel module sends both kinds of its own.
    private static let prefixes: [(String, ReceiverChip)] = [
        ("PQTM", .quectel), ("PAIR", .airoha), ("PMTK", .mediatek), ("PCAS", .casic), ("PSTM", .teseo), ("PSRF", .sirf), ("PGRM", .generic),
        ("PDTINFO", .generic), ("PERD", .generic),
    ]

    /// Words of names and versions that belong to one make.
    private static let words: [(word: String, chip: ReceiverChip)] = [
        ("LC29H", .quectel), ("LC76", .quectel), ("LC86", .quectel), ("AG33", .airoha), ("AIROHA", .airoha), ("MTK", .mediatek),
        ("MEDIATEK", .mediatek), ("AXN_", .mediatek), ("MT33", .mediatek), ("AT6558", .casic), ("AT6668", .casic), ("URANUS", .casic),
        ("CASIC", .casic), ("TESEO", .teseo), ("STA80", .teseo), ("SIRF", .sirf), ("GSW3", .sirf), ("GSD4", .sirf), ("GARMIN", .generic),
    ]

    /// The generation that speaks a version of u-blox's protocol (interface descriptions: 14 u-blox 7, 15 to 23 M8, 27 to 33 M9, then M10).
    private static func chip(protocolNumber: Double) -> ReceiverChip {
        switch protocolNumber {
        case ..<14: .ublox6
        case ..<15: .ublox7
        case ..<27: .ublox8
        case ..<34: .ubloxM9
        default: .ubloxM10
        }
    }
}
