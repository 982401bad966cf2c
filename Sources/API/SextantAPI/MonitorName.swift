/// The naming rule for monitors. It makes names safe in journals, unit names and environment
/// variables.
package enum MonitorName {
    /// Checks that `name` has 1 to 128 bytes: letters, digits, "-", "_" and ".", starting with a
    /// letter or digit.
    ///
    /// - Throws: ``MonitorError/invalidName(name:reason:)`` for any other name.
    package static func check(_ name: String) throws(MonitorError) {
        let isValid =
            (1...128).contains(name.utf8.count) && name.utf8.allSatisfy(isAllowed)
            && name.utf8.first.map(isLetterOrDigit) ?? false
        guard isValid else {
            let reason = "must be 1 to 128 letters, digits, \"-\", \"_\" and \".\", and start with a letter or digit"
            throw .invalidName(name: name, reason: reason)
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
