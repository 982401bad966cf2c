/// Bytes as text (RFC 4648, section 4).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// Returns the text of bytes.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(3))
            let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for digit in 0..<4 {
                text.append(digit <= part.count ? alphabet[bits >> (18 - 6 * digit) & 63] : padding)
            }
            rest = rest.dropFirst(3)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of a text; nil if it is not complete base 64.
    package static func decode(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 4 == 0 else { return nil }
        let padded = digits.reversed().prefix { $0 == padding }.count
        guard padded <= 2 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3)
        var bits = 0
        for (index, digit) in digits.dropLast(padded).enumerated() {
            guard let value = value(of: digit) else { return nil }
            bits = bits << 6 | value
            // Of each group of four the second, third and fourth digit complete a byte.
            let place = index % 4
            guard place > 0 else { continue }
            bytes.append(UInt8(truncatingIfNeeded: bits >> (6 - 2 * place)))
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> Int? {
        switch digit {
        case 65...90: Int(digit) - 65
        case 97...122: Int(digit) - 71
        case 48...57: Int(digit) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
