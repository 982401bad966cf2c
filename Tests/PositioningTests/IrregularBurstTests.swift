import Chronology
import Testing

@testable import Positioning

/// Irregular bursts of receivers and multiplexers: exactly one fix for each epoch, with all its
/// data.
@Suite struct IrregularBurstTests {
    private func closedTimes(of sentences: String, times: String, step: Int = 1000, special: [Character: Int] = [:])
        -> String
    {
        var drawing = Drawing(step: step, special: special)
        _ = drawing.closings(of: sentences, times: times)
        return drawing.closed
    }

    /// Returns `count` drawn bursts in sequence, with increasing times for the sentences that state
    /// one.
    private func repeated(_ count: Int, burst sentences: (Int) -> String, pause: Int) -> (
        sentences: String, times: String
    ) {
        let rest = String(repeating: " ", count: pause)
        return (1...count).reduce(into: ("", "")) { bursts, second in
            let burst = sentences(second)
            bursts.0 += burst + rest
            bursts.1 +=
                burst.map { "VASX ".contains($0) ? " " : String(second, radix: 16, uppercase: true) }.joined() + rest
        }
    }

    /// Trimble R1 and R2: GGA tens of milliseconds before RMC and ZDA, in any order, with and
    /// without a pause between the bursts.
    @Test(arguments: ["GNRZ", "GRZN", "RZGN", "GNTARZ"], [2, 6, 20])
    func `times that differ within a burst give one fix`(burst: String, pause: Int) {
        var special: [Character: Int] = [:]
        var sentences = ""
        var times = ""
        var wanted = ""
        let early = Array("abcdefgh"), late = Array("ijklmnop")
        for index in 0..<8 {
            special[early[index]] = 43_200_000 + index * 1000 - [50, 40, 30, 20, 10, 10, 50, 50][index]
            special[late[index]] = 43_200_000 + index * 1000
            sentences += burst + String(repeating: " ", count: pause)
            times +=
                burst.map { "GNT".contains($0) ? String(early[index]) : "RZ".contains($0) ? String(late[index]) : " " }
                .joined()
                + String(repeating: " ", count: pause)
            wanted.append(burst.first == "R" ? late[index] : early[index])
        }
        #expect(
            closedTimes(of: sentences + String(repeating: " ", count: 20), times: times, special: special) == wanted)
    }

    /// RMC in every burst and GGA in every fifth, before or after it, with or without an idle line.
    @Test(arguments: ["GR", "RG", "GRV", "RGV", "GAR"], [0, 4, 45])
    func `a sentence in every fifth burst gives one fix for each epoch`(burst: String, pause: Int) {
        let bursts = repeated(15, burst: { $0 % 5 == 0 ? burst : burst.filter { $0 != "G" } }, pause: pause)
        let end = String(repeating: " ", count: 20)
        #expect(closedTimes(of: bursts.sentences + end, times: bursts.times) == "123456789ABCDEF")
    }

    /// A multiplexer that forwards one receiver under three talkers.
    @Test(arguments: ["RRR", "GRRR", "RRRG", "RRRLLL", "VRVRVR", "RGLRGLRGLRGL", "GGRR", "R R R"], [0, 5, 45])
    func `three talkers of one receiver give one fix for each epoch`(burst: String, pause: Int) {
        let bursts = repeated(9, burst: { _ in burst }, pause: pause)
        #expect(
            closedTimes(of: bursts.sentences + String(repeating: " ", count: 20), times: bursts.times) == "123456789")
    }

    /// The silence before a burst separates its leading sentences without a time from the previous
    /// burst.
    @Test func `leading sentences of a burst belong to its epoch`() {
        var pipeline = FixPipeline()
        for second in 0..<8 {
            let clock = Body.clock(43_200_000 + second * 1000)
            let head = ["GPVTG,77.5,T,,M,\(second).0,N,,K,A", Body.gsa(second % 2 + 2)]
            let fixes = pipeline.burst(head + [Body.gga(clock)], pause: .seconds(1))
            #expect(fixes.count == 1)
            #expect(fixes.first?.speed.map { Int(($0 * 3600 / 1852).rounded()) } == second)
            #expect(fixes.first?.mode == (second % 2 == 0 ? .twoD : .threeD))
        }
    }

    /// A receiver that first has neither time nor date, and then has both.
    @Test(arguments: [0, 5, 45])
    func `warnings without time or date give one epoch each`(pause: Int) {
        let rest = String(repeating: " ", count: pause)
        let sentences = (0..<6).map { _ in "RGV" + rest }.joined() + String(repeating: " ", count: 20)
        let times = (0..<6).map { $0 < 3 ? "   " + rest : "\($0)\($0) " + rest }.joined()
        #expect(closedTimes(of: sentences, times: times) == "---345")
    }

    /// GLL before NMEA 2.0 has no time; ZDA provides it, or nothing does.
    @Test(arguments: ["LZ", "ZL", "LVZ", "L"], [0, 5, 45])
    func `positions without a time give one fix each`(burst: String, pause: Int) {
        let rest = String(repeating: " ", count: pause)
        let sentences = (1...8).map { _ in burst + rest }.joined() + String(repeating: " ", count: 20)
        let times = (1...8).map { second in burst.map { $0 == "Z" ? String(second) : " " }.joined() + rest }.joined()
        #expect(closedTimes(of: sentences, times: times).count == 8)
    }

    /// After GGA is learned as the end of a burst, an RMC 50 ms later gives no second fix.
    @Test func `a later time in the same burst gives no second fix`() {
        let special: [Character: Int] = [
            "a": 43_200_950, "b": 43_201_950, "c": 43_202_950, "d": 43_203_950, "e": 43_204_000, "f": 43_204_950,
            "g": 43_205_000,
        ]
        let closings = closedTimes(
            of: "NG                NG                NG                NGR               NGR               ",
            times: "aa                bb                cc                dde               ffg               ",
            special: special)
        #expect(closings == "abcdf")
    }
}
