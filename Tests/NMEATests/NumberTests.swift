import NMEA
import TestSupport
import Testing

/// Numbers, angles and times as receivers print them, parsed through the sentences that carry them.
@Suite struct NumberTests {
    private func altitude(_ field: String) throws -> Double? {
        try #require(decode("GPGGA,1,,,,,0,0,,\(field),M,,,,").gga).altitude
    }

    private func position(latitude: String, longitude: String) throws -> Position? {
        try #require(decode("GPGLL,\(latitude),\(longitude),000000,A").gll).position
    }

    private func time(_ field: String) throws -> TimeOfDay? {
        try #require(decode("GPGGA,\(field),,,,,0,0,,,M,,,,").gga).time
    }

    @Test(arguments: [
        ("0", 0.0), ("00000.0", 0), ("-30.40", -30.4), ("+12.5", 12.5), (".5", 0.5), ("-.5", -0.5), ("5.", 5),
        ("999999999", 999_999_999),
        ("0.123456789", 0.123456789), ("1.12345678999999999999999", 1.123456789), ("000000001", 1),
    ])
    func `numbers are parsed`(field: String, value: Double) throws {
        #expect(try altitude(field) == value)
    }

    @Test(arguments: [
        "", "-", "+", ".", "-.", "1-", "--1", "1.2.3", "1e3", "0x10", " 1", "1 ", "nan", "inf", "M", "9999999999",
        "99999999999999999999999999999999", "99999999999999999999999999999999.9",
    ])
    func `invalid numbers have no value`(field: String) throws {
        #expect(try altitude(field) == nil)
    }

    /// Covers every path of the parser: short and long numbers, at every distance from the end of
    /// the sentence, valid and damaged.
    @Test(arguments: 0..<20)
    func `the fast parser agrees with a simple one`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<1000 {
            let field = randomField(&generator)
            let tail = ["", ",T", ",", ",T,12345678", ",,,,,,,,,"].randomElement(using: &generator) ?? ""
            let read = try #require(decode("GPHDT,\(field)\(tail)").hdt).heading
            let wanted = slowly(field)
            #expect(
                read == wanted || abs((read ?? .nan) - (wanted ?? .nan)) <= 1e-15 * abs(wanted ?? .nan),
                "\(field)\(tail)")
        }
    }

    private func randomField(_ generator: inout SeededGenerator) -> String {
        func digits(_ count: ClosedRange<Int>) -> String {
            (0..<Int.random(in: count, using: &generator)).map { _ in String(Int.random(in: 0...9, using: &generator)) }
                .joined()
        }
        let sign = ["", "", "", "-", "+"].randomElement(using: &generator) ?? ""
        var field = Array((sign + digits(0...11) + (Bool.random(using: &generator) ? "." + digits(0...11) : "")).utf8)
        if !field.isEmpty, Int.random(in: 0..<3, using: &generator) == 0 {
            let junk = Array("/:;-+. *aA~\u{0}\u{1f}é".utf8).filter { $0 != 42 }
            field[Int.random(in: 0..<field.count, using: &generator)] = junk.randomElement(using: &generator) ?? 0
        }
        return String(decoding: field, as: UTF8.self)
    }

    /// At most one sign, at most nine digits, at most one point with any number of digits, at least
    /// one digit.
    private func slowly(_ field: String) -> Double? {
        let size = field.hasPrefix("-") || field.hasPrefix("+") ? field.dropFirst() : field[...]
        let parts = size.split(separator: ".", omittingEmptySubsequences: false)
        let isNumber =
            parts.count <= 2 && parts.joined().utf8.allSatisfy { (48...57).contains($0) }
            && parts.contains { !$0.isEmpty }
        guard isNumber, parts[0].utf8.count <= 9 else { return nil }
        let fraction = parts.count == 2 ? parts[1].prefix(9) : ""
        return Double("\(field.hasPrefix("-") ? "-" : "")0\(parts[0]).\(fraction)0")
    }

    /// Three to eight decimals of a minute; a millimetre is resolved.
    @Test(
        arguments: [
            ("4717.113,N", 47, 17.113, 3), ("4717.1139,N", 47, 17.1139, 4), ("4717.1139921,N", 47, 17.1139921, 7),
            ("4717.11399212,N", 47, 17.11399212, 8), ("0000.00000001,N", 0, 0.00000001, 8), ("717.5,N", 7, 17.5, 1),
            ("17.5,N", 0, 17.5, 1),
            ("4717,N", 47, 17, 0), ("9000.0,N", 90, 0, 1), ("4760.0000,N", 48, 0, 4),
        ] as [(String, Double, Double, Int)])
    func `angles are parsed`(latitude: String, degrees: Double, minutes: Double, decimals: Int) throws {
        let position = try #require(try position(latitude: latitude, longitude: "00833.91590123,E"))
        #expect(same(position.latitude, degrees + minutes / 60))
        #expect(position.minuteDecimals == decimals)
    }

    @Test(arguments: [
        ("4717.11,X", "00833.9,E"), ("4717.11,", "00833.9,E"), (",N", "00833.9,E"), ("-4717.11,N", "00833.9,E"),
        ("4761.0,N", "00833.9,E"),
        ("9000.0001,N", "00833.9,E"), ("4717.11,N", "18000.001,W"), ("4717.11,E", "00833.9,N"),
        ("4717.11,n", "00833.9,e"),
        ("999999999.9,N", "00833.9,E"), ("99999999999999999999,N", "00833.9,E"),
    ])
    func `invalid angles have no value`(latitude: String, longitude: String) throws {
        #expect(try position(latitude: latitude, longitude: longitude) == nil)
    }

    @Test(arguments: [
        ("000000", TimeOfDay(hour: 0, minute: 0, second: 0)), ("235959", TimeOfDay(hour: 23, minute: 59, second: 59)),
        ("123519.7", TimeOfDay(hour: 12, minute: 35, second: 19, milliseconds: 700)),
        ("123519.70", TimeOfDay(hour: 12, minute: 35, second: 19, milliseconds: 700)),
        ("123519.0001", TimeOfDay(hour: 12, minute: 35, second: 19)),
        ("123519.487", TimeOfDay(hour: 12, minute: 35, second: 19, milliseconds: 487)),
        ("123519.4874999", TimeOfDay(hour: 12, minute: 35, second: 19, milliseconds: 487)),
        ("123519.4875", TimeOfDay(hour: 12, minute: 35, second: 19, milliseconds: 488)),
        ("235959.9999", TimeOfDay(hour: 24, minute: 0, second: 0)),
        ("235960.50", TimeOfDay(hour: 23, minute: 59, second: 60, milliseconds: 500)),
        ("240000.00", TimeOfDay(hour: 24, minute: 0, second: 0)), ("5", TimeOfDay(hour: 0, minute: 0, second: 5)),
        ("93021", TimeOfDay(hour: 9, minute: 30, second: 21)),
    ])
    func `times are parsed`(field: String, wanted: TimeOfDay) throws {
        #expect(try time(field) == wanted)
    }

    @Test(arguments: ["", "-10203", "250000", "240001", "126000", "123561", "12:35:19", "99999999999", "1235190.0"])
    func `invalid times have no value`(field: String) throws {
        #expect(try time(field) == nil)
    }
}
