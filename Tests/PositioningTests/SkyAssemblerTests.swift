import Chronology
import Testing

@testable import Positioning

@Suite struct SkyAssemblerTests {
    private let fix = Body.gga("120000.00")

    private func numbers(_ pipeline: FixPipeline, after: Instant.Span = .zero) -> [Int?] {
        pipeline.sky.view(at: pipeline.now + after).satellites.map(\.number)
    }

    @Test func `a cycle appears when it is complete`() {
        var pipeline = FixPipeline()
        _ = pipeline.burst([fix, "GPGSV,2,1,05,01,10,010,30,02,20,020,31,03,30,030,32,04,40,040,33"])
        #expect(numbers(pipeline).isEmpty)
        _ = pipeline.burst(["GPGSV,2,2,05,05,50,050,34"])
        #expect(numbers(pipeline) == [1, 2, 3, 4, 5])
    }

    /// A lost sentence leaves the previous cycle in place.
    @Test func `an incomplete cycle changes nothing`() {
        var pipeline = FixPipeline()
        let first = "GPGSV,2,1,05,11,10,010,30,12,20,020,31,13,30,030,32,14,40,040,33"
        _ = pipeline.burst([fix, "GPGSV,1,1,01,01,10,010,30"])
        _ = pipeline.burst([first])
        _ = pipeline.burst([first, "GPGSV,2,1,05,21,10,010,30,22,20,020,31,23,30,030,32,24,40,040,33"])
        #expect(numbers(pipeline) == [1])
        _ = pipeline.burst(["GPGSV,2,2,05,25,50,050,34", "GPGSV,2,2,05,26,50,050,34"])
        #expect(numbers(pipeline) == [21, 22, 23, 24, 25])
        _ = pipeline.burst(["GPGSV,3,3,09,31,50,050,34"])
        #expect(numbers(pipeline) == [21, 22, 23, 24, 25])
    }

    @Test func `cycles of talkers and signals are kept side by side`() {
        var pipeline = FixPipeline()
        _ = pipeline.burst([
            fix, "GPGSV,1,1,01,01,10,010,30,1", "GPGSV,1,1,01,01,10,010,35,8", "GLGSV,1,1,01,65,10,010,20,1",
            "GAGSV,1,1,01,02,10,010,25,7",
        ])
        let view = pipeline.sky.view(at: pipeline.now)
        #expect(view.satellites.map(\.system) == [.gps, .gps, .glonass, .galileo])
        #expect(view.satellites.map(\.number) == [1, 1, 1, 2])
        #expect(view.satellites.map(\.signal) == [1, 8, 1, 7])
        #expect(view.satellites.map(\.carrierToNoise) == [30, 35, 20, 25])
    }

    /// A Trimble R2 numbers one cycle across all its talkers.
    @Test func `one cycle may have several talkers`() {
        var pipeline = FixPipeline()
        let round = [
            "GPGSV,4,1,13,26,33,050,38,9,40,314,43,3,55,188,44,23,68,354,50", "GPGSV,4,2,13,16,56,082,48,7,28,256,43",
            "GLGSV,4,3,13,73,52,022,52,74,62,247,50,72,44,331,50,71,78,111,51",
            "GAGSV,4,4,13,19,82,349,44,1,44,220,44,4,24,314,45",
        ]
        for _ in 0..<2 { _ = pipeline.burst([fix] + round) }
        #expect(numbers(pipeline) == [26, 9, 3, 23, 16, 7, 9, 10, 8, 7, 19, 1, 4])
        // Without the second sentence the third continues no cycle.
        _ = pipeline.burst([fix, round[0], round[2], round[3]])
        #expect(numbers(pipeline) == [26, 9, 3, 23, 16, 7, 9, 10, 8, 7, 19, 1, 4])
    }

