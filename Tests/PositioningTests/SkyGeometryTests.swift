import Testing

@testable import Positioning

/// Dilution of precision calculated by hand, and its use where the receiver does not state it.
@Suite struct SkyGeometryTests {
    private func near(_ a: Double?, _ b: Double, _ tolerance: Double = 1e-9) -> Bool {
        a.map { abs($0 - b) < tolerance } ?? false
    }

    private func geometry(_ satellites: [(Constellation, elevation: Int, azimuth: Int)]) -> SkyGeometry {
        var geometry = SkyGeometry()
        for satellite in satellites {
            geometry.add(satellite.0, elevation: satellite.elevation, azimuth: satellite.azimuth)
        }
        return geometry
    }

    /// One overhead and three on the horizon, 120 degrees apart. Sums: east and north 3/2 each, up
    /// 1 - 1/4: HDOP = sqrt(4/3), VDOP = sqrt(4/3), PDOP = sqrt(8/3).
    @Test func `one satellite overhead and three on the horizon give known DOP values`() {
        let sky = geometry([(.gps, 90, 0), (.gps, 0, 0), (.gps, 0, 120), (.gps, 0, 240)])
        #expect(near(sky.threeD?.hdop, (4.0 / 3).squareRoot()))
        #expect(near(sky.threeD?.vdop, (4.0 / 3).squareRoot()))
        #expect(near(sky.threeD?.pdop, (8.0 / 3).squareRoot()))
    }

    /// Four at 30 degrees, one overhead: east and north 4 cos² 30 / 2 = 3/2 each; up 4/4 + 1 - 3²/5
    /// = 1/5.
    @Test func `four low satellites and one overhead give known DOP values`() {
        let sky = geometry([(.gps, 30, 0), (.gps, 30, 90), (.gps, 30, 180), (.gps, 30, 270), (.gps, 90, 0)])
        #expect(near(sky.threeD?.hdop, (4.0 / 3).squareRoot()))
        #expect(near(sky.threeD?.vdop, 5.0.squareRoot()))
    }

    /// The same sky, but the satellite overhead belongs to another system. The clock of that system
    /// uses up its measurement, and the others lie on a cone.
    @Test func `a system with a single satellite adds nothing`() {
        let four = [(Constellation.gps, elevation: 30, azimuth: 0), (.gps, 30, 90), (.gps, 30, 180), (.gps, 30, 270)]
        #expect(geometry(four + [(.galileo, 90, 0)]).threeD == nil)
        let whole = four + [(.gps, 90, 0)]
        #expect(near(geometry(whole + [(.galileo, 40, 33)]).threeD?.vdop, 5.0.squareRoot()))
        #expect(near(geometry(whole + [(.galileo, 40, 33)]).threeD?.hdop, (4.0 / 3).squareRoot()))
    }

    /// Two systems: GPS overhead and at the horizon in north and south; Galileo at the horizon in
    /// east and west. Sums less means: east 2, north 2, up 1 - 1/3: HDOP = 1, VDOP = sqrt(3/2).
    /// With one clock, up would be 1 - 1/5: VDOP = sqrt(5/4).
    @Test func `each system has its own clock`() {
        let gps = [(Constellation.gps, elevation: 90, azimuth: 0), (.gps, 0, 0), (.gps, 0, 180)]
        let two = geometry(gps + [(.galileo, 0, 90), (.galileo, 0, 270)])
        #expect(near(two.threeD?.hdop, 1))
        #expect(near(two.threeD?.vdop, 1.5.squareRoot()))
        let one = geometry(gps + [(.qzss, 0, 90), (.sbas, 0, 270)])
        #expect(near(one.threeD?.hdop, 1))
        #expect(near(one.threeD?.vdop, 1.25.squareRoot()))
    }

    /// Three on the horizon give no height; with a known height HDOP is sqrt(4/3).
    @Test func `three satellites give a two-dimensional HDOP`() {
        let sky = geometry([(.gps, 0, 0), (.gps, 0, 120), (.gps, 0, 240)])
        #expect(sky.threeD == nil)
        #expect(near(sky.twoD, (4.0 / 3).squareRoot()))
        #expect(geometry([(.gps, 0, 0), (.gps, 0, 120)]).twoD == nil)
    }

