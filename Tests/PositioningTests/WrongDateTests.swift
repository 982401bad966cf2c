import Chronology
import NMEA
import Testing

@testable import Positioning

/// Wrong dates from receivers: clocks never set, week counter rollovers, the wrong century.
@Suite struct WrongDateTests {
    private func pipeline(_ reference: String?, guessesDay: Bool = false, isFloor: Bool = false) throws -> FixPipeline {
        var pipeline = FixPipeline()
        if let reference {
            let moment = try #require(UTCTime(rfc3339: reference))
            pipeline.fixBuilder.calendar.setReference(moment, guessesDay: guessesDay, isFloor: isFloor)
        }
        return pipeline
    }

    private func zda(_ time: String, date: String) -> String {
        "GPZDA,\(time),\(date.prefix(2)),\(date.dropFirst(2).prefix(2)),"
            + "\(Int(date.suffix(2)) ?? 0 > 68 ? "19" : "20")\(date.suffix(2)),00,00"
    }

    /// Before its first fix a receiver states an invented date. Fixes before a date with a fix have
    /// the host's day, or none.
    @Test(arguments: ["060180", "050180", "220819", "220899"], ["2026-11-21T12:00:00Z", nil])
    func `the date of a cold start is ignored`(date: String, reference: String?) throws {
        for kind in ["R", "Z"] {
            var pipeline = try pipeline(reference, guessesDay: reference != nil)
            let cold =
                kind == "R" ? Body.rmc("120000.00", status: "V", date: date, mode: ",N") : zda("120000.00", date: date)
            _ = pipeline.burst([Body.gga("120000.00", quality: 0), cold])
            let expected = reference == nil ? nil : "2026-11-21T12:00:01.000Z"
            let undated = try #require(pipeline.burst([Body.gga("120001.00")]).first)
            #expect(undated.time?.description == expected && undated.isDateGuessed == (reference != nil))
            let dated = try #require(pipeline.burst([Body.gga("120002.00"), Body.rmc("120002.00")]).first)
            #expect(dated.time?.description == "2026-11-21T12:00:02.000Z" && !dated.isDateGuessed)
        }
    }

    /// The first day of GPS is not accepted as a date, even with a fix.
    @Test(arguments: ["060180", "050180"], ["2026-11-21T12:00:00Z", nil])
    func `the first day of GPS is not a date`(date: String, reference: String?) throws {
        var pipeline = try pipeline(reference, guessesDay: reference != nil)
        let expected = reference == nil ? nil : "2026-11-21T12:00:01.000Z"
        #expect(pipeline.burst([Body.rmc("120001.00", date: date)]).map { $0.time?.description } == [expected])
    }