    /// A Quectel LC79D numbers one cycle across both frequencies, with or without the signal id of
    /// the first.
    @Test(arguments: ["", ",1"])
    func `one cycle may have several signals`(first: String) {
        var pipeline = FixPipeline()
        let id = first.isEmpty ? nil : 1
        _ = pipeline.burst([
            fix, "GPGSV,3,1,10,02,25,260,39,04,15,092,28,05,36,306,24,06,12,215,45\(first)",
            "GPGSV,3,2,10,07,80,136,44,09,52,089,25,30,55,211,49\(first)", "GPGSV,3,3,10,06,,,40,09,,,29,30,,,39,8",
            "GAGSV,2,1,04,102,28,167,41,103,69,097,35", "GAGSV,2,2,04,102,,,40,103,,,29,1",
        ])
        let view = pipeline.sky.view(at: pipeline.now)
        #expect(view.satellites.map(\.number) == [2, 4, 5, 6, 7, 9, 30, 6, 9, 30, 2, 3, 2, 3])
        #expect(view.satellites.map(\.signal) == [id, id, id, id, id, id, id, 8, 8, 8, nil, nil, 1, 1])
    }

    /// Lost sentences do not join the cycles of talkers that number their own.
    @Test func `halves of two cycles are not joined`() {
        var pipeline = FixPipeline()
        let rounds = [
            "GLGSV,2,1,05,65,10,010,30,66,,,,67,,,,68,,,", "GLGSV,2,2,05,69,,,30", "GBGSV,2,1,05,1,,,30,2,,,,3,,,,4,,,",
            "GBGSV,2,2,05,5,,,30",
        ]
        _ = pipeline.burst([fix] + rounds)
        _ = pipeline.burst([fix, rounds[0], rounds[3]])
        #expect(numbers(pipeline) == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5])
        #expect(
            pipeline.sky.view(at: pipeline.now).satellites.map(\.system.rawValue).filter { $0 == "beidou" }.count == 5)
    }

    /// No known receiver interleaves cycles, but the talkers separate them.
    @Test func `interleaved cycles of two talkers are separated`() {
        var pipeline = FixPipeline()
        _ = pipeline.burst([
            fix, "GPGSV,2,1,05,01,10,010,30,02,20,020,31,03,30,030,32,04,40,040,33",
            "GLGSV,2,1,05,65,10,010,30,66,20,020,31,67,30,030,32,68,40,040,33", "GPGSV,2,2,05,05,50,050,34",
            "GLGSV,2,2,05,69,50,050,34",
        ])
        #expect(numbers(pipeline) == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5])
    }

    /// A repetition in every fifth epoch is enough; a cycle expires after thirty seconds.
    @Test func `cycles expire`() {
        var pipeline = FixPipeline()
        _ = pipeline.burst([fix, "GPGSV,1,1,01,01,10,010,30", "GLGSV,1,1,01,65,10,010,20"])
        _ = pipeline.burst(["GPGSV,1,1,01,01,10,010,30"], pause: .seconds(20))
        #expect(numbers(pipeline) == [1, 1])
        #expect(numbers(pipeline, after: .seconds(15)) == [1])
        #expect(numbers(pipeline, after: .seconds(31)).isEmpty)
    }

    @Test func `an empty cycle clears the sky`() {
        var pipeline = FixPipeline()
        _ = pipeline.burst([fix, "GPGSV,1,1,01,01,10,010,30"])
        _ = pipeline.burst([fix, "GPGSV,1,1,00"])
        #expect(numbers(pipeline).isEmpty)
    }

    private func used(_ pipeline: FixPipeline) -> [String] {
        pipeline.sky.view(at: pipeline.now).satellites.filter(\.used).map { "\($0.system) \($0.number ?? 0)" }
    }

    /// One GSA for each constellation, by system id, by talker, or by the numbers alone.
    @Test(arguments: [
        ["GNGSA,A,3,01,,,,,,,,,,,,2.0,1.0,1.7,1", "GNGSA,A,3,65,,,,,,,,,,,,2.0,1.0,1.7,2"],
        ["GPGSA,A,3,01,,,,,,,,,,,,2.0,1.0,1.7", "GLGSA,A,3,65,,,,,,,,,,,,2.0,1.0,1.7"],
        ["GNGSA,A,3,01,,,,,,,,,,,,2.0,1.0,1.7", "GNGSA,A,3,65,,,,,,,,,,,,2.0,1.0,1.7"],
        ["GPGSA,A,3,01,65,,,,,,,,,,,2.0,1.0,1.7"],
    ])
    func `GSA marks the satellites in use`(lists: [String]) {
        var pipeline = FixPipeline()
        _ = pipeline.burst(
            [fix] + lists + ["GPGSV,1,1,02,01,10,010,30,02,20,020,31", "GLGSV,1,1,02,65,10,010,20,66,20,020,21"])
        #expect(used(pipeline) == ["gps 1", "glonass 1"])
    }

    /// More than twelve satellites of one constellation take two sentences.
    @Test func `a list of used satellites may be split`() {
        var pipeline = FixPipeline()
        let gsv = (0..<4).map { row in
            "GPGSV,4,\(row + 1),16," + (1...4).map { "\(row * 4 + $0),10,010,30" }.joined(separator: ",")
        }
        _ = pipeline.burst(
            [fix, "GNGSA,A,3,1,2,3,4,5,6,7,8,9,10,11,12,2.0,1.0,1.7,1", "GNGSA,A,3,13,14,,,,,,,,,,,2.0,1.0,1.7,1"] + gsv
        )
        #expect(pipeline.sky.view(at: pipeline.now).satellites.filter(\.used).map(\.number) == Array(1...14))
    }

    @Test func `the satellites in use are those of the last epoch`() {
        var pipeline = FixPipeline()
        let gsv = "GPGSV,1,1,02,01,10,010,30,02,20,020,31"
        _ = pipeline.burst([fix, "GPGSA,A,3,01,,,,,,,,,,,,2.0,1.0,1.7", gsv])
        _ = pipeline.burst([Body.gga("120001.00"), "GPGSA,A,3,02,,,,,,,,,,,,2.0,1.0,1.7", gsv])
        #expect(used(pipeline) == ["gps 2"])
        _ = pipeline.burst([Body.gga("120002.00"), gsv])
        #expect(used(pipeline) == ["gps 2"])
        _ = pipeline.burst([Body.gga("120003.00", quality: 0), gsv])
        #expect(used(pipeline).isEmpty)
    }

    @Test func `DOP values are kept while there is a fix`() {
        var pipeline = FixPipeline()
        _ = pipeline.burst([fix, Body.gsa()])
        let view = pipeline.sky.view(at: pipeline.now)
        #expect([view.pdop, view.hdop, view.vdop] == [2, 1, 1.7])
        _ = pipeline.burst([Body.gga("120001.00", quality: 0), "GPGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99"])
        #expect(pipeline.sky.view(at: pipeline.now).hdop == nil)
    }

    /// Invalid data must not fill the memory: cycles, satellites and lists are limited.
    @Test func `memory is bounded`() {
        var pipeline = FixPipeline()
        for (round, letter) in String(repeating: "ABCDEFGHIJKLMNOPQRSTUVWXYZ", count: 50).enumerated() {
            _ = pipeline.burst([
                "G\(letter)GSV,32,\(round % 32 + 1),99,1,1,1,1,2,1,1,1,3,1,1,1,4,1,1,1,\(round % 10)", Body.gsa(),
            ])
        }
        #expect(pipeline.sky.view(at: pipeline.now).satellites.count <= 32 * 64)
    }

    /// u-blox numbers the satellites of all systems in one sequence and reports which it uses.
    @Test func `PUBX 03 provides the sky`() {
        var pipeline = FixPipeline()
        let body =
            "PUBX,03,6,5,U,063,15,18,000,34,e,177,42,30,020,66,-,201,43,,000,211,U,165,14,18,000,163,U,264,40,41,064,"
            + "255,U,,,30,010"
        _ = pipeline.burst([Body.pubx("120000.00"), body])
        let sky = pipeline.sky.view(at: pipeline.now).satellites
        #expect(sky.map(\.system) == [.gps, .beidou, .glonass, .galileo, .beidou, .glonass])
        #expect(sky.map(\.number) == [5, 7, 2, 1, 5, nil])
        #expect(sky.map(\.used) == [true, false, false, true, true, true])
        #expect(sky.map(\.carrierToNoise) == [18, 30, nil, 18, 41, 30])
        #expect(sky[0].azimuth == 63 && sky[0].elevation == 15)
    }

    /// GSV lists the same satellites, which must not appear twice.
    @Test func `PUBX 03 and GSV are not shown twice`() {
        var pipeline = FixPipeline()
        _ = pipeline.burst([fix, Body.gsa(), Body.gsv, "PUBX,03,1,5,U,063,15,18,000"])
        #expect(numbers(pipeline) == [2, 5])
    }
}
