import Chronology
import Testing

@Suite struct UTCTimeTests {
    @Test func `a date and a time of day make a UTC time`() throws {
        let date = try #require(CivilDate(year: 2026, month: 11, day: 21))
        let time = UTCTime(date: date, millisecondsOfDay: 22_028_250)
        #expect(time.date == date)
        #expect(time.millisecondsOfDay == 22_028_250)
    }

    @Test(arguments: [
        (Int64(-1), -1, 86_399_999), (-86_400_000, -1, 0), (-86_400_001, -2, 86_399_999), (0, 0, 0),
        (86_399_999, 0, 86_399_999), (.min, -106_751_991_168, 60_424_192), (.max, 106_751_991_167, 25_975_807),
    ])
    func `times before 1970 keep a positive time of day`(milliseconds: Int64, days: Int, ofDay: Int) {
        let time = UTCTime(milliseconds: milliseconds)
        #expect(time.date.daysSince1970 == days)
        #expect(time.millisecondsOfDay == ofDay)
    }

    @Test func `a leap second runs into the next day`() throws {
        let date = try #require(CivilDate(year: 2016, month: 12, day: 31))
        #expect(UTCTime(date: date, millisecondsOfDay: 86_400_500).description == "2017-01-01T00:00:00.500Z")
    }

    @Test func `differences between times are spans`() {
        let earlier = UTCTime(milliseconds: 1_000)
        let later = UTCTime(milliseconds: 3_250)
        #expect(later.span(since: earlier) == .milliseconds(2_250))
        #expect(earlier.span(since: later) == .milliseconds(-2_250))
        #expect(earlier.advanced(by: .milliseconds(2_250)) == later)
        #expect(earlier < later)
    }

    @Test(arguments: [
        ("2026-01-01T00:00:00Z", 2026.0), ("2026-07-02T12:00:00Z", 2026.5), ("2028-07-02T00:00:00Z", 2028.5),
        ("2027-12-31T23:59:59.999Z", 2027.999_999_999_97), ("1969-12-31T00:00:00Z", 1969.997_260_274),
    ])
    func `decimal years are computed`(text: String, year: Double) throws {
        #expect(try abs(#require(UTCTime(rfc3339: text)).decimalYear - year) < 1e-9)
    }
}
