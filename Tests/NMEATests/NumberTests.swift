import NMEA
import Testing

/// Numbers, angles and times as receivers print them, read through the sentences that carry them.
@Suite struct NumberTests {
    private func altitude(_ field: String) throws -> Double? {
        try #require(decode("GPGGA,1,,,,,0,0,,\(field),M,,,,").gga).altitude
    }

    private func position(_ latitude: String, _ longitude: String) throws -> Position? {
        try #require(decode("GPGLL,\(latitude),\(longitude),000000,A").gll).position
    }

    private func time(_ field: String) throws -> TimeOfDay? {
        try #require(decode("GPGGA,\(field),,,,,0,0,,,M,,,,").gga).time
    }

    @Test(arguments: [
        ("0", 0.0), ("00000.0", 0), ("-30.40", -30.4), ("+12.5", 12.5), (".5", 0.5), ("-.5", -0.5), ("5.", 5), ("999999999", 999_999_999),
        ("0.123456789", 0.123456789), ("1.12345678999999999999999", 1.123456789), ("000000001", 1),
    ])
    func numbers(field: String, value: Double) throws {
        #expect(try altitude(field) == value)
    }

    @Test(arguments: [
        "", "-", "+", ".", "-.", "1-", "--1", "1.2.3", "1e3", "0x10", " 1", "1 ", "nan", "inf", "M", "9999999999",
        "99999999999999999999999999999999", "99999999999999999999999999999999.9",
    ])
    func numbersThatAreNone(field: String) throws {
        #expect(try altitude(field) == nil)
    }

    /// Three to eight decimals of a minute, and a millimetre is still there.
    @Test(
        arguments: [
            ("4717.113,N", 47, 17.113, 3), ("4717.1139,N", 47, 17.1139, 4), ("4717.1139921,N", 47, 17.1139921, 7),
            ("4717.11399212,N", 47, 17.11399212, 8), ("0000.00000001,N", 0, 0.00000001, 8), ("717.5,N", 7, 17.5, 1), ("17.5,N", 0, 17.5, 1),
            ("4717,N", 47, 17, 0), ("9000.0,N", 90, 0, 1), ("4760.0000,N", 48, 0, 4),
        ] as [(String, Double, Double, Int)])
    func angles(latitude: String, degrees: Double, minutes: Double, decimals: Int) throws {
        let position = try #require(try position(latitude, "00833.91590123,E"))
        #expect(same(position.latitude, degrees + minutes / 60))
        #expect(position.decimals == decimals)
    }

    @Test(arguments: [
        ("4717.11,X", "00833.9,E"), ("4717.11,", "00833.9,E"), (",N", "00833.9,E"), ("-4717.11,N", "00833.9,E"), ("4761.0,N", "00833.9,E"),
        ("9000.0001,N", "00833.9,E"), ("4717.11,N", "18000.001,W"), ("4717.11,E", "00833.9,N"), ("4717.11,n", "00833.9,e"),
        ("999999999.9,N", "00833.9,E"), ("99999999999999999999,N", "00833.9,E"),
    ])
    func anglesThatAreNone(latitude: String, longitude: String) throws {
        #expect(try position(latitude, longitude) == nil)
    }

    @Test(arguments: [
        ("000000", TimeOfDay(0, 0, 0)), ("235959", TimeOfDay(23, 59, 59)), ("123519.7", TimeOfDay(12, 35, 19, 700)),
        ("123519.70", TimeOfDay(12, 35, 19, 700)),
        ("123519.0001", TimeOfDay(12, 35, 19)), ("123519.487", TimeOfDay(12, 35, 19, 487)), ("123519.4874999", TimeOfDay(12, 35, 19, 487)),
        ("123519.4875", TimeOfDay(12, 35, 19, 488)), ("235959.9999", TimeOfDay(24, 0, 0)), ("235960.50", TimeOfDay(23, 59, 60, 500)),
        ("240000.00", TimeOfDay(24, 0, 0)), ("5", TimeOfDay(0, 0, 5)), ("93021", TimeOfDay(9, 30, 21)),
    ])
    func times(field: String, wanted: TimeOfDay) throws {
        #expect(try time(field) == wanted)
    }

    @Test(arguments: ["", "-10203", "250000", "240001", "126000", "123561", "12:35:19", "99999999999", "1235190.0"])
    func timesThatAreNone(field: String) throws {
        #expect(try time(field) == nil)
    }
}
