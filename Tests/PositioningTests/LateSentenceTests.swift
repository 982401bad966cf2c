import Chronology
import Testing

@testable import Positioning

/// Late, repeated and out-of-step sentences: never a second fix for one time.
@Suite struct LateSentenceTests {
    private func closedTimes(of sentences: String, times: String, column: Int64 = 20, step: Int = 1000) -> String {
        var drawing = Drawing(column: column, step: step)
        return drawing.closings(of: sentences, times: times).filter { $0 != " " }
    }

    /// 200 ms after the rest of the burst, long after the line became idle.
    @Test(arguments: ["T", "L", "R", "G", "N", "P", "B"])
    func `late sentences give no second fix`(kind: String) {
        let closings = closedTimes(
            of: "GR         \(kind)       GR         \(kind)       GR         \(kind)       ",
            times: "11         1       22         2       33         3       ")
        #expect(closings == "123")
    }

    /// A multiplexer with two input ports repeats everything, immediately or a little later.
    @Test(arguments: ["GGRRLL", "GRLGRL", "GRL GRL", "GRLGRLGRLGRL", "RRRGLG", "GRL         GRL"])
    func `repeated sentences give no second fix`(burst: String) {
        var (sentences, times) = ("", "")
        for epoch in 1...6 {
            sentences += burst + "               "
            times += burst.map { $0 == " " ? " " : String(epoch) }.joined() + "               "
        }
        #expect(closedTimes(of: sentences, times: times) == "123456")
    }

    /// While the lock is lost, GGA reports quality 1 with a frozen clock (Trimble Placer 450).
    @Test func `a frozen clock gives no second fix`() {
        let closings = closedTimes(
            of: "GV       GV       GV       GV       GV       ",
            times: "1        2        2        2        3        ")
        #expect(closings == "123")
    }

