import NMEA

/// What a receiver is, as its own sentences tell: texts at start, and the answers to questions that somebody asks it. What it has not told
/// is nil.
public struct ReceiverIdentity: Sendable, Equatable {
    /// Who made its chip or module: "u-blox", "MediaTek", "Quectel".
    public var vendor: String?
    /// The module or product: "NEO-M8N-0", "PA6H", "ATGM336H".
    public var module: String?
    /// The chip: "UBX-M80xx", "MT3339", "AG3352Q", "AT6558".
    public var chipset: String?
    /// "SPG 3.01", "AXN_2.31_3339_13101700".
    public var firmware: String?
    /// Version of u-blox's protocol: "18.00".
    public var protocolVersion: String?

    /// A receiver of which nothing is known.
    public init() {}

    /// Whether it has told anything.
    public var isKnown: Bool { self != ReceiverIdentity() }

    /// Learns from one of its own maker's sentences; whether it said anything new.
    @discardableResult
    public mutating func learn(_ sentence: Proprietary) -> Bool {
        let before = self
        switch sentence {
        case .pmtk705(let value): learn(mediatek: value.text.string)
        case .pmtk010, .pmtk011: vendor = vendor ?? "MediaTek"
        case .pair021(let value): learn(airoha: value.release.string)
        case .pair002, .pair010: vendor = vendor ?? "Airoha"
        case .pqtmverno(let value): learn(quectel: value.version.string)
        case .pstmver(let value): learn(teseo: value.text.string)
        case .psrf150: vendor = vendor ?? "SiRF"
        case .pdtinfo(let value): learn(unicore: value.text.string)
        default: return false
        }
        return self != before
    }
}

extension ReceiverIdentity {
    /// "AXN_2.31_3339_13101700,5632,PA6H,1.0": release, build, product.
    private mutating func learn(mediatek text: String) {
        let fields = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        vendor = vendor ?? "MediaTek"
        firmware = fields.first?.told ?? firmware
        if fields.count > 2 { module = fields[2].told ?? module }
        let parts = fields.first?.split(separator: "_") ?? []
        if let chip = parts.first(where: { $0.hasPrefix("MT33") || $0.count == 4 && $0.hasPrefix("33") && $0.allSatisfy(\.isNumber) }) {
            chipset = chip.hasPrefix("MT") ? String(chip) : "MT" + chip
        }
    }

    /// "AG3352Q_V2.3.0.AG3352_20230213", or with a module maker's name in front: "REYAX_RYS3520_V2.6.0_20230323".
    private mutating func learn(airoha text: String) {
        vendor = vendor ?? "Airoha"
        firmware = firmware ?? text.told
        let name = text.before("_V")
        if name.hasPrefix("AG") { chipset = name } else { module = module ?? name.told }
    }

    /// "LC29HDANR11A03S_RSA": module and variant stand before the `NR`.
    private mutating func learn(quectel text: String) {
        guard text != "ERROR" else { return }
        (vendor, firmware) = ("Quectel", text)
        let name = text.before("NR")
        if name != text { module = name.told ?? module }
    }

    /// "GNSSLIB_7.1.1.15_ARM", "BINIMG_4.6.8.5_ARM", "STA80XX_0x622BC043". Of several the whole image's version counts.
    private mutating func learn(teseo text: String) {
        vendor = "STMicroelectronics"
        let parts = text.split(separator: "_").map(String.init)
        if text.hasPrefix("STA") {
            chipset = parts.first
        } else if parts.count > 1, parts[0] == "BINIMG" || parts[0] == "GNSSLIB" {
            if parts[0] == "BINIMG" || firmware == nil { firmware = parts[0] + " " + parts[1] }
        } else if text.hasPrefix("GPS Version") {
            firmware = text.before(" (")
        }
    }

    /// "UM621-02,G1B1L1E1,V1.2,R6.0.0.0Build2810,...": product, configuration, hardware, firmware.
    private mutating func learn(unicore text: String) {
        let fields = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        vendor = "Unicore"
        module = fields.first?.told ?? module
        if fields.count > 3 { firmware = fields[3].told ?? firmware }
    }
}

extension String {
    /// Nil where there is nothing but blanks.
    var told: String? {
        let text = String(drop(while: \.isWhitespace))
        guard let last = text.lastIndex(where: { !$0.isWhitespace }) else { return nil }
        return String(text[...last])
    }

    /// What stands before the first `mark`; all of it where there is none.
    func before(_ mark: String) -> String {
        var at = startIndex
        while at < endIndex {
            if self[at...].hasPrefix(mark) { return String(self[..<at]) }
            at = index(after: at)
        }
        return self
    }
}
