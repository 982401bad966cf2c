import NMEA
import Testing

/// GST and GBS: the receiver's own error estimates.
@Suite struct ErrorEstimateTests {
    @Test func `GST uses the axis errors and not the ellipse`() throws {
        let gst = try #require(decode("GNGST,235647.00,0.003,0.054,0.044,139.7,0.050,0.049,0.070").gst)
        #expect(gst.time == TimeOfDay(hour: 23, minute: 56, second: 47))
        #expect([gst.latitudeError, gst.longitudeError, gst.altitudeError] == [0.05, 0.049, 0.07])
    }

    @Test func `GST of u-blox has an empty ellipse`() throws {
        let gst = try #require(decode("GNGST,181141.00,1674,,,,4.7,1.9,5.3").gst)
        #expect([gst.latitudeError, gst.longitudeError, gst.altitudeError] == [4.7, 1.9, 5.3])
    }

    @Test(arguments: ["GPGST,,,,,,,,", "GPGST,112257.00,0.387,317.719,3.872,1.791,,,"])
    func `GST without a fix has no errors`(body: String) throws {
        let gst = try #require(decode(body).gst)
        #expect(gst.latitudeError == nil)
        #expect(gst.altitudeError == nil)
    }

    /// Up to 4.0 with the failed satellite alone, since 4.1 with system and signal.
    @Test(arguments: [
        "GNGBS,181141.00,4.7,1.9,5.3,87,,-54902.0,57.5", "GNGBS,181141.00,4.7,1.9,5.3,,,,,,",
        "GPGBS,181141.00,4.7,1.9,5.3",
    ])
    func `GBS parses in every version`(body: String) throws {
        let gbs = try #require(decode(body).gbs)
        #expect(gbs.time == TimeOfDay(hour: 18, minute: 11, second: 41))
        #expect([gbs.latitudeError, gbs.longitudeError, gbs.altitudeError] == [4.7, 1.9, 5.3])
    }

    @Test(arguments: ["GPGST", "GPGST,112257.00,0.4,317.7,3.9", "GPGBS", "GPGBS,112257.00"])
    func `truncated sentences are malformed`(body: String) {
        #expect(decode(body).isMalformed)
    }
}
