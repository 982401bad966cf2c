extension UTCTime: CustomStringConvertible {
    /// The time in RFC 3339 format, in UTC with milliseconds: `2026-11-21T06:07:08.250Z`.
    ///
    /// Years outside 0 ... 9999 cannot be represented and are clamped.
    public var description: String {
        let day = date.components
        let time = millisecondsOfDay
        let capacity = 24
        return String(unsafeUninitializedCapacity: capacity) { out in
            var index = 0
            func put(_ value: Int, digits: Int, then mark: UInt8) {
                var rest = max(0, value)
                for place in stride(from: index + digits - 1, through: index, by: -1) {
                    out[place] = UInt8(48 + rest % 10)
                    rest /= 10
                }
                out[index + digits] = mark
                index += digits + 1
            }
            put(min(max(day.year, 0), 9999), digits: 4, then: UInt8(ascii: "-"))
            put(day.month, digits: 2, then: UInt8(ascii: "-"))
            put(day.day, digits: 2, then: UInt8(ascii: "T"))
            put(time / 3_600_000, digits: 2, then: UInt8(ascii: ":"))
            put(time / 60_000 % 60, digits: 2, then: UInt8(ascii: ":"))
            put(time / 1000 % 60, digits: 2, then: UInt8(ascii: "."))
            put(time % 1000, digits: 3, then: UInt8(ascii: "Z"))
            return capacity
        }
    }

    /// Parses an RFC 3339 time or a bare date (`2026-11-21`, also `2017-1-9`), which means midnight
    /// of that day.
    ///
    /// Applies an offset (`+01:00`) and drops fractions below a millisecond. Nil if the text has
    /// neither form or names a day or hour that does not exist.
    public init?(rfc3339 text: some StringProtocol) {
        var reader = DigitReader(Array(text.utf8))
        guard let year = reader.number(digits: 4...4), reader.skip("-"),
            let month = reader.number(digits: 1...2), reader.skip("-"),
            let day = reader.number(digits: 1...2),
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        if reader.atEnd {
            self.init(date: date, millisecondsOfDay: 0)
            return
        }
        guard reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(digits: 2...2), hour < 24, reader.skip(":"),
            let minute = reader.number(digits: 2...2), minute < 60, reader.skip(":"),
            let second = reader.number(digits: 2...2), second <= 60
        else { return nil }
        let fraction = reader.skip(".") ? reader.milliseconds() : 0
        guard let fraction, let offset = reader.offsetMinutes(), reader.atEnd else { return nil }
        self.init(date: date, millisecondsOfDay: ((hour * 60 + minute - offset) * 60 + second) * 1000 + fraction)
    }
}

private struct DigitReader {
    let bytes: [UInt8]
    var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var atEnd: Bool { offset == bytes.count }

    mutating func skip(_ mark: Unicode.Scalar) -> Bool {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: mark) else { return false }
        offset += 1
        return true
    }

    mutating func number(digits: ClosedRange<Int>) -> Int? {
        var value = 0
        var count = 0
        while offset < bytes.count, count < digits.upperBound, (48...57).contains(bytes[offset]) {
            value = value * 10 + Int(bytes[offset] - 48)
            offset += 1
            count += 1
        }
        return count >= digits.lowerBound ? value : nil
    }

    mutating func milliseconds() -> Int? {
        var value = 0
        var count = 0
        while offset < bytes.count, (48...57).contains(bytes[offset]) {
            if count < 3 { value = value * 10 + Int(bytes[offset] - 48) }
            offset += 1
            count += 1
        }
        guard count > 0 else { return nil }
        for _ in min(count, 3)..<3 { value *= 10 }
        return value
    }

    /// Parses the zone offset in minutes east of Greenwich; nil if there is no zone.
    mutating func offsetMinutes() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let sign = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = number(digits: 2...2), hours < 24, skip(":"), let minutes = number(digits: 2...2),
            minutes < 60
        else {
            return nil
        }
        return sign * (hours * 60 + minutes)
    }
}
