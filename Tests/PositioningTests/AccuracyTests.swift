import Testing

@testable import Positioning

/// The 68 % radius: the order of its sources, its constants and its floors.
@Suite struct AccuracyTests {
    private static let t = "120000.00"

    private func fix(_ burst: [String]) throws -> Fix {
        var pipeline = FixPipeline()
        return try #require(pipeline.burst(burst).first)
    }

    @Test func `the reported error of the receiver takes precedence`() throws {
        let all = [Body.gga(Self.t), Body.gst(Self.t), Body.gbs(Self.t), Body.pubx(Self.t)]
        #expect(try fix(all).accuracySource == .pubx)
        #expect(try fix(Array(all.prefix(3))).accuracySource == .gst)
        #expect(try fix([all[0], all[2]]).accuracySource == .gbs)
        #expect(try fix([all[0]]).accuracySource == .hdop)
        #expect(try fix([Body.rmc(Self.t)]).accuracySource == .assumed)
    }

    /// 3 m and 4 m along the axes are 5 m RMS, and 1.07 times that holds 68 %.
    @Test func `axis errors convert to the 68 % radius`() throws {
        #expect(try fix([Body.gga(Self.t), Body.gst(Self.t)]).horizontalAccuracy.map { abs($0 - 5.35) < 1e-9 } == true)
        #expect(try fix([Body.gga(Self.t), Body.gbs(Self.t)]).horizontalAccuracy.map { abs($0 - 5.35) < 1e-9 } == true)
        #expect(
            try fix([Body.gga(Self.t), Body.pubx(Self.t)]).horizontalAccuracy.map { abs($0 - 5.35) < 1e-9 } == true)
    }

    @Test(arguments: ["0.0,0.0,0.0", ",,", "100001,1.0,1.0", "5303316,5303316,3755313", "-0.0,0.0,1.0", "4.0,,"])
    func `invalid error estimates are skipped`(axes: String) throws {
        #expect(try fix([Body.gga(Self.t), "GPGST,\(Self.t),12,,,,\(axes)"]).accuracySource == .hdop)
    }

    /// Without carrier phase no receiver knows its error to better than a metre; with fixed
    /// integers, to better than 10 cm.
    @Test(arguments: [(1, 1.0), (2, 1.0), (4, 0.1), (5, 0.3)])
    func `reported errors have a floor for each quality`(quality: Int, floor: Double) throws {
        let fix = try fix([Body.gga(Self.t, quality: quality), "GPGST,\(Self.t),0.1,,,,0.01,0.01,0.01"])
        #expect(fix.accuracySource == .gst)
        #expect(fix.horizontalAccuracy == floor)
    }

    /// Quality, HDOP, satellites, dimensions, radius: `docs/accuracy.md` section 3.
    @Test(
        arguments: [
            (1, "1.0", "08", 3, 4.0), (1, "0.5", "12", 3, 3), (1, "2.0", "08", 3, 8), (2, "1.0", "08", 3, 3),
            (2, "0.5", "08", 3, 2),
            (3, "1.0", "08", 3, 2),
            (3, "0.5", "08", 3, 1.5), (4, "1.0", "08", 3, 0.1), (4, "10", "08", 3, 0.3), (5, "1.0", "08", 3, 0.5),
            (5, "0.5", "08", 3, 0.3), (6, "1.0", "08", 3, 10),
            (6, "2.0", "08", 3, 20), (1, "1.0", "08", 2, 10), (1, "2.0", "08", 2, 16), (2, "2.0", "08", 2, 16),
            (1, "5.0", "08", 3, 20),
            (1, "6.0", "08", 3, 29),
            (1, "5.1", "08", 3, 25), (1, "1.0", "04", 3, 6), (1, "2.0", "04", 3, 12), (1, "2.0", "00", 3, 8),
            (4, "1.0", "04", 3, 0.1),
        ] as [(Int, String, String, Int, Double)])
    func `HDOP, quality and satellites give the radius`(
        quality: Int, hdop: String, used: String, dimensions: Int, radius: Double
    ) throws {
        let gsa = "GPGSA,A,\(dimensions),02,05,,,,,,,,,,,,,"
        let fix = try fix([Body.gga(Self.t, quality: quality, used: used, hdop: hdop), gsa])
        #expect(fix.accuracySource == .hdop)
        #expect(fix.horizontalAccuracy.map { abs($0 - radius) < 1e-9 } == true, "\(fix.horizontalAccuracy ?? .nan)")
    }

    @Test(arguments: ["99.99", "99.9", "99.0", "100.0", "1000", "9999.9", "0.00", "0.01", "", "-1"])
    func `placeholder values are not an HDOP`(hdop: String) throws {
        let fix = try fix([Body.gga(Self.t, hdop: hdop)])
        #expect(fix.hdop == nil)
        #expect(fix.accuracySource == .assumed)
        #expect(fix.horizontalAccuracy == 10)
    }

    /// A NovAtel between houses and a Garmin in a canyon report these values in earnest. No
    /// constant may rate such a fix as good.
    @Test(arguments: [("95.4", 833.6), ("115.5", 1014.5), ("176.0", 1559), ("655.3", 5872.7)])
    func `large HDOP values scale the radius`(hdop: String, radius: Double) throws {
        let fix = try fix([Body.gga(Self.t, hdop: hdop)])
        #expect(fix.hdop == Double(hdop))
        #expect(fix.horizontalAccuracy.map { abs($0 - radius) < 1e-6 } == true, "\(fix.horizontalAccuracy ?? .nan)")
    }

    /// Other data also count without an HDOP: few satellites, and a two-dimensional fix if the
    /// receiver reports it.
    @Test(arguments: [
        (1, "04", 3, 15.0), (1, "08", 2, 20), (1, "03", 2, 30), (2, "04", 3, 7.5), (4, "04", 3, 0.1), (1, "00", 3, 10),
    ])
    func `quality and satellites count without an HDOP`(quality: Int, used: String, dimensions: Int, radius: Double)
        throws
    {
        let gsa = "GPGSA,A,\(dimensions),02,05,,,,,,,,,,,,,"
        #expect(try fix([Body.gga(Self.t, quality: quality, used: used, hdop: ""), gsa]).horizontalAccuracy == radius)
    }

    @Test(arguments: [("A", 10.0), ("D", 5), ("P", 5), ("F", 1), ("R", 0.1), ("E", 30)])
    func `the mode letter alone gives a radius`(letter: String, radius: Double) throws {
        #expect(try fix([Body.rmc(Self.t, mode: ",\(letter)")]).horizontalAccuracy == radius)
    }

    @Test func `the radius is ordered by the quality`() throws {
        let radii = try [4, 5, 3, 2, 1, 6].map { try fix([Body.gga(Self.t, quality: $0)]).horizontalAccuracy ?? .nan }
        #expect(radii == radii.sorted())
    }

    @Test func `the vertical accuracy follows its sources`() throws {
        let gga = Body.gga(Self.t)
        #expect(try fix([gga, Body.gst(Self.t)]).verticalAccuracy == 6)
        #expect(try fix([gga, Body.pubx(Self.t)]).verticalAccuracy == 6)
        #expect(try fix([gga, "GPGST,\(Self.t),1,,,,1,1,0.2"]).verticalAccuracy == 1)
        #expect(try fix([gga, Body.gsa()]).verticalAccuracy.map { abs($0 - 4 / 1.07 * 1.7) < 1e-9 } == true)
        #expect(try fix([gga]).verticalAccuracy == nil)
    }

    /// Without an altitude there is no vertical accuracy; in two dimensions the altitude is
    /// assumed.
    @Test func `there is no vertical accuracy without an altitude`() throws {
        #expect(try fix([Body.rmc(Self.t), Body.gsa()]).verticalAccuracy == nil)
        #expect(try fix([Body.gga(Self.t), Body.gsa(2)]).verticalAccuracy == nil)
    }
}
