/// Numbers with a fixed number of decimals.
enum DecimalText {
    /// Returns a number with fixed decimals: 12.345 with one decimal is "12.3". Numbers too large
    /// for that are printed as Swift does.
    static func text(_ value: Double, decimals: Int) -> String {
        let places = min(max(decimals, 0), 9)
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = (value * scale).rounded()
        guard let whole = Int64(exactly: scaled) else { return "\(value)" }
        let digits = padded(String(whole.magnitude), to: places + 1)
        let sign = whole < 0 ? "-" : ""
        return places == 0 ? sign + digits : sign + digits.dropLast(places) + "." + digits.suffix(places)
    }

    /// Returns the number of a text such as "12" or "0.5"; nil for any other text. `Double` itself
    /// also accepts signs, "inf", "nan" and hexadecimal.
    static func number(_ text: some StringProtocol) -> Double? {
        text.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: ".") } ? Double(text) : nil
    }

    /// Returns the digits padded with leading zeros.
    static func padded(_ digits: String, to count: Int) -> String {
        String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }

    /// Returns 1234567 as "1,234,567".
    static func grouped(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }
}
