import NMEA

/// The identity of a receiver, according to its own sentences: text messages at start and responses
/// to queries. Unreported values are nil.
public struct ReceiverIdentity: Sendable, Equatable {
    /// The manufacturer of the chip or module: "u-blox", "MediaTek", "Quectel".
    public var vendor: String?
    /// The module or product: "NEO-M8N-0", "PA6H", "ATGM336H".
    public var module: String?
    /// The chip as the receiver names it: "UBX-M80xx", "MT3339", "AG3352Q", "AT6558". Drivers and
    /// energy accounting use `ReceiverChip`, which is derived from it.
    public var chipset: String?
    /// The firmware: "SPG 3.01", "AXN_2.31_3339_13101700".
    public var firmware: String?
    /// The version of the u-blox protocol: "18.00".
    public var protocolVersion: String?
    /// Texts of the receiver that may name its chip. Only programs that configure receivers collect
    /// them.
    public var texts: [String] = []
    /// The addresses of its proprietary sentences, such as "PMTK011". Only programs that configure
    /// receivers collect them.
    public var proprietaryAddresses: Set<String> = []

    /// Creates an empty identity.
    public init() {}

    /// Whether the receiver has reported any value.
    public var isKnown: Bool {
        [vendor, module, chipset, firmware, protocolVersion].contains { $0 != nil }
    }

    /// Reads the identity from a proprietary sentence. Returns whether it contained new
    /// information.
    @discardableResult
    public mutating func update(from sentence: Proprietary) -> Bool {
        let before = self
        switch sentence {
        case .pmtk705(let value): update(mediatek: value.text.string)
        case .pmtk010, .pmtk011: vendor = vendor ?? "MediaTek"
        case .pair021(let value): update(airoha: value.release.string)
        case .pair002, .pair010: vendor = vendor ?? "Airoha"
        case .pqtmverno(let value): update(quectel: value.version.string)
        case .pstmver(let value): update(teseo: value.text.string)
        case .psrf150: vendor = vendor ?? "SiRF"
        case .pdtinfo(let value): update(unicore: value.text.string)
        default: return false
        }
        return self != before
    }
}

extension ReceiverIdentity {
    /// Reads "AXN_2.31_3339_13101700,5632,PA6H,1.0": release, build, product.
    private mutating func update(mediatek text: String) {
        let fields = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        vendor = vendor ?? "MediaTek"
        firmware = fields.first?.nonBlank ?? firmware
        if fields.count > 2 { module = fields[2].nonBlank ?? module }
        let parts = fields.first?.split(separator: "_") ?? []
        if let chip = parts.first(where: {
            $0.hasPrefix("MT33") || $0.count == 4 && $0.hasPrefix("33") && $0.allSatisfy(\.isNumber)
        }) {
            chipset = chip.hasPrefix("MT") ? String(chip) : "MT" + chip
        }
    }

    /// Reads "AG3352Q_V2.3.0.AG3352_20230213", or a name with the module manufacturer first:
    /// "REYAX_RYS3520_V2.6.0_20230323".
    private mutating func update(airoha text: String) {
        vendor = vendor ?? "Airoha"
        firmware = firmware ?? text.nonBlank
        let name = text.prefix(before: "_V")
        if name.hasPrefix("AG") { chipset = name } else { module = module ?? name.nonBlank }
    }

    /// Reads "LC29HDANR11A03S_RSA": module and variant precede `NR`.
    private mutating func update(quectel text: String) {
        guard text != "ERROR" else { return }
        (vendor, firmware) = ("Quectel", text)
        let name = text.prefix(before: "NR")
        if name != text { module = name.nonBlank ?? module }
    }

    /// Reads "GNSSLIB_7.1.1.15_ARM", "BINIMG_4.6.8.5_ARM" or "STA80XX_0x622BC043". The version of
    /// the whole image (`BINIMG`) takes precedence.
    private mutating func update(teseo text: String) {
        vendor = "STMicroelectronics"
        let parts = text.split(separator: "_").map(String.init)
        if text.hasPrefix("STA") {
            chipset = parts.first
        } else if parts.count > 1, parts[0] == "BINIMG" || parts[0] == "GNSSLIB" {
            if parts[0] == "BINIMG" || firmware == nil { firmware = parts[0] + " " + parts[1] }
        } else if text.hasPrefix("GPS Version") {
            firmware = text.prefix(before: " (")
        }
    }

