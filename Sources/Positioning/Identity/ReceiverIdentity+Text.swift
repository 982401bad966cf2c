/// What texts (TXT) tell of a receiver: u-blox at start, CASIC at start and as the answer to `PCAS06`.
extension ReceiverIdentity {
    /// Learns from a text; whether it said anything new.
    @discardableResult
    public mutating func learn(text: String) -> Bool {
        let before = self
        if text.hasPrefix("u-blox") {
            vendor = "u-blox"
        } else if let (key, value) = ReceiverIdentity.pair(text) {
            learn(key, value)
        } else {
            learn(ublox: text)
        }
        return self != before
    }

    /// "FWVER=SPG 3.01", "SW=URANUS5,V5.3.0.0".
    private mutating func learn(_ key: String, _ value: String) {
        switch key {
        case "FWVER": (vendor, firmware) = ("u-blox", value)
        case "PROTVER": (vendor, protocolVersion) = ("u-blox", value)
        case "MOD", "MODULE": (vendor, module) = (vendor ?? "u-blox", value)
        case "MA": vendor = value
        case "IC": (vendor, chipset) = (vendor ?? "CASIC", value.before(",").before("-"))
        case "HW": (vendor, module) = (vendor ?? "CASIC", value.before(","))
        case "SW": (vendor, firmware) = (vendor ?? "CASIC", value.split(separator: ",").joined(separator: " "))
        default: break
        }
    }

    /// "HW UBX-M80xx 00080000", "ROM CORE 2.01 (75331) Oct 29 2013 13:28:17", "PROTVER 15.00", "MOD LEA-5H-0". Where an image in flash memory
    /// (`EXT`) runs, the one in the chip (`ROM`) is told as its base; `FWVER=` outdoes both.
    private mutating func learn(ublox text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard words.count > 1 else { return }
        switch words[0] {
        case "HW" where words[1].hasPrefix("UBX"): (vendor, chipset) = ("u-blox", words[1])
        case "ANTARIS": (vendor, chipset) = (vendor ?? "u-blox", words[1])
        case "PROTVER": (vendor, protocolVersion) = (vendor ?? "u-blox", words[1])
        case "MOD": (vendor, module) = (vendor ?? "u-blox", words[1])
        case "EXT" where words.count > 2 && words[1] == "CORE": firmware = "EXT CORE " + words[2]
        case "ROM" where words.count > 2 && words[1] == "CORE": firmware = firmware ?? "ROM CORE " + words[2]
        default: break
        }
    }

    /// A name in capitals, `=`, and a value that is not empty.
    private static func pair(_ text: String) -> (String, String)? {
        guard let sign = text.firstIndex(of: "="), let value = String(text[text.index(after: sign)...]).told else { return nil }
        return (String(text[..<sign]), value)
    }
}
