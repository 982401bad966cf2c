import Chronology
import NMEA
import Testing

@testable import Positioning

@Suite struct TimeOfFixTests {
    /// Plays bursts a second apart and returns the times of their fixes; `nil` as "-".
    private func times(_ bursts: [[String]], reference: String? = nil, guessesDay: Bool = false) throws -> [String] {
        var bench = Bench()
        if let reference { bench.maker.calendar.setReference(try #require(UTCTime(rfc3339: reference)), guessesDay: guessesDay) }
        return bursts.flatMap { bench.burst($0) }.map { $0.time?.description ?? "-" }
    }

    @Test func noDateNoTime() throws {
        #expect(try times([[Say.gga("120000.00")], [Say.gga("120001.00"), Say.gll("120001.00")]]) == ["-", "-"])
    }

    @Test func theDateHoldsFromThenOn() throws {
        let said = try times([
            [Say.gga("115959.50")], [Say.gga("120000.50"), Say.rmc("120000.50", date: "140326")], [Say.gga("120001.50")],
        ])
        #expect(said == ["-", "2026-03-14T12:00:00.500Z", "2026-03-14T12:00:01.500Z"])
    }

    @Test func zdaTellsTheDateToo() throws {
        let said = try times([[Say.gll("120000.00"), "GPZDA,120000.00,14,03,2031,00,00"], [Say.gll("120001.00")]])
        #expect(said == ["2031-03-14T12:00:00.000Z", "2031-03-14T12:00:01.000Z"])
    }

    /// RMC and ZDA change the day, GGA before them in the burst has only its time.
    @Test(arguments: [false, true])
    func midnight(ggaFirst: Bool) throws {
        let steps = [("235958.00", "311226"), ("235959.00", "311226"), ("000000.00", "010127"), ("000001.00", "010127")]
        let bursts = steps.map { time, date in
            let burst = [Say.gga(time), Say.rmc(time, date: date)]
            return ggaFirst ? burst : burst.reversed()
        }
        #expect(
            try times(bursts) == [
                "2026-12-31T23:59:58.000Z", "2026-12-31T23:59:59.000Z", "2027-01-01T00:00:00.000Z", "2027-01-01T00:00:01.000Z",
            ])
    }

    /// The date was told once, the day before.
    @Test func midnightWithoutADate() throws {
        let said = try times([
            [Say.rmc("235958.00", date: "280224")], [Say.gga("235959.00")], [Say.gga("000000.00")], [Say.gga("120000.00")],
        ])
        #expect(said == ["2024-02-28T23:59:58.000Z", "2024-02-28T23:59:59.000Z", "2024-02-29T00:00:00.000Z", "2024-02-29T12:00:00.000Z"])
    }

    /// A receiver that sends 24:00:00, and the leap second, run into the next day.
    @Test(arguments: [
        ("240000.00", "2017-01-01T00:00:00.000Z"), ("235960.00", "2017-01-01T00:00:00.000Z"), ("235960.50", "2017-01-01T00:00:00.500Z"),
    ])
    func theSecondAfterTheLast(time: String, meaning: String) throws {
        let said = try times([
            [Say.rmc("235959.00", date: "311216")], [Say.rmc(time, date: "311216")], [Say.rmc("000001.00", date: "010117")],
        ])
        #expect(said == ["2016-12-31T23:59:59.000Z", meaning, "2017-01-01T00:00:01.000Z"])
    }

    /// 24:00:00 with the date of the day that begins, and not of the one that ends.
    @Test(arguments: ["240000.00", "235960.00"])
    func theSecondAfterTheLastOfTheNewDay(time: String) throws {
        let said = try times([
            [Say.rmc("235959.00", date: "311216")], [Say.rmc(time, date: "010117")], [Say.rmc("000001.00", date: "010117")],
        ])
        #expect(said == ["2016-12-31T23:59:59.000Z", "2017-01-01T00:00:00.000Z", "2017-01-01T00:00:01.000Z"])
    }

    /// A GPS week counter that came round: 1,024 weeks are 7,168 days.
    @Test(arguments: [
        ("311006", "2026-06-15", "2026-06-16"), ("161294", "2014-08-01", "2014-08-01"), ("060180", "2019-04-07", "2019-04-07"),
        ("150626", "2026-06-15", "2026-06-15"), ("010125", "2026-06-15", "2025-01-01"), ("220819", "2039-04-08", "2039-04-07"),
        ("160287", "2026-06-15", "2026-05-18"),
    ])
    func rolloverIsUndoneByTheReference(date: String, reference: String, meaning: String) throws {
        #expect(try times([[Say.rmc("120000.00", date: date)]], reference: reference) == ["\(meaning)T12:00:00.000Z"])
    }

    @Test func withoutAReferenceADateIsBelieved() throws {
        #expect(try times([[Say.rmc("120000.00", date: "311006")]]) == ["2006-10-31T12:00:00.000Z"])
    }

    /// Of a reference that may guess, the day is the one nearest to the time of day.
    @Test(arguments: [
        ("2026-06-15T23:50:00Z", "001000.00", "2026-06-16T00:10:00.000Z"),
        ("2026-06-15T00:10:00Z", "235000.00", "2026-06-14T23:50:00.000Z"),
        ("2026-06-15T12:00:00Z", "235000.00", "2026-06-15T23:50:00.000Z"),
        ("2026-06-15T12:00:00Z", "000100.00", "2026-06-15T00:01:00.000Z"),
    ])
    func theDayByTheReference(reference: String, time: String, meaning: String) throws {
        #expect(try times([[Say.gga(time)]], reference: reference, guessesDay: true) == [meaning])
        #expect(try times([[Say.gga(time)]], reference: reference, guessesDay: false) == ["-"])
    }

    @Test func theReceiversDateOverrulesTheGuess() throws {
        let said = try times(
            [[Say.gga("115959.00")], [Say.rmc("120000.00", date: "140326")]], reference: "2026-06-15T12:00:00Z", guessesDay: true)
        #expect(said == ["2026-06-15T11:59:59.000Z", "2026-03-14T12:00:00.000Z"])
    }

    /// The clock of ZDA may stand beside that of the fixes; the fix keeps its own.
    @Test func theFixKeepsItsOwnTime() throws {
        #expect(try times([[Say.gga("120000.00"), "GPZDA,120001.00,14,03,2026,00,00"]]) == ["2026-03-14T12:00:00.000Z"])
    }

    @Test func datesThatAreNoneTeachNothing() throws {
        let said = try times([
            [Say.rmc("120000.00", date: "320126")], [Say.rmc("120001.00", date: "300226")], [Say.rmc("120002.00", date: "")],
        ])
        #expect(said == ["-", "-", "-"])
    }

    /// A cold receiver's clock begins in 1980 and jumps when it knows better.
    @Test func aClockThatIsSetTakesTheDateWithIt() throws {
        let said = try times([
            [Say.rmc("000010.00", status: "V", date: "060180", mode: ",N")], [Say.rmc("040033.00", date: "020526")], [Say.gga("040034.00")],
        ])
        #expect(said == ["1980-01-06T00:00:10.000Z", "2026-05-02T04:00:33.000Z", "2026-05-02T04:00:34.000Z"])
    }
}