    /// An epoch without a time takes that of the clock sentence, unless an earlier epoch already
    /// had that time (found by fuzzing).
    @Test(arguments: ["GZ", "ZG", "G  Z", "RZV"])
    func `a late clock sentence dates no second fix`(burst: String) {
        let times = burst.map { $0 == "Z" ? "1" : " " }.joined()
        let rest = String(repeating: " ", count: 20)
        #expect(closedTimes(of: "GR" + rest + burst + rest, times: "11" + rest + times + rest) == "1-")
        #expect(
            closedTimes(of: "GR" + rest + "G" + rest + burst + rest, times: "11" + rest + " " + rest + times + rest)
                == "1--")
    }

    @Test func `an epoch without a time allows no second fix of an earlier one`() {
        let closings = closedTimes(
            of: "GR         G          R          GR         ",
            times: "11                    1          22         ")
        #expect(closings == "1-2")
    }

    /// Trimble R1 and R2 state times up to 50 ms apart in one burst.
    @Test func `one burst with two times gives one fix`() {
        var drawing = Drawing(special: [
            "a": 43_200_950, "b": 43_201_000, "c": 43_201_960, "d": 43_202_000, "e": 43_202_970, "f": 43_203_000,
        ])
        let closings = drawing.closings(
            of: "GNRZ      GNRZ      GNRZ       ",
            times: "aabb      ccdd      eeff       ")
        #expect(closings.filter { $0 != " " } == "ace")
    }

    /// At 25 Hz 40 ms separate two epochs, at 10 Hz 100 ms.
    @Test(arguments: [40, 50, 100, 200])
    func `fast receivers give one fix for each epoch`(step: Int) {
        let closings = closedTimes(
            of: "RG        RG        RG        RG        RG        RG        RG        RG        RG        RG",
            times: "11        22        33        44        55        66        77        88        99        AA"
                + String(repeating: " ", count: 40),
            column: Int64(step / 10), step: step)
        #expect(closings.hasPrefix("123456789"))
    }

    /// A 25 Hz receiver on a line without pauses; the last epoch closes because its sentence order
    /// is known.
    @Test func `a fast receiver without pauses gives one fix for each epoch`() {
        #expect(closedTimes(of: "RGRGRGRGRGRGRG", times: "11223344556677", column: 20, step: 40) == "1234567")
    }

    /// SL869 steps its clock by 10 ms: this makes two epochs, not a late sentence.
    @Test func `a clock step of ten milliseconds separates two epochs`() {
        var drawing = Drawing(special: ["a": 43_200_000, "b": 43_201_000, "c": 43_201_010, "d": 43_202_010])
        let closings = drawing.closings(
            of: "RGA      RGA      RGA      RGA       ",
            times: "aa       bb       cc       dd        ")
        #expect(closings.filter { $0 != " " } == "abcd")
    }

    /// The stated times vary by a few milliseconds within one epoch.
    @Test func `times a few milliseconds apart are one epoch`() {
        var drawing = Drawing(special: ["a": 43_200_878, "b": 43_200_882, "c": 43_201_879, "d": 43_201_875])
        let closings = drawing.closings(
            of: "GRL      GRL        ",
            times: "aba      cdc        ")
        #expect(closings.filter { $0 != " " } == "ac")
    }

    @Test func `epochs and the period continue over midnight`() {
        var drawing = Drawing(special: ["a": 86_399_000, "b": 0, "c": 1000])
        let closings = drawing.closings(
            of: "GRGRGR        ",
            times: "aabbcc        ")
        #expect(closings.filter { $0 != " " } == "abc")
        #expect(drawing.assembler.period == 1000)
    }

    /// One lost epoch does not double the period, and a gap of an hour does not affect it.
    @Test func `the period ignores lost epochs and long gaps`() {
        var drawing = Drawing()
        _ = drawing.closings(of: "GGG  GGG ", times: "123  567 ")
        #expect(drawing.assembler.period == 1000)
        var sparse = Drawing(step: 300_000)
        _ = sparse.closings(of: "GGG ", times: "123 ")
        #expect(sparse.assembler.period == nil)
    }

    /// Runs the sentence bodies of 30 bursts and returns the seconds of the fixes with a position.
    private func seconds(pause: Instant.Span = .seconds(1), _ burst: (Int) -> [String]) -> [Int] {
        var pipeline = FixPipeline()
        var fixes: [Fix] = []
        for second in 0..<30 { fixes += pipeline.burst(burst(second), pause: pause) }
        return fixes.filter { $0.coordinate != nil && $0.speed != nil }.compactMap(\.time).map {
            $0.millisecondsOfDay / 1000 - 43_200
        }
    }

    private func clock(_ second: Int) -> String { Body.clock((43_200 + second) * 1000) }

    /// A chart plotter states local time in one sentence, a gateway repeats a constant error.
    @Test(arguments: [7200, -7200, 20_700, 17, -17, 2, -1, -3])
    func `a sentence with a constant error of its time takes no speed and no second fix`(error: Int) {
        let afterGGA = seconds { [Body.gga(clock($0)), Body.gll(clock($0 + error)), Body.rmc(clock($0))] }
        let before = seconds { [Body.gll(clock($0 + error)), Body.gga(clock($0)), Body.rmc(clock($0))] }
        let last = seconds { [Body.rmc(clock($0)), Body.gga(clock($0 + error))] }
        for times in [afterGGA, before, last] {
            #expect(Set(times).count == times.count)
            #expect(times.sorted() == times)
            #expect(times.suffix(20) == Array(10..<30)[...])
        }
    }

    /// A multiplexer repeats the burst of one second earlier.
    @Test func `repeated sentences of earlier seconds give no fix`() {
        let times = seconds {
            [Body.rmc(clock($0)), Body.gga(clock($0)), Body.rmc(clock($0 - 1)), Body.gga(clock($0 - 1))]
        }
        #expect(times == Array(0..<30))
    }

    /// A recording that begins again, and a clock that is set back for good.
    @Test(arguments: [3, 20, 3600])
    func `a clock that goes back for good gives fixes again`(back: Int) {
        let times = seconds { [Body.gga(clock($0 < 15 ? $0 : $0 - back)), Body.rmc(clock($0 < 15 ? $0 : $0 - back))] }
        #expect(times.count >= 29)
        #expect(times.last == 29 - back)
    }

    /// One damaged time, or a burst that a multiplexer repeats: its time stands alone.
    @Test(arguments: [3, 7, 60, 3600, 40_000, -5, -11, -13, -600, -7200])
    func `one wrong time gives no fix`(error: Int) {
        let rmc = seconds { [Body.gga(clock($0)), Body.rmc(clock($0 == 15 ? $0 + error : $0))] }
        #expect(rmc.sorted() == rmc)
        #expect(Set(rmc).isSubset(of: Set(0..<30)))
        #expect(rmc.count >= 29)
        let rmcFirst = seconds { [Body.rmc(clock($0 == 15 ? $0 + error : $0)), Body.gga(clock($0))] }
        #expect(Set(rmcFirst).isSubset(of: Set(0..<30)))
        #expect(rmcFirst.count >= 28)
        let whole = seconds {
            let time = clock($0 == 15 ? $0 + error : $0)
            return [Body.rmc(time), Body.gga(time)]
        }
        #expect(whole == Array(0..<15) + Array(16..<30))
        let repeated = seconds {
            [Body.rmc(clock($0)), Body.gga(clock($0))]
                + ($0 % 10 == 5 ? [Body.rmc(clock($0 + error)), Body.gga(clock($0 + error))] : [])
        }
        #expect(repeated == Array(0..<30))
    }

    /// At 10 Hz.
    @Test(arguments: [0.5, 1, 3, 60, -0.5, -3, -11, -3600])
    func `one wrong time of a fast receiver gives no fix`(error: Double) {
        var pipeline = FixPipeline()
        let times = (0..<100).flatMap { tenth in
            let time = Body.clock(43_200_000 + tenth * 100)
            let wrong = Body.clock(43_200_000 + tenth * 100 + (tenth == 50 ? Int(error * 1000) : 0))
            return pipeline.burst([Body.gga(time), Body.rmc(wrong)], pause: .milliseconds(100))
        }.compactMap { $0.time.map { Int($0.millisecondsOfDay - 43_200_000) / 100 } }
        #expect(times.sorted() == times)
        #expect(Set(times).isSubset(of: Set(0..<100)))
        #expect(times.count >= 98)
    }

    /// A multiplexer repeats an old burst while there is no fix.
    @Test(arguments: [5, 11, 30, 3600]) func `an old burst gives no fix in a tunnel`(age: Int) {
        let times = seconds { second in
            guard (10..<20).contains(second) else { return [Body.gga(clock(second)), Body.rmc(clock(second))] }
            let old = second == 15 ? [Body.gga(clock(second - age)), Body.rmc(clock(second - age))] : []
            return [Body.gga(clock(second), quality: 0), Body.rmc(clock(second), status: "V", mode: ",N")] + old
        }
        #expect(times == Array(0..<10) + Array(20..<30))
    }

    @Test(arguments: [-11, -60, -600]) func `a clock that runs backwards loses a few fixes`(step: Int) {
        let times = seconds { second in
            let time = clock(40_000 + second * step)
            return [Body.gga(time), Body.rmc(time)]
        }
        #expect(times.count >= 25)
    }

    /// A gap is no step of the clock, if the arrival times have it too.
    @Test func `a gap delays no fix`() {
        var pipeline = FixPipeline()
        for second in 0..<5 { _ = pipeline.burst([Body.gga(clock(second)), Body.rmc(clock(second))]) }
        #expect(pipeline.burst([], pause: .seconds(30)).isEmpty)
        #expect(pipeline.burst([Body.gga(clock(35)), Body.rmc(clock(35))]).count == 1)
    }
}
