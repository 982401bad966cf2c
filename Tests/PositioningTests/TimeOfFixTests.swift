import Chronology
import NMEA
import Testing

@testable import Positioning

@Suite struct TimeOfFixTests {
    /// Plays bursts one second apart and returns the times of their fixes; `nil` as "-".
    private func times(_ bursts: [[String]], reference: String? = nil, guessesDay: Bool = false) throws -> [String] {
        var pipeline = FixPipeline()
        if let reference {
            pipeline.fixBuilder.calendar.setReference(try #require(UTCTime(rfc3339: reference)), guessesDay: guessesDay)
        }
        return bursts.flatMap { pipeline.burst($0) }.map { $0.time?.description ?? "-" }
    }

    @Test func `without a date a fix has no time`() throws {
        #expect(try times([[Body.gga("120000.00")], [Body.gga("120001.00"), Body.gll("120001.00")]]) == ["-", "-"])
    }

    @Test func `a date holds for the following fixes`() throws {
        let dates = try times([
            [Body.gga("115959.50")], [Body.gga("120000.50"), Body.rmc("120000.50", date: "140326")],
            [Body.gga("120001.50")],
        ])
        #expect(dates == ["-", "2026-03-14T12:00:00.500Z", "2026-03-14T12:00:01.500Z"])
    }

    @Test func `ZDA provides the date`() throws {
        let dates = try times([[Body.gll("120000.00"), "GPZDA,120000.00,14,03,2031,00,00"], [Body.gll("120001.00")]])
        #expect(dates == ["2031-03-14T12:00:00.000Z", "2031-03-14T12:00:01.000Z"])
    }

    /// RMC and ZDA change the date; GGA before them in the burst has only its time.
    @Test(arguments: [false, true])
    func `the date changes at midnight`(ggaFirst: Bool) throws {
        let steps = [
            ("235958.00", "311226"), ("235959.00", "311226"), ("000000.00", "010127"), ("000001.00", "010127"),
        ]
        let bursts = steps.map { time, date in
            let burst = [Body.gga(time), Body.rmc(time, date: date)]
            return ggaFirst ? burst : burst.reversed()
        }
        #expect(
            try times(bursts) == [
                "2026-12-31T23:59:58.000Z", "2026-12-31T23:59:59.000Z", "2027-01-01T00:00:00.000Z",
                "2027-01-01T00:00:01.000Z",
            ])
    }

    /// The date was stated only once, on the previous day.
    @Test func `the date changes at midnight without a new date sentence`() throws {
        let dates = try times([
            [Body.rmc("235958.00", date: "280224")], [Body.gga("235959.00")], [Body.gga("000000.00")],
            [Body.gga("120000.00")], [Body.gga("120001.00")],
        ])
        #expect(
            dates == [
                "2024-02-28T23:59:58.000Z", "2024-02-28T23:59:59.000Z", "2024-02-29T00:00:00.000Z",
                "2024-02-29T12:00:00.000Z", "2024-02-29T12:00:01.000Z",
            ])
    }

    /// A time of 24:00:00 and the leap second run into the next day.
    @Test(arguments: [
        ("240000.00", "2017-01-01T00:00:00.000Z"), ("235960.00", "2017-01-01T00:00:00.000Z"),
        ("235960.50", "2017-01-01T00:00:00.500Z"),
    ])
    func `24 h and the leap second run into the next day`(time: String, meaning: String) throws {
        let dates = try times([
            [Body.rmc("235959.00", date: "311216")], [Body.rmc(time, date: "311216")],
            [Body.rmc("000001.00", date: "010117")],
        ])
        #expect(dates == ["2016-12-31T23:59:59.000Z", meaning, "2017-01-01T00:00:01.000Z"])
    }

    /// 24:00:00 with the date of the day that begins, not of the one that ends.
    @Test(arguments: ["240000.00", "235960.00"])
    func `24 h with the date of the new day stays on that day`(time: String) throws {
        let dates = try times([
            [Body.rmc("235959.00", date: "311216")], [Body.rmc(time, date: "010117")],
            [Body.rmc("000001.00", date: "010117")],
        ])
        #expect(dates == ["2016-12-31T23:59:59.000Z", "2017-01-01T00:00:00.000Z", "2017-01-01T00:00:01.000Z"])
    }

    /// A rollover of the GPS week counter: 1,024 weeks are 7,168 days.
    @Test(arguments: [
        ("311006", "2026-06-15", "2026-06-16"), ("161294", "2014-08-01", "2014-08-01"),
        ("060180", "2019-04-07", "2019-04-07"),
        ("150626", "2026-06-15", "2026-06-15"), ("010125", "2026-06-15", "2025-01-01"),
        ("220819", "2039-04-08", "2039-04-07"),
        ("160287", "2026-06-15", "2026-05-18"),
    ])
    func `the reference corrects a week number rollover`(date: String, reference: String, meaning: String) throws {
        #expect(try times([[Body.rmc("120000.00", date: date)]], reference: reference) == ["\(meaning)T12:00:00.000Z"])
    }

    @Test func `without a reference a date is accepted`() throws {
        #expect(try times([[Body.rmc("120000.00", date: "311006")]]) == ["2006-10-31T12:00:00.000Z"])
    }

    /// With a reference that may guess, the day is the one nearest to the time of day.
    @Test(arguments: [
        ("2026-06-15T23:50:00Z", "001000.00", "2026-06-16T00:10:00.000Z"),
        ("2026-06-15T00:10:00Z", "235000.00", "2026-06-14T23:50:00.000Z"),
        ("2026-06-15T12:00:00Z", "235000.00", "2026-06-15T23:50:00.000Z"),
        ("2026-06-15T12:00:00Z", "000100.00", "2026-06-15T00:01:00.000Z"),
    ])
    func `the reference provides the day of a time`(reference: String, time: String, meaning: String) throws {
        #expect(try times([[Body.gga(time)]], reference: reference, guessesDay: true) == [meaning])
        #expect(try times([[Body.gga(time)]], reference: reference, guessesDay: false) == ["-"])
    }

    @Test func `the date of the receiver overrides the guessed day`() throws {
        let dates = try times(
            [[Body.gga("115959.00")], [Body.rmc("120000.00", date: "140326")]], reference: "2026-06-15T12:00:00Z",
            guessesDay: true)
        #expect(dates == ["2026-06-15T11:59:59.000Z", "2026-03-14T12:00:00.000Z"])
    }

    /// The clock of ZDA may differ from the fix time; the fix keeps its own.
    @Test func `the fix keeps its own time beside ZDA`() throws {
        #expect(
            try times([[Body.gga("120000.00"), "GPZDA,120001.00,14,03,2026,00,00"]]) == ["2026-03-14T12:00:00.000Z"])
    }

    @Test func `invalid dates are ignored`() throws {
        let dates = try times([
            [Body.rmc("120000.00", date: "320126")], [Body.rmc("120001.00", date: "300226")],
            [Body.rmc("120002.00", date: "")],
        ])
        #expect(dates == ["-", "-", "-"])
    }

    /// A cold receiver's clock starts in 1980 and jumps once it has the time.
    @Test func `a clock that is set changes the date too`() throws {
        let dates = try times([
            [Body.rmc("000010.00", status: "V", date: "060180", mode: ",N")], [Body.rmc("040033.00", date: "020526")],
            [Body.gga("040034.00")],
        ])
        #expect(dates == ["1980-01-06T00:00:10.000Z", "2026-05-02T04:00:33.000Z", "2026-05-02T04:00:34.000Z"])
    }
}
