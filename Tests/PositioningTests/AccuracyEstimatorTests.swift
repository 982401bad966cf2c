import Chronology
import Testing

@testable import Positioning

/// The effect of previous epochs and of satellite signals on the accuracy.
@Suite struct AccuracyEstimatorTests {
    private func clock(_ second: Int) -> String { Body.clock(43_200_000 + second * 1000) }
    private func none(_ second: Int) -> String {
        Body.gga(clock(second), quality: 0, used: "00", hdop: "99.99", height: ",,,")
    }
    private func radius(_ fixes: [Fix]) -> Double { fixes.last?.horizontalAccuracy ?? .nan }
    private func near(_ a: Double?, _ b: Double) -> Bool { a.map { abs($0 - b) < 1e-9 } ?? false }

    // MARK: First fixes and gaps

    @Test func `the accuracy of a first fix settles in thirty seconds`() {
        var pipeline = FixPipeline()
        _ = pipeline.burst([none(0)])
        let radii = (1...40).map { radius(pipeline.burst([Body.gga(clock($0))])) }
        #expect(near(radii[0], 6))
        #expect(near(radii[15], 5))
        #expect(near(radii[30], 4))
        #expect(radii == radii.sorted(by: >))
    }

    /// The fix may have existed for days.
    @Test func `a fix present from the start is not a first fix`() {
        var pipeline = FixPipeline()
        #expect(radius(pipeline.burst([Body.gga(clock(0))])) == 4)
    }

    @Test(arguments: [(5, 4.0), (10, 4), (11, 6), (600, 6)])
    func `a gap lowers the accuracy of the next fix`(seconds: Int, metres: Double) {
        var pipeline = FixPipeline()
        for second in 0..<5 { _ = pipeline.burst([Body.gga(clock(second))]) }
        #expect(radius(pipeline.burst([Body.gga(clock(4 + seconds))], pause: .seconds(Double(seconds)))) == metres)
    }

    /// Phones that report every 12 s have no gaps.
    @Test func `slow receivers have no gaps`() {
        var pipeline = FixPipeline()
        let radii = (0..<9).map { radius(pipeline.burst([Body.gga(clock($0 * 12))], pause: .seconds(12))) }
        #expect(radii.dropFirst(4).allSatisfy { $0 == 4 })
    }

    @Test func `midnight is not a gap`() {
        var pipeline = FixPipeline()
        _ = pipeline.burst([Body.gga("235958.00")])
        _ = pipeline.burst([Body.gga("235959.00")])
        #expect(radius(pipeline.burst([Body.gga("000000.00")])) == 4)
        #expect(radius(pipeline.burst([Body.gga("000020.00")], pause: .seconds(20))) == 6)
    }

