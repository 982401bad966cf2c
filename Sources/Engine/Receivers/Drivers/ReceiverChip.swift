import NMEA
import Positioning

/// A generation of receivers with the same power consumption and the same commands, derived from
/// what the receiver reports (``ReceiverIdentity/chipset`` is the name in its own text). The state
/// directory stores the raw values.
package enum ReceiverChip: String, Sendable, CaseIterable {
    case ublox6, ublox7, ublox8, ubloxM9, ubloxM10
    /// MediaTek MT333x.
    case mediatek
    /// Airoha AG333x and AG335x in modules of other makers than Quectel.
    case airoha
    /// Airoha AG333x and AG335x in Quectel modules.
    case quectel
    /// Zhongke AT6558, AT6668 (ATGM336H, L76K).
    case casic
    /// SiRFstar III and IV.
    case sirf
    /// ST Teseo II, III and LIV3.
    case teseo
    /// Any other receiver, or one that has not identified itself.
    case generic

    /// The family of commands that the chip uses.
    package var family: ReceiverFamily {
        switch self {
        case .ublox6, .ublox7, .ublox8: .ubloxMessages
        case .ubloxM9, .ubloxM10: .ubloxKeys
        case .mediatek: .mediatek
        case .airoha: .airoha
        case .quectel: .quectel
        case .casic: .casic
        case .sirf: .sirf
        case .teseo: .teseo
        case .generic: .generic
        }
    }
}

/// The families of receiver commands, one table each in `Families/`.
package enum ReceiverFamily: String, Sendable, CaseIterable {
    /// u-blox 6 to 8: one UBX message per setting.
    case ubloxMessages
    /// u-blox from protocol version 27: keys and values.
    case ubloxKeys
    /// `PMTK`.
    case mediatek
    /// `PAIR`.
    case airoha
    /// `PAIR` and Quectel's own `PQTM`.
    case quectel
    /// `PCAS`.
    case casic
    /// `PSRF`.
    case sirf
    /// `PSTM`.
    case teseo
    /// No known commands: the driver can only close the port.
    case generic
}

// The chip of a receiver: from its identification, its texts and its proprietary sentences.
extension ReceiverIdentity {
    /// The maximum number of texts and of addresses to keep. A receiver identifies itself in about
    /// a dozen.
    static let maxEvidence = 32

    /// Processes the body of a sentence. Only proprietary addresses and texts identify a receiver.
    mutating func recordEvidence(_ body: String) {
        let fields = body.split(separator: ",", omittingEmptySubsequences: false)
        guard let address = fields.first else { return }
        if address.hasPrefix("P"), proprietaryAddresses.count < ReceiverIdentity.maxEvidence {
            proprietaryAddresses.insert(String(address))
        }
        if address.hasSuffix("TXT"), fields.count > 4, texts.count < ReceiverIdentity.maxEvidence {
            texts.append(fields[4...].joined(separator: ","))
        }
    }

    /// Adds texts of the receiver, up to ``maxEvidence`` in total.
    mutating func addTexts(_ new: [String]) {
        texts += new.prefix(max(0, ReceiverIdentity.maxEvidence - texts.count))
    }

    /// All evidence as one text in capitals.
    private var searchText: String {
        ([vendor, chipset, firmware].compactMap(\.self) + texts).joined(separator: "\n").uppercased()
    }

    /// The u-blox protocol version as a number: 18 for "PROTVER=18.00".
    package var protocolNumber: Double? {
        if let protocolVersion, let number = Double(protocolVersion) { return number }
        for text in texts {
            // "PROTVER=18.00"; before the third M8 firmware, "PROTVER 15.00".
            guard text.uppercased().hasPrefix("PROTVER"), let number = Double(text.dropFirst(8)) else { continue }
            return number
        }
        return nil
    }

    /// Whether the receiver is a u-blox of any generation.
    package var isUblox: Bool {
        let text = searchText
        return proprietaryAddresses.contains { $0.hasPrefix("PUBX") } || text.contains(part: "U-BLOX")
            || text.contains(part: "UBX")
            || protocolNumber != nil
    }

    /// The chip that the evidence identifies; nil if the receiver must be probed.
    package var chip: ReceiverChip? {
        let text = searchText
        // Hardware versions, as in UBX-MON-VER and the boot messages.
        for (number, chip) in ReceiverIdentity.hardware where text.contains(part: number) { return chip }
        if let number = protocolNumber { return ReceiverIdentity.chip(protocolNumber: number) }
        for (prefix, chip) in ReceiverIdentity.prefixes
        where proprietaryAddresses.contains(where: { $0.hasPrefix(prefix) }) { return chip }
        return ReceiverIdentity.nameFragments.first { text.contains(part: $0.word) }?.chip
    }

    /// Hardware versions (UBX-MON-VER).
    private static let hardware: [(String, ReceiverChip)] = [
        ("00040007", .ublox6), ("00070000", .ublox7), ("00080000", .ublox8), ("00190000", .ubloxM9),
        ("000A0000", .ubloxM10),
    ]

    /// The makers of proprietary sentences; a Quectel module sends both PQTM and PAIR.
    private static let prefixes: [(String, ReceiverChip)] = [
        ("PQTM", .quectel), ("PAIR", .airoha), ("PMTK", .mediatek), ("PCAS", .casic), ("PSTM", .teseo), ("PSRF", .sirf),
        ("PGRM", .generic),
        ("PDTINFO", .generic), ("PERD", .generic),
    ]

    /// Parts of names and versions that identify a make.
    private static let nameFragments: [(word: String, chip: ReceiverChip)] = [
        ("LC29H", .quectel), ("LC76", .quectel), ("LC86", .quectel), ("AG33", .airoha), ("AIROHA", .airoha),
        ("MTK", .mediatek),
        ("MEDIATEK", .mediatek), ("AXN_", .mediatek), ("MT33", .mediatek), ("AT6558", .casic), ("AT6668", .casic),
        ("URANUS", .casic),
        ("CASIC", .casic), ("TESEO", .teseo), ("STA80", .teseo), ("SIRF", .sirf), ("GSW3", .sirf), ("GSD4", .sirf),
        ("GARMIN", .generic),
    ]

    /// Returns the generation for a version of the u-blox protocol (interface descriptions: 14
    /// u-blox 7, 15 to 23 M8, 27 to 33 M9, then M10).
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
