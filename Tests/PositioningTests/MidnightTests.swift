import Chronology
import NMEA
import Testing

@testable import Positioning

/// No fix ever has the date of the previous day, for any order of the burst and any sentence with
/// the date.
@Suite struct MidnightTests {
    /// Returns the fix times of bursts one second apart, from 23:59:57 on; `burst` names the
    /// sentences, `date` gives the date of each second.
    private func times(_ burst: String, date: (_ second: Int) -> String = { $0 < 3 ? "311226" : "010127" }) -> [String]
    {
        var pipeline = FixPipeline()
        return (0..<7).flatMap { second in
            let clock = Body.clock((86_397_000 + second * 1000) % 86_400_000)
            let date = date(second)
            return pipeline.burst(
                burst.map { sign in
                    switch sign {
                    case "R": Body.rmc(clock, date: date)
                    case "G": Body.gga(clock)
                    case "L": Body.gll(clock)
                    default: "GPZDA,\(clock),\(date.prefix(2)),\(date.dropFirst(2).prefix(2)),20\(date.suffix(2)),00,00"
                    }
                })
        }.map { $0.time?.description ?? "-" }
    }

    private let right = [
        "2026-12-31T23:59:57.000Z", "2026-12-31T23:59:58.000Z", "2026-12-31T23:59:59.000Z", "2027-01-01T00:00:00.000Z",
        "2027-01-01T00:00:01.000Z", "2027-01-01T00:00:02.000Z", "2027-01-01T00:00:03.000Z",
    ]

    @Test(arguments: ["RG", "GR", "RGL", "GLRZ", "LZ", "ZG", "GZ", "ZRG", "RGZ", "R"])
    func `any sentence order gives the right date`(burst: String) {
        #expect(times(burst) == right)
    }

    /// The date changes some seconds after or before the time does.
    @Test(arguments: ["RG", "GR", "GLZ", "RZ"], [-2, -1, 1, 2, 3])
    func `a date that changes early or late gives the right date`(burst: String, lag: Int) {
        #expect(times(burst) { $0 < 3 + lag ? "311226" : "010127" } == right)
    }

    /// The receiver states its date once a minute or only once.
    @Test func `fixes from GGA alone get the new date`() {
        var pipeline = FixPipeline()
        let first = pipeline.burst([Body.gga("235957.00"), Body.zda("235957.00")])
        let rest = ["235958.00", "235959.00", "000000.00", "000001.00"].flatMap { pipeline.burst([Body.gga($0)]) }
        #expect(
            (first + rest).map { $0.time?.description } == [
                "2026-11-21T23:59:57.000Z", "2026-11-21T23:59:58.000Z", "2026-11-21T23:59:59.000Z",
                "2026-11-22T00:00:00.000Z",
                "2026-11-22T00:00:01.000Z",
            ])
    }

    /// ZDA states the clock, not the fix: it is seconds ahead or behind, also over midnight.
    @Test(arguments: [-3, -1, 1, 3])
    func `a clock seconds off the fix gives the right date`(offset: Int) {
        var pipeline = FixPipeline()
        let fixes = (0..<7).flatMap { second in
            let clock = second + offset
            let zda =
                "GPZDA,\(Body.clock((86_397_000 + clock * 1000) % 86_400_000)),"
                + "\(clock < 3 ? "31,12,2026" : "01,01,2027"),00,00"
            return pipeline.burst([Body.gga(Body.clock((86_397_000 + second * 1000) % 86_400_000)), zda])
        }
        #expect(fixes.map { $0.time?.description ?? "-" } == right)
    }

    /// The receiver is switched off in the evening while its port stays open; the next morning it
    /// states times before it states a date.
    @Test(arguments: [
        (11.0, "2026-11-22T07:00:00.000Z"), (24, "2026-11-22T20:00:00.000Z"), (35, "2026-11-23T07:00:00.000Z"),
        (83, "2026-11-25T07:00:00.000Z"),
    ])
    func `a night without epochs advances the date`(hours: Double, meaning: String) {
        var pipeline = FixPipeline()
        _ = pipeline.burst([Body.rmc("200000.00")])
        let fixes = pipeline.burst(
            [Body.gga("\(meaning.dropFirst(11).prefix(2))0000.00")], pause: .seconds(hours * 3600))
        #expect(fixes.map { $0.time?.description } == [meaning])
        #expect(
            pipeline.burst([Body.gga("\(meaning.dropFirst(11).prefix(2))0001.00")]).first?.time?.description.prefix(10)
                == meaning.prefix(10))
    }

    /// The last minute has 61 seconds with one epoch each; the leap second has its POSIX time.
    @Test func `the leap second follows POSIX time`() {
        var pipeline = FixPipeline()
        let steps = [
            ("235959.00", "311216"), ("235960.00", "311216"), ("000000.00", "010117"), ("000001.00", "010117"),
        ]
        let fixes = steps.flatMap { pipeline.burst([Body.gga($0.0), Body.rmc($0.0, date: $0.1)]) }
        #expect(
            fixes.map { $0.time?.description } == [
                "2016-12-31T23:59:59.000Z", "2017-01-01T00:00:00.000Z", "2017-01-01T00:00:00.000Z",
                "2017-01-01T00:00:01.000Z",
            ])
    }
}