    @Test func `insufficient geometries have no DOP`() {
        #expect(geometry([]).threeD == nil && geometry([]).twoD == nil)
        #expect(geometry([(.gps, 30, 0), (.gps, 30, 120), (.gps, 30, 240)]).threeD == nil)
        #expect(geometry([(.gps, 90, 0), (.gps, 30, 120), (.gps, 30, 240), (.unknown, 0, 0)]).threeD == nil)
        // All on a cone about the vertical, and all in a plane.
        #expect(geometry((0..<8).map { (.gps, 45, $0 * 45) }).threeD == nil)
        #expect(geometry((0..<8).map { (.gps, $0 * 10, 90) }).threeD == nil)
        #expect(
            geometry([(.gps, 200, 90), (.gps, 30, 720), (.gps, 30, -5), (.gps, 99, 0), (.gps, -100, 0)]).twoD == nil)
    }

    private let round = "GPGSV,1,1,04,01,90,000,42,02,00,000,40,03,00,120,40,04,00,240,40"
    private func gsa(_ dilution: String, mode: Int = 3, used: String = "01,02,03,04,,,,,,,,") -> String {
        "GPGSA,A,\(mode),\(used),\(dilution)"
    }

    @Test func `a missing HDOP is computed`() throws {
        var pipeline = FixPipeline()
        let fix = try #require(pipeline.burst([Body.gga("1", hdop: ""), round, gsa(",,")]).first)
        #expect(near(fix.hdop, (4.0 / 3).squareRoot()))
        #expect(fix.accuracySource == .hdop)
        #expect(fix.verticalAccuracy != nil)
        let view = pipeline.sky.view(at: pipeline.now)
        #expect(near(view.pdop, (8.0 / 3).squareRoot()) && near(view.hdop, (4.0 / 3).squareRoot()))
    }

    /// The value of the receiver counts, however wrong it is.
    @Test func `a stated HDOP is kept`() throws {
        var pipeline = FixPipeline()
        let fix = try #require(pipeline.burst([Body.gga("1", hdop: "7.5"), round, gsa("9.0,7.5,5.0")]).first)
        #expect(fix.hdop == 7.5)
        #expect(pipeline.sky.view(at: pipeline.now).vdop == 5)
    }

    @Test(arguments: ["99.99", "0.00", "100.0"])
    func `placeholder values are replaced by a computed HDOP`(hdop: String) throws {
        var pipeline = FixPipeline()
        let fix = try #require(
            pipeline.burst([Body.gga("1", hdop: hdop), round, gsa("\(hdop),\(hdop),\(hdop)")]).first)
        #expect(near(fix.hdop, (4.0 / 3).squareRoot()))
    }

    @Test func `a two-dimensional fix uses the known height`() throws {
        var pipeline = FixPipeline()
        let fix = try #require(
            pipeline.burst([Body.gga("1", hdop: ""), round, gsa(",,", mode: 2, used: "02,03,04,,,,,,,,,")]).first)
        #expect(near(fix.hdop, (4.0 / 3).squareRoot()))
        #expect(fix.verticalAccuracy == nil)
    }

    /// One GSA for each signal of the same satellites, and directions of satellites not in use.
    @Test func `each satellite counts once`() throws {
        var pipeline = FixPipeline()
        let more = "GPGSV,1,1,02,05,45,045,42,06,45,100,40,2"
        let fix = try #require(pipeline.burst([Body.gga("1", hdop: ""), round, more, gsa(",,"), gsa(",,")]).first)
        #expect(near(fix.hdop, (4.0 / 3).squareRoot()))
    }

    @Test func `without satellites in use there is no HDOP`() throws {
        var pipeline = FixPipeline()
        let fix = try #require(pipeline.burst([Body.gga("1", hdop: ""), round]).first)
        #expect(fix.hdop == nil && fix.accuracySource == .assumed)
    }

    /// GSA in every fifth epoch is valid for ten seconds, like the values of GGA.
    @Test func `the satellites named by GSA expire after ten seconds`() {
        var pipeline = FixPipeline()
        var fixes = pipeline.burst([Body.gga("120000.00", hdop: ""), round, gsa(",,")])
        for second in 1...14 {
            fixes += pipeline.burst([Body.gga(Body.clock(43_200_000 + second * 1000), hdop: ""), round])
        }
        #expect(fixes.map { $0.hdop != nil } == Array(repeating: true, count: 11) + Array(repeating: false, count: 4))
    }
}
