import Chronology
import Geodesy
import Testing

@testable import Positioning

/// The choice among the sentences of an epoch, and the values that outlast it.
@Suite struct FixBuilderTests {
    private func fix(_ burst: [String]) throws -> Fix {
        var pipeline = FixPipeline()
        return try #require(pipeline.burst(burst).first)
    }

    private func near(_ a: Double?, _ b: Double) -> Bool { a.map { abs($0 - b) < 1e-6 } ?? false }

    @Test func `every value of a burst reaches the fix`() throws {
        let t = "120000.00"
        let fix = try fix([Body.rmc(t), Body.vtg, Body.gga(t), Body.gsa(), Body.gsv, Body.gll(t), Body.gst(t)])
        #expect(near(fix.coordinate?.latitude, 47 + 17.11399 / 60))
        #expect(near(fix.coordinate?.longitude, 8 + 33.91590 / 60))
        #expect(near(fix.speed, 10 * 1852.0 / 3600))
        #expect(fix.course == 77.5)
        #expect(fix.altitude == 499.6)
        #expect(near(fix.ellipsoidalAltitude, 547.6))
        #expect(fix.mode == .threeD)
        #expect(fix.satellitesUsed == 8)
        #expect(fix.hdop == 1)
        #expect(fix.time?.description == "2026-11-21T12:00:00.000Z")
    }

    /// A combined talker takes precedence over GPS, GPS over the others, and any position over
    /// none.
    @Test(arguments: [
        (["GPGGA,1,4700.0,N,00800.0,E,1,5,1,,,,,,", "GNGGA,1,4800.0,N,00800.0,E,1,9,1,,,,,,"], 48.0, 9),
        (["GNGGA,1,4800.0,N,00800.0,E,1,9,1,,,,,,", "GPGGA,1,4700.0,N,00800.0,E,1,5,1,,,,,,"], 48, 9),
        (["GLGGA,1,4700.0,N,00800.0,E,1,5,1,,,,,,", "GPGGA,1,4800.0,N,00800.0,E,1,9,1,,,,,,"], 48, 9),
        (["GPGNS,1,4800.0,N,00800.0,E,A,9,1,,,,", "GNGNS,1,,,,,NN,0,,,,,"], 48, 9),
        (["GLGNS,1,,,,,,4,,,,,", "GPGNS,1,4800.0,N,00800.0,E,A,9,1,,,,"], 48, 9),
        (["GPGGA,1,4800.00000,N,00800.00000,E,1,9,1,,,,,,", "GPRMC,1,A,4700.00,N,00800.00,E,0,0,211126,,,A"], 48, 9),
    ])
    func `the best talker provides the position`(burst: [String], latitude: Double, used: Int) throws {
        let fix = try fix(burst)
        #expect(fix.coordinate?.latitude == latitude)
        #expect(fix.satellitesUsed == used)
    }

    /// GGA cannot report more than 12 on many receivers.
    @Test(arguments: [
        (["GNGNS,1,4800.0,N,00800.0,E,DAAN,23,1,,,,", "GNGGA,1,4800.0,N,00800.0,E,2,12,1,,,,,,"], 23),
        (["GNGGA,1,4800.0,N,00800.0,E,1,12,1,,,,,,", "GNGNS,1,4800.0,N,00800.0,E,AA,9,1,,,,"], 12),
        (["GNGGA,1,4800.0,N,00800.0,E,1,11,1,,,,,,", "GNGNS,1,4800.0,N,00800.0,E,AA,14,1,,,,"], 11),
        (["GNGGA,1,4800.0,N,00800.0,E,1,12,1,,,,,,", Body.gps, Body.gps, Body.glonass], 15),
        (["GNRMC,1,A,4800.0,N,00800.0,E,0,0,211126,,,A", Body.gps, Body.glonass], 15),
    ])
    func `the satellites that GGA cannot count are counted`(burst: [String], used: Int) throws {
        #expect(try fix(burst).satellitesUsed == used)
    }

    @Test func `the number of satellites does not change with an epoch without GSA`() {
        var pipeline = FixPipeline()
        func gga(_ clock: String) -> String { "GNGGA,\(clock),4800.0,N,00800.0,E,1,12,1,,,,,," }
        let bursts = [[gga("120001"), Body.gps, Body.glonass], [gga("120002")], [gga("120003"), Body.gps]]
        #expect(bursts.flatMap { pipeline.burst($0) }.map(\.satellitesUsed) == [15, 15, 12])
    }

    /// At 35.65 degrees, 0.195' north and 0.193' west are 462.5 m, in either direction.
    @Test(
        arguments: [
            ("GPDTM,TOY,,0.1950,N,0.1930,W,0.0,W84", "TOY", 462.5), ("GPDTM,TOY,,,,,,,W84", "TOY", 500),
            ("GPDTM,999,,0.1950,S,0.1930,E,3.0,W84", "999", 462.5), ("GPDTM,W72,,0.0,N,0.0,E,0.0,W84", "W72", 20),
            ("GPDTM,W84,,0.0,N,0.0,E,0.0,W84", nil, 0), ("GPDTM,,,,,,,,", nil, 0),
        ] as [(String, String?, Double)])
    func `the accuracy contains the distance of the datum`(dtm: String, name: String?, shift: Double) throws {
        let gga = "GNGGA,120000.00,3539.00000,N,13944.40000,E,1,09,0.9,45.0,M,47.0,M,,"
        let fix = try fix([dtm, gga])
        #expect(fix.datum == name)
        #expect(fix.coordinate?.latitude == 35.65)
        #expect(abs(try #require(fix.horizontalAccuracy) - 3.6 - shift) < 1)
    }

