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
