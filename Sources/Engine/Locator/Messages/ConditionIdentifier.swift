import Geofencing
import SextantAPI

/// The rule for identifiers of conditions.
package enum ConditionIdentifier {
    /// Returns why `identifier` is not allowed; nil if it is.
    ///
    /// Characters that cannot be seen are refused, because they make two fences appear equal:
    /// directional marks, zero-width characters and everything else that Unicode ignores by default
    /// (UAX 44, Default_Ignorable_Code_Point; categories Cc, Cf, Zl and Zp).
    package static func problem(of identifier: String) -> String? {
        guard ConditionLimit.identifierLength.contains(identifier.utf8.count),
            identifier.utf8.allSatisfy({ $0 >= 0x20 })
        else { return "the identifier must have 1 to 255 bytes and no control characters" }
        guard let scalar = identifier.unicodeScalars.first(where: isInvisible) else { return nil }
        let code = String(scalar.value, radix: 16, uppercase: true)
        let padding = String(repeating: "0", count: max(0, 4 - code.count))
        return "the identifier contains the invisible character U+\(padding)\(code); remove it"
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value == 0x7F }
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint { return true }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }
}