    /// Reads "UM621-02,G1B1L1E1,V1.2,R6.0.0.0Build2810,...": product, configuration, hardware,
    /// firmware.
    private mutating func update(unicore text: String) {
        let fields = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        vendor = "Unicore"
        module = fields.first?.nonBlank ?? module
        if fields.count > 3 { firmware = fields[3].nonBlank ?? firmware }
    }
}

extension String {
    /// The text without surrounding whitespace; nil if nothing remains.
    var nonBlank: String? {
        let text = String(drop(while: \.isWhitespace))
        guard let last = text.lastIndex(where: { !$0.isWhitespace }) else { return nil }
        return String(text[...last])
    }

    /// Returns the text before the first `mark`, or all of it without a `mark`.
    func prefix(before mark: String) -> String {
        var position = startIndex
        while position < endIndex {
            if self[position...].hasPrefix(mark) { return String(self[..<position]) }
            position = index(after: position)
        }
        return self
    }
}

/// Reads the identity from text messages (TXT): u-blox sends them at start, CASIC at start and as
/// the response to `PCAS06`.
extension ReceiverIdentity {
    /// Reads the identity from a text message. Returns whether it contained new information.
    @discardableResult
    public mutating func update(fromText text: String) -> Bool {
        let before = self
        if text.hasPrefix("u-blox") {
            vendor = "u-blox"
        } else if let (key, value) = ReceiverIdentity.pair(text) {
            update(key: key, value: value)
        } else {
            update(ublox: text)
        }
        return self != before
    }

    /// Reads a value such as "FWVER=SPG 3.01" or "SW=URANUS5,V5.3.0.0".
    private mutating func update(key: String, value: String) {
        switch key {
        case "FWVER": (vendor, firmware) = ("u-blox", value)
        case "PROTVER": (vendor, protocolVersion) = ("u-blox", value)
        case "MOD", "MODULE": (vendor, module) = (vendor ?? "u-blox", value)
        case "MA": vendor = value
        case "IC": (vendor, chipset) = (vendor ?? "CASIC", value.prefix(before: ",").prefix(before: "-"))
        case "HW": (vendor, module) = (vendor ?? "CASIC", value.prefix(before: ","))
        case "SW": (vendor, firmware) = (vendor ?? "CASIC", value.split(separator: ",").joined(separator: " "))
        default: break
        }
    }

    /// Reads a u-blox message such as "HW UBX-M80xx 00080000", "ROM CORE 2.01 (75331) Oct 29 2013
    /// 13:28:17", "PROTVER 15.00" or "MOD LEA-5H-0".
    ///
    /// If firmware runs from flash memory (`EXT`), the receiver reports the firmware in ROM (`ROM`)
    /// as its base. `FWVER=` takes precedence over both.
    private mutating func update(ublox text: String) {
        let fields = text.split(separator: " ").map(String.init)
        guard fields.count > 1 else { return }
        switch fields[0] {
        case "HW" where fields[1].hasPrefix("UBX"): (vendor, chipset) = ("u-blox", fields[1])
        case "ANTARIS": (vendor, chipset) = (vendor ?? "u-blox", fields[1])
        case "PROTVER": (vendor, protocolVersion) = (vendor ?? "u-blox", fields[1])
        case "MOD": (vendor, module) = (vendor ?? "u-blox", fields[1])
        case "EXT" where fields.count > 2 && fields[1] == "CORE": firmware = "EXT CORE " + fields[2]
        case "ROM" where fields.count > 2 && fields[1] == "CORE": firmware = firmware ?? "ROM CORE " + fields[2]
        default: break
        }
    }

    /// Splits a text into a name, `=` and a value. Returns nil if the value is empty.
    private static func pair(_ text: String) -> (String, String)? {
        guard let sign = text.firstIndex(of: "="), let value = String(text[text.index(after: sign)...]).nonBlank else {
            return nil
        }
        return (String(text[..<sign]), value)
    }
}
