import Chronology
import NMEA
import Testing

@testable import Positioning

/// No fix is ever stamped with the day before, whatever order a burst has and whichever of its sentences tells the date.
@Suite struct MidnightTests {
    /// Times of the fixes of bursts a second apart, from 23:59:57 on; `sentence` says each of a burst by its sign, time and date.
    private func times(_ burst: String, date: (_ second: Int) -> String = { $0 < 3 ? "311226" : "010127" }) -> [String] {
        var bench = Bench()
        return (0..<7).flatMap { second in
            let clock = Say.clock((86_397_000 + second * 1000) % 86_400_000)
            let date = date(second)
            return bench.burst(
                burst.map { sign in
                    switch sign {
                    case "R": Say.rmc(clock, date: date)
                    case "G": Say.gga(clock)
                    case "L": Say.gll(clock)
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
    func anyOrder(burst: String) {
        #expect(times(burst) == right)
    }

    /// The date is taken before the time ticks, or after: the old day for some seconds more, or the new one some seconds too soon.
    @Test(arguments: ["RG", "GR", "GLZ", "RZ"], [-2, -1, 1, 2, 3])
    func aDateThatIsNotInStep(burst: String, lag: Int) {
        #expect(times(burst) { $0 < 3 + lag ? "311226" : "010127" } == right)
    }

    /// The receiver tells its date once a minute or once in all.
    @Test func fixesOfGGAAlone() {
        var bench = Bench()
        let first = bench.burst([Say.gga("235957.00"), Say.zda("235957.00")])
        let rest = ["235958.00", "235959.00", "000000.00", "000001.00"].flatMap { bench.burst([Say.gga($0)]) }
        #expect(
            (first + rest).map { $0.time?.description } == [
                "2026-11-21T23:59:57.000Z", "2026-11-21T23:59:58.000Z", "2026-11-21T23:59:59.000Z", "2026-11-22T00:00:00.000Z",
                "2026-11-22T00:00:01.000Z",
            ])
    }

    /// ZDA is the clock and not the fix: seconds ahead of it or behind, over midnight too.
    @Test(arguments: [-3, -1, 1, 3])
    func aClockSecondsBesideTheFix(offset: Int) {
        var bench = Bench()
        let fixes = (0..<7).flatMap { second in
            let clock = second + offset
            let zda = "GPZDA,\(Say.clock((86_397_000 + clock * 1000) % 86_400_000)),\(clock < 3 ? "31,12,2026" : "01,01,2027"),00,00"
            return bench.burst([Say.gga(Say.clock((86_397_000 + second * 1000) % 86_400_000)), zda])
        }
        #expect(fixes.map { $0.time?.description ?? "-" } == right)
    }

    /// Switched off in the evening with its port open; the next morning it tells times before it tells a date.
    @Test(arguments: [
        (11.0, "2026-11-22T07:00:00.000Z"), (24, "2026-11-22T20:00:00.000Z"), (35, "2026-11-23T07:00:00.000Z"),
        (83, "2026-11-25T07:00:00.000Z"),
    ])
    func nightsWithoutAnEpoch(hours: Double, meaning: String) {
        var bench = Bench()
        _ = bench.burst([Say.rmc("200000.00")])
        let fixes = bench.burst([Say.gga("\(meaning.dropFirst(11).prefix(2))0000.00")], pause: .seconds(hours * 3600))
        #expect(fixes.map { $0.time?.description } == [meaning])
        #expect(
            bench.burst([Say.gga("\(meaning.dropFirst(11).prefix(2))0001.00")]).first?.time?.description.prefix(10) == meaning.prefix(10))
    }

    /// 61 seconds in the last minute: an epoch each, the leap second stamped as POSIX counts it.
    @Test func theLeapSecond() {
        var bench = Bench()
        let steps = [("235959.00", "311216"), ("235960.00", "311216"), ("000000.00", "010117"), ("000001.00", "010117")]
        let fixes = steps.flatMap { bench.burst([Say.gga($0.0), Say.rmc($0.0, date: $0.1)]) }
        #expect(
            fixes.map { $0.time?.description } == [
                "2016-12-31T23:59:59.000Z", "2017-01-01T00:00:00.000Z", "2017-01-01T00:00:00.000Z", "2017-01-01T00:00:01.000Z",
            ])
    }
}