    /// If the host's clock was never set, only the day of the release is known: every earlier date
    /// has lost 1,024 weeks or more.
    @Test(arguments: [
        ("211126", "2026-11-21"), ("070407", "2026-11-21"), ("200826", "2046-04-05"), ("010128", "2028-01-01"),
        ("180612", "2032-02-02"),
        ("220819", "2039-04-07"), ("010135", "2035-01-01"),
    ])
    func `a rollover is corrected with the release date alone`(date: String, meaning: String) throws {
        var pipeline = try pipeline("2026-11-20T00:00:00Z", isFloor: true)
        #expect(
            pipeline.burst([Body.rmc("120000.00", date: date)]).map { $0.time?.description } == [
                "\(meaning)T12:00:00.000Z"
            ]
        )
    }

    /// A corrected date must not lie in the host's future.
    @Test func `a rollover correction never leads into the future`() throws {
        var pipeline = try pipeline("2026-11-20T00:00:00Z")
        #expect(
            pipeline.burst([Body.rmc("120000.00", date: "010114")]).map { $0.time?.description } == [
                "2014-01-01T12:00:00.000Z"
            ])
    }

    @Test(arguments: [
        ("010168", nil, "2068-01-01"), ("010169", nil, "1969-01-01"), ("010100", nil, "2000-01-01"),
        ("010170", "2070-01-02", "2070-01-01"),
        ("010169", "2068-12-31", "2069-01-01"), ("010226", "2126-02-01", "2126-02-01"),
        ("211126", "2026-11-21", "2026-11-21"),
        ("010195", "1995-01-02", "1995-01-01"),
    ])
    func `two-digit years get the right century`(date: String, reference: String?, meaning: String) throws {
        let pipeline = try pipeline(reference)
        let short = try #require(shortDate(date))
        let day = try #require(pipeline.fixBuilder.calendar.civil(short))
        #expect(UTCTime(date: day, millisecondsOfDay: 0).description == "\(meaning)T00:00:00.000Z")
    }

    private func shortDate(_ date: String) -> ShortDate? {
        guard case .rmc(let rmc) = Sentence.decode(Array(Body.rmc("120000.00", date: date).utf8).span.bytes).1 else {
            return nil
        }
        return rmc.date
    }

    /// A receiver that restarts or receives the leap seconds steps its clock; each epoch has the
    /// time it states.
    @Test func `each epoch keeps its time across clock steps`() throws {
        var pipeline = FixPipeline()
        let clocks = [
            "120000.00", "120001.00", "115944.00", "115945.00", "120500.00", "120501.00", "030000.00", "030001.00",
            "120003.00", "120004.00",
        ]
        let fixes = clocks.flatMap { pipeline.burst([Body.gga($0), Body.rmc($0)]) }
        #expect(
            fixes.map { $0.time?.description }
                == clocks.map { clock in
                    let pairs = [clock.prefix(2), clock.dropFirst(2).prefix(2), clock.dropFirst(4).prefix(2)]
                    return "2026-11-21T\(pairs.joined(separator: ":")).000Z"
                })
    }

    /// A single RMC with another date and the right time of day.
    @Test(arguments: ["221126", "201126", "211127", "210199", "010100"]) func `one wrong date is ignored`(wrong: String)
        throws
    {
        var pipeline = try pipeline("2026-11-21T12:00:00Z", guessesDay: true)
        let fixes = (0..<20).flatMap { (second: Int) -> [Fix] in
            let time = Body.clock(43_200_000 + second * 1000)
            return pipeline.burst([Body.gga(time), Body.rmc(time, date: second == 10 ? wrong : "211126")])
        }
        #expect(fixes.count == 20 && Set(fixes.map { $0.time?.date.daysSince1970 }).count == 1)
    }

    /// The time of RMC is more than half a day from that of GGA.
    @Test(arguments: [2, 10, 20]) func `the date of another time gives no wrong day`(hour: Int) throws {
        for error in 1..<24 {
            var pipeline = try pipeline("2026-11-21T12:00:00Z", guessesDay: true)
            let fixes = (0..<20).flatMap { (second: Int) -> [Fix] in
                let of = hour * 3600 + second
                let wrong = second == 10 ? (of + error * 3600) % 86_400 : of
                return pipeline.burst([Body.gga(Body.clock(of * 1000)), Body.rmc(Body.clock(wrong * 1000))])
            }
            #expect(Set(fixes.compactMap { $0.time?.date.daysSince1970 }).count == 1, "\(error)")
        }
    }

    /// However long the line delays a fix, it keeps its stated time.
    @Test func `the fix has the time of its epoch and not of its arrival`() {
        var pipeline = FixPipeline()
        _ = pipeline.burst([Body.rmc("120000.00")])
        #expect(
            pipeline.burst([Body.rmc("120001.00")], pause: .seconds(9)).map { $0.time?.description } == [
                "2026-11-21T12:00:01.000Z"
            ])
    }

    /// `PUBX,04` is neither needed nor used for the date.
    @Test func `PUBX 04 is not needed for the date`() {
        var pipeline = FixPipeline()
        let fixes = pipeline.burst([
            "PUBX,04,120000.00,060180,0,0,18D,0,0,21", Body.gga("120000.00"), Body.rmc("120000.00"),
        ])
        #expect(fixes.map { $0.time?.description } == ["2026-11-21T12:00:00.000Z"])
    }
}
