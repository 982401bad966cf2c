import Chronology
import Testing

@Suite struct CivilDateTests {
    /// Days from `date -d` and the tables of GPS weeks.
    @Test(arguments: [
        (1970, 1, 1, 0), (1969, 12, 31, -1), (1980, 1, 6, 3657), (1999, 8, 22, 10_825), (2000, 2, 29, 11_016),
        (2000, 3, 1, 11_017),
        (2019, 4, 7, 17_993), (2038, 1, 19, 24_855), (2100, 2, 28, 47_540), (2100, 3, 1, 47_541), (1, 1, 1, -719_162),
        (9999, 12, 31, 2_932_896),
    ])
    func `known dates convert to day numbers and back`(year: Int, month: Int, day: Int, days: Int) throws {
        let date = try #require(CivilDate(year: year, month: month, day: day))
        #expect(date.daysSince1970 == days)
        #expect(date.components == (year, month, day))
    }

    @Test(arguments: [
        (2025, 2, 29), (1900, 2, 29), (2100, 2, 29), (2025, 4, 31), (2025, 0, 1), (2025, 13, 1), (2025, 1, 0),
        (2025, 7, 32),
        (0, 1, 1), (10_000, 1, 1), (-1, 1, 1), (.max, 1, 1), (2025, .min, 1), (2025, 1, .max),
    ])
    func `invalid dates are rejected`(year: Int, month: Int, day: Int) {
        #expect(CivilDate(year: year, month: month, day: day) == nil)
    }

    /// Advances the calendar by its own rules and compares every day.
    @Test func `every day from 1970 to 2100 converts and back`() throws {
        var wanted = (year: 1970, month: 1, day: 1)
        for days in 0..<47_847 {
            #expect(CivilDate(daysSince1970: days).components == wanted)
            #expect(CivilDate(year: wanted.year, month: wanted.month, day: wanted.day)?.daysSince1970 == days)
            wanted.day += 1
            if wanted.day > CivilDate.dayCount(ofMonth: wanted.month, year: wanted.year) {
                wanted = (wanted.year, wanted.month + 1, 1)
            }
            if wanted.month > 12 { wanted = (wanted.year + 1, 1, 1) }
        }
        #expect(wanted == (2101, 1, 1))
    }

    @Test(arguments: [(1996, true), (1999, false), (2000, true), (2024, true), (2100, false), (2400, true)])
    func `leap years have 29 days in February`(year: Int, isLeap: Bool) {
        #expect(CivilDate.dayCount(ofMonth: 2, year: year) == (isLeap ? 29 : 28))
    }

    @Test func `earlier dates compare as smaller`() {
        #expect(CivilDate(daysSince1970: -1) < CivilDate(daysSince1970: 0))
    }
}
