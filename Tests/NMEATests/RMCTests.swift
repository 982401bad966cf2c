import Chronology
import NMEA
import Testing

@Suite struct RMCTests {
    /// 11 fields up to NMEA 2.2, 12 since 2.3, 13 since 4.1.
    @Test(arguments: [
        ("GPRMC,153347.000,A,3940.6986,N,07544.9356,W,0.12,87.21,230410,,", nil),
        ("GPRMC,193221.00,A,2037.7279,N,08704.0848,W,00.1,201.8,231207,01,W,A", FAAMode.autonomous),
        ("GNRMC,120213.000,A,5957.0062,N,01100.6429,E,0.00,0.00,310722,,,D,V", .differential),
        ("GNRMC,120000.00,D,4730.00000,N,00836.00000,E,0.1,0.0,150926,,", .differential),
        ("GNRMC,120000.00,D,4730.00000,N,00836.00000,E,0.1,0.0,150926,,,R", .rtkFixed),
        ("GNRMC,021417.00,A,3725.58362,N,12205.61915,W,0.028,65.13,070220,13.06,E,F,V", .rtkFloat),
    ])
    func `every version is parsed`(body: String, mode: FAAMode?) throws {
        let rmc = try #require(decode(body).rmc)
        #expect(rmc.isValid == true)
        #expect(rmc.position != nil)
        #expect(rmc.speed != nil)
        #expect(rmc.course != nil)
        #expect(rmc.date?.civilDate != nil)
        #expect(rmc.mode == mode)
    }

    @Test func `every field is parsed`() throws {
        let rmc = try #require(
            decode("GNRMC,021417.25,A,3725.58362,N,12205.61915,W,0.028,65.13,070220,13.06,E,F,V").rmc)
        #expect(rmc.time == TimeOfDay(hour: 2, minute: 14, second: 17, milliseconds: 250))
        #expect(same(rmc.position?.latitude, 37 + 25.58362 / 60))
        #expect(same(rmc.position?.longitude, -(122 + 5.61915 / 60)))
        #expect(rmc.speed == 0.028)
        #expect(rmc.course == 65.13)
        #expect(rmc.date?.civilDate == CivilDate(year: 2020, month: 2, day: 7))
        #expect(rmc.magneticVariation == 13.06)
    }

    @Test func `western variation is negative`() throws {
        #expect(
            try #require(decode("GPRMC,193221.00,A,2037.7,N,08704.1,W,0.1,201.8,231207,01,W,A").rmc).magneticVariation
                == -1)
    }

    @Test(arguments: ["GPRMC,,V,,,,,,,,,,N", "GNRMC,,V,,,,,,,,,,N,V"])
    func `empty fields have no value`(body: String) throws {
        let rmc = try #require(decode(body).rmc)
        #expect(rmc.time == nil)
        #expect(rmc.isValid == false)
        #expect(rmc.position == nil)
        #expect(rmc.speed == nil)
        #expect(rmc.date == nil)
        #expect(rmc.mode == FAAMode.none)
    }

    @Test func `at rest the course is empty`() throws {
        let rmc = try #require(decode("GPRMC,234257.00,A,3725.590397,N,12210.422534,W,000.0,,071123,,,A").rmc)
        #expect(rmc.speed == 0)
        #expect(rmc.course == nil)
    }

    /// A year of 69 is 1969 and one of 68 is 2068, as in POSIX.
    @Test(arguments: [("010169", 1969), ("311299", 1999), ("010100", 2000), ("311268", 2068), ("060180", 1980)])
    func `two-digit years are between 1969 and 2068`(date: String, year: Int) throws {
        let rmc = try #require(decode("GPRMC,000000,A,0000.0,N,00000.0,E,0,0,\(date),,,A").rmc)
        #expect(rmc.date?.civilDate?.components.year == year)
    }

    @Test(arguments: ["", "000000", "320120", "011320", "-10120", "3112991", "01012020", "0101-1", "30022x"])
    func `invalid dates have no value`(date: String) throws {
        #expect(try #require(decode("GPRMC,000000,A,0000.0,N,00000.0,E,0,0,\(date),,,A").rmc).date == nil)
    }

    @Test func `30 February has no civil date`() throws {
        #expect(try #require(decode("GPRMC,000000,A,0000.0,N,00000.0,E,0,0,300220,,,A").rmc).date?.civilDate == nil)
    }

    @Test(arguments: [
        "GPRMC", "GPRMC,000344.03,A,4808.9992,N,4,02.3", "GPRMC,153347.000,A,3940.6986,N,07544.9356,W,0.12,87.21",
    ])
    func `truncated sentences are malformed`(body: String) {
        #expect(decode(body).isMalformed)
    }
}
