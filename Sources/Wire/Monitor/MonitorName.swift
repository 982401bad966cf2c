/// What a monitor may be called: it goes into journals, unit names and environments as it is.
public enum MonitorName {
    /// Throws ``MonitorError/invalidName(name:reason:)`` unless it has 1 to 128 bytes: letters, digits, "-", "_" and ".", a letter or digit first.
    public static func check(_ name: String) throws(MonitorError) {
        let isGood = (1...128).contains(name.utf8.count) && name.utf8.allSatisfy(isAllowed) && name.utf8.first.map(isLetterOrDigit) ?? false
        guard isGood else {
            let reason = "must be 1 to 128 letters, digits, \"-\", \"_\" and \".\", a letter or digit first"
            throw .invalidName(name: name, reason: reason)
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}