    /// Epochs without a time are as far apart as their arrivals.
    @Test func `epochs without a time have gaps by arrival`() {
        var pipeline = FixPipeline()
        for _ in 0..<3 { #expect(radius(pipeline.burst([Body.gga("")])) == 4) }
        #expect(radius(pipeline.burst([Body.gga("")], pause: .seconds(60))) == 6)
    }

    @Test func `the reported error of the receiver already covers first fixes`() {
        var pipeline = FixPipeline()
        _ = pipeline.burst([none(0)])
        #expect(near(radius(pipeline.burst([Body.gga(clock(1)), Body.gst(clock(1))])), 5.35))
    }

    // MARK: Kinds of fix

    @Test(arguments: [("", 3.0), ("30.0", 3), ("30.1", 4), ("600", 4)])
    func `old differential corrections do not count`(age: String, metres: Double) {
        var pipeline = FixPipeline()
        let gga = Body.gga(clock(0), quality: 2).dropLast() + age + ","
        #expect(radius(pipeline.burst([String(gga)])) == metres)
    }

    /// Signal ids 7 and 8 are GPS L5, 1 is Galileo E5a; four satellites are needed.
    @Test(arguments: [(4, "8", 2.5), (3, "8", 4), (4, "6", 4), (4, "1", 4), (4, "", 4)])
    func `four dual-frequency satellites improve the accuracy`(count: Int, signal: String, metres: Double) {
        var pipeline = FixPipeline()
        let satellites = (1...count).map { "0\($0),45,090,44" }.joined(separator: ",")
        let burst = { (second: Int) in
            [
                Body.gga(clock(second)), "GPGSA,A,3,01,02,03,04,05,,,,,,,,2.0,1.0,1.7",
                "GPGSV,1,1,0\(count),\(satellites),1",
                "GPGSV,1,1,0\(count),\(satellites)\(signal.isEmpty ? "" : "," + signal)",
            ]
        }
        _ = pipeline.burst(burst(0))
        #expect(radius(pipeline.burst(burst(1))) == metres)
    }

    // MARK: Signals

    /// The median of the satellites in use counts; the strength of the others has no effect.
    @Test(arguments: [(45, 4.0), (30, 4), (29, 6), (25, 6), (24, 10), (12, 10)])
    func `weak signals lower the accuracy`(strength: Int, metres: Double) {
        var pipeline = FixPipeline()
        let gsv = "GPGSV,1,1,04,02,45,090,\(strength),05,45,090,\(strength),07,10,010,05,08,10,010,05"
        let burst = { (second: Int) in [Body.gga(clock(second)), Body.gsa(), gsv] }
        _ = pipeline.burst(burst(0))
        let fixes = pipeline.burst(burst(1))
        #expect(radius(fixes) == metres)
        #expect(near(fixes.last?.verticalAccuracy, metres / 1.07 * 1.7))
    }

    /// One signal strength of five is not representative.
    @Test(arguments: [("02", 10.0), ("02,05,06,07,08", 4)])
    func `too few signal strengths have no effect`(used: String, metres: Double) {
        var pipeline = FixPipeline()
        let empty = String(repeating: ",", count: 12 - used.split(separator: ",").count)
        let burst = { (second: Int) in
            [Body.gga(clock(second)), "GPGSA,A,3,\(used)\(empty),2.0,1.0,1.7", "GPGSV,1,1,01,02,45,090,20"]
        }
        _ = pipeline.burst(burst(0))
        #expect(radius(pipeline.burst(burst(1))) == metres)
    }

    @Test func `the reported error of the receiver already covers weak signals`() {
        var pipeline = FixPipeline()
        let burst = { (second: Int) in
            [Body.gga(clock(second)), Body.gst(clock(second)), Body.gsa(), "GPGSV,1,1,01,02,45,090,20"]
        }
        _ = pipeline.burst(burst(0))
        #expect(near(radius(pipeline.burst(burst(1))), 5.35))
    }

    // MARK: Motion

    /// The receiver reports zero speed while its position wanders by about 2 m/s, 40 m to and fro.
    @Test(arguments: [false, true])
    func `positions that contradict the speed lower the accuracy`(hasEstimate: Bool) {
        var pipeline = FixPipeline()
        var fixes: [Fix] = []
        for second in 0..<60 {
            let minutes = String(17_000 + abs(20 - second % 40)).suffix(5)
            let rmc =
                "GPRMC,\(clock(second)),A,47\(minutes.prefix(2)).\(minutes.dropFirst(2)),N,00833.91590,E,0.0,,"
                + "211126,,,A"
            fixes = pipeline.burst([rmc] + (hasEstimate ? [Body.gst(clock(second))] : []))
        }
        #expect(radius(fixes) > 20)
        #expect(fixes.last?.accuracySource == (hasEstimate ? .gst : .assumed))
    }

    /// A receiver that restarts elsewhere, or a recording that is played again, does not continue
    /// the previous track. There is no movement between the positions and no evidence against them.
    /// If the clock continues, the same change is a jump, which later positions must confirm.
    @Test(arguments: [(-60, true), (1, false)])
    func `a receiver clock set back starts a new evaluation`(step: Int, isAccepted: Bool) {
        var pipeline = FixPipeline()
        let burst = { (second: Int, minute: String) in
            [
                "GPGGA,\(clock(second)),47\(minute).11399,N,00833.91590,E,1,08,1.0,499.6,M,48.0,M,,",
                "GPRMC,\(clock(second)),A,47\(minute).11399,N,00833.91590,E,0.0,,211126,,,A",
            ]
        }
        for second in 100..<130 { _ = pipeline.burst(burst(second, "17")) }
        let fixes = (0..<30).flatMap { pipeline.burst(burst(129 + step + $0, "19")) }
        #expect((fixes.first?.coordinate != nil) == isAccepted)
        #expect(radius(fixes) == 4)
    }

    // MARK: Dead reckoning

    @Test func `dead reckoning degrades with time and distance`() {
        var pipeline = FixPipeline()
        #expect(radius(pipeline.burst([Body.gga(clock(0))])) == 4)
        let snapshot = (1...20).map { radius(pipeline.burst([Body.gga(clock($0), quality: 6)])) }
        // 4 m plus 0.5 m per second, but never less than 10 m.
        #expect(near(snapshot[10], 10))
        #expect(near(snapshot[19], 14))
        // One minute of latitude is 1,853 m; a twentieth is 93 m.
        let moved = Body.gga(clock(21), quality: 6).replacing("4717.11399", with: "4718.11399")
        let fixes = pipeline.burst([moved])
        #expect(abs(radius(fixes) - (4 + 10.5 + 92.6)) < 0.1)
        #expect(fixes.last?.accuracySource == .deadReckoning)
        // A satellite fix again, rated as after a gap.
        #expect(near(radius(pipeline.burst([Body.gga(clock(22))])), 6))
    }

    @Test func `dead reckoning degrades to at most one kilometre`() {
        var pipeline = FixPipeline()
        _ = pipeline.burst([Body.gga(clock(0))])
        #expect(radius(pipeline.burst([Body.gga(clock(3000), quality: 6)], pause: .seconds(3000))) == 1000)
    }

    @Test func `a receiver that starts in dead reckoning is rated by HDOP`() {
        var pipeline = FixPipeline()
        let first = pipeline.burst([Body.gga(clock(0), quality: 6)])
        #expect(first.last?.accuracySource == .hdop)
        #expect(radius(first) == 10)
        #expect(near(radius(pipeline.burst([Body.gga(clock(10), quality: 6)])), 15))
    }

    // MARK: Speed and course

    /// HDOP and knots; metres per second and degrees.
    @Test(
        arguments: [
            ("1.0", "10.0", 0.1, 1.113), ("3.0", "10.0", 0.3, 3.338), ("0.5", "10.0", 0.1, 1.113),
            ("1.0", "0.3", 0.1, nil),
            ("1.0", "0.5", 0.1, 21.25),
            ("", "10.0", 0.25, 2.783),
        ] as [(String, String, Double, Double?)])
    func `speed and course have accuracies`(hdop: String, knots: String, speed: Double, course: Double?) throws {
        var pipeline = FixPipeline()
        let rmc = "GPRMC,\(clock(0)),A,\(Body.place),\(knots),77.5,211126,,,A"
        let fix = try #require(pipeline.burst([Body.gga(clock(0), hdop: hdop), rmc]).last)
        #expect(near(fix.speedAccuracy, speed))
        #expect(
            fix.courseAccuracy.map { abs($0 - (course ?? .nan)) < 0.01 } ?? (course == nil),
            "\(fix.courseAccuracy ?? .nan)")
    }

    @Test func `without a speed there is no speed accuracy`() throws {
        var pipeline = FixPipeline()
        let fix = try #require(pipeline.burst([Body.gga(clock(0))]).last)
        #expect(fix.speedAccuracy == nil)
        #expect(fix.courseAccuracy == nil)
    }

    /// A twentieth of the speed plus 0.5 m/s, the rate at which the position error grows.
    @Test func `a dead-reckoned speed has its own accuracy`() throws {
        var pipeline = FixPipeline()
        let fix = try #require(pipeline.burst([Body.gga(clock(0), quality: 6), Body.rmc(clock(0), mode: ",E")]).last)
        #expect(near(fix.speedAccuracy, 0.5 + 0.05 * 10 * 1852 / 3600))
    }
}
