import Testing

@testable import Positioning

/// The second altitude, for receivers that state only one of the two and no geoid separation.
@Suite struct DerivedAltitudeTests {
    /// At ``Body/place``, near Zurich, from the 15-minute grid.
    private let separation = 47.3

    private func fix(_ burst: [String]) throws -> Fix {
        var pipeline = FixPipeline()
        return try #require(pipeline.burst(burst).first)
    }

    private func near(_ a: Double?, _ b: Double, _ tolerance: Double = 2.5) -> Bool {
        a.map { abs($0 - b) < tolerance } ?? false
    }

    @Test(arguments: [",M,,", ",M,,M", ",M"])
    func `the geoid model gives the ellipsoidal altitude`(rest: String) throws {
        let fix = try fix([Body.gga("1", height: "499.6" + rest)])
        #expect(fix.altitude == 499.6)
        #expect(near(fix.ellipsoidalAltitude, 499.6 + separation))
    }

    @Test func `the geoid separation of the receiver takes precedence`() throws {
        let fix = try fix([Body.gga("1", height: "499.6,M,40.0,M")])
        #expect(near(fix.ellipsoidalAltitude, 539.6, 1e-9))
    }

    @Test func `the ellipsoidal altitude gives the altitude`() throws {
        let fix = try fix([Body.pubx("1")])
        #expect(fix.ellipsoidalAltitude == 547.6)
        #expect(near(fix.altitude, 547.6 - separation))
    }

    /// Near Zurich the geoid lies 48 m above the ellipsoid. A receiver that states 0 there has no
    /// geoid model, and the reference of its altitude is unknown.
    @Test(arguments: ["0.000", "0", "0.0", "-0.0"])
    func `an impossible zero separation is ignored`(reported: String) throws {
        let fix = try fix([Body.gga("1", height: "499.6,M,\(reported),M")])
        #expect(fix.altitude == 499.6)
        #expect(fix.ellipsoidalAltitude == nil)
    }

    @Test func `an impossible zero separation does not affect a reported altitude`() throws {
        let both = try fix([Body.gga("1", height: "499.6,M,0.0,M"), Body.pubx("1")])
        #expect(both.altitude == 499.6 && both.ellipsoidalAltitude == 547.6)
        let one = try fix([Body.gga("1", height: ",M,0.0,M"), Body.pubx("1")])
        #expect(near(one.altitude, 547.6 - separation))
    }

    /// West of Chile, at 43.75 S 88.5 W, the geoid crosses the ellipsoid: EGM96 gives 0.3 m.
    @Test func `a plausible zero separation is used`() throws {
        let fix = try fix(["GPGGA,1,4345.0,S,08830.0,W,1,08,1.0,3.0,M,0.0,M,,"])
        #expect(fix.altitude == 3 && fix.ellipsoidalAltitude == 3)
    }

    @Test func `without any altitude none is derived`() throws {
        let fix = try fix([Body.rmc("1")])
        #expect(fix.altitude == nil && fix.ellipsoidalAltitude == nil)
    }
}