    /// Old receivers report the kind of fix in the status.
    @Test func `the status D is a differential fix`() throws {
        let fix = try fix(["GNRMC,120000.00,D,4730.00000,N,00836.00000,E,0.1,0.0,150926,,"])
        #expect((fix.quality, fix.mode) == (.differential, .twoD))
    }

    @Test(arguments: [
        (Body.gga("1"), FixMode.threeD), (Body.gga("1", height: ",,,"), .twoD), (Body.rmc("1"), .twoD),
        (Body.gns("1"), .threeD),
        (Body.pubx("1"), .threeD),
    ])
    func `the fix mode without GSA follows from the altitude`(body: String, mode: FixMode) throws {
        #expect(try fix([body]).mode == mode)
    }

    /// The best of several GSA counts: a constellation without satellites reports 1.
    @Test(arguments: [([3, 1], FixMode.threeD), ([1, 3], .threeD), ([2, 1], .twoD), ([2], .twoD), ([3], .threeD)])
    func `the best mode of several GSA counts`(modes: [Int], mode: FixMode) throws {
        #expect(try fix([Body.gga("1")] + modes.map(Body.gsa)).mode == mode)
    }

    @Test func `the two altitudes are consistent`() throws {
        let below = try fix([Body.gga("1", height: "-30.4,M,-13.9,M")])
        #expect(below.altitude == -30.4)
        #expect(near(below.ellipsoidalAltitude, -44.3))
        let both = try fix([Body.gga("1", height: ",,48.0,M"), Body.pubx("1")])
        #expect(near(both.altitude, 499.6))
        #expect(both.ellipsoidalAltitude == 547.6)
    }

    @Test(
        arguments: [("360.0", 0.0), ("359.99", 359.99), ("0", 0), ("-1", nil), ("360.1", nil), ("", nil)]
            as [(String, Double?)])
    func `courses are range checked`(field: String, course: Double?) throws {
        #expect(try fix(["GPRMC,1,A,\(Body.place),10.0,\(field),211126,,,A"]).course == course)
    }

    @Test func `each source provides a speed`() throws {
        #expect(near(try fix([Body.gga("1"), "GPVTG,54.7,T,,M,,N,36.0,K,A"]).speed, 10))
        #expect(near(try fix([Body.pubx("1")]).speed, 18.52 / 3.6))
        #expect(try fix(["GPRMC,1,A,\(Body.place),-1.0,0,211126,,,A"]).speed == nil)
    }

    /// RMC every second, GGA every fifth (trackers over a serial radio): the values of GGA are
    /// valid for ten seconds.
    @Test func `GGA in every fifth epoch serves the epochs between`() {
        var pipeline = FixPipeline()
        var fixes: [Fix] = []
        for second in 0..<20 {
            let clock = Body.clock(43_200_000 + second * 1000)
            fixes += pipeline.burst(
                [Body.rmc(clock)]
                    + (second % 5 == 0 ? [Body.gga(clock, hdop: "1.5"), "GPGSA,A,3,02,05,,,,,,,,,,,2.0,1.5,1.7"] : []))
        }
        #expect(fixes.count == 20)
        #expect(
            fixes.allSatisfy {
                $0.hdop == 1.5 && $0.accuracySource == .hdop && $0.mode == .threeD && $0.satellitesUsed == 8
            })
    }

    @Test func `values of GGA expire after ten seconds`() {
        var pipeline = FixPipeline()
        var fixes = pipeline.burst([Body.gga("120000.00", hdop: "1.5"), Body.rmc("120000.00")])
        for second in 1...14 { fixes += pipeline.burst([Body.rmc(Body.clock(43_200_000 + second * 1000))]) }
        #expect(fixes.map { $0.hdop == 1.5 } == Array(repeating: true, count: 11) + Array(repeating: false, count: 4))
    }

    /// A placeholder states that there is no HDOP now, whatever the previous value. An empty field
    /// states nothing.
    @Test(arguments: [("99.99", nil), ("99.0", nil), ("176.0", 176), ("", 1.5), ("0.00", 1.5)] as [(String, Double?)])
    func `a placeholder HDOP clears the previous HDOP`(field: String, hdop: Double?) {
        var pipeline = FixPipeline()
        var fixes = pipeline.burst([Body.gga("120000.00", hdop: "1.5")])
        fixes += pipeline.burst([Body.gga("120001.00", hdop: field)])
        fixes += pipeline.burst([Body.rmc("120002.00")])
        #expect(fixes.map(\.hdop) == [1.5, hdop, hdop])
    }

    @Test func `a loss of the fix clears the values of GGA`() {
        var pipeline = FixPipeline()
        var fixes = pipeline.burst([Body.gga("120000.00", hdop: "1.5"), Body.rmc("120000.00")])
        fixes += pipeline.burst([Body.rmc("120001.00", status: "V", mode: ",N")])
        fixes += pipeline.burst([Body.rmc("120002.00")])
        #expect(fixes.map(\.hdop) == [1.5, nil, nil])
    }

    @Test func `without a fix there are only the time and the satellites used`() throws {
        let fix = try fix([
            Body.gga("120000.00", quality: 0, used: "00", hdop: "99.99", height: ",,,"),
            Body.rmc("120000.00", status: "V", mode: ",N"),
        ])
        var wanted = Fix(mode: .none, quality: .none)
        wanted.time = UTCTime(rfc3339: "2026-11-21T12:00:00Z")
        wanted.satellitesUsed = 0
        #expect(fix == wanted)
    }
}
