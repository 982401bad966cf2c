import NMEA
import Testing

@Suite struct GGATests {
    @Test func `every field is parsed`() throws {
        let gga = try #require(
            decode("GPGGA,092725.00,4717.11399,N,00833.91590,E,2,08,1.01,499.6,M,48.0,M,3.5,0120").gga)
        #expect(gga.time == TimeOfDay(hour: 9, minute: 27, second: 25))
        #expect(same(gga.position?.latitude, 47 + 17.11399 / 60))
        #expect(same(gga.position?.longitude, 8 + 33.91590 / 60))
        #expect(gga.position?.minuteDecimals == 5)
        #expect(gga.quality == 2)
        #expect(gga.satellitesUsed == 8)
        #expect(gga.hdop == 1.01)
        #expect(gga.altitude == 499.6)
        #expect(gga.geoidSeparation == 48)
        #expect(gga.correctionAge == 3.5)
    }

    @Test func `south, west and negative altitude are parsed`() throws {
        let gga = try #require(decode("GPGGA,193221.00,2037.72792,S,08704.08478,W,1,04,1.7,-30.40,M,-13.9,M,,").gga)
        #expect(same(gga.position?.latitude, -(20 + 37.72792 / 60)))
        #expect(same(gga.position?.longitude, -(87 + 4.08478 / 60)))
        #expect(gga.altitude == -30.4)
        #expect(gga.geoidSeparation == -13.9)
        #expect(gga.correctionAge == nil)
    }

    @Test func `empty fields have no value`() throws {
        let gga = try #require(decode("GNGGA,,,,,,0,00,99.99,,,,,,").gga)
        #expect(gga.time == nil)
        #expect(gga.position == nil)
        #expect(gga.quality == 0)
        #expect(gga.satellitesUsed == 0)
        #expect(gga.hdop == 99.99)
        #expect(gga.altitude == nil)
    }

    @Test func `zero coordinates are parsed as a position`() throws {
        let gga = try #require(decode("GPGGA,151611.00,0000.0000,N,00000.0000,E,0,00,100.0,00000.0,M,0000.0,M,,").gga)
        #expect(gga.position?.latitude == 0)
        #expect(gga.position?.longitude == 0)
        #expect(gga.quality == 0)
    }

    /// Without units, without the correction fields, and truncated after the quality.
    @Test(
        arguments: [
            ("GPGGA,110124,5505.330990,N,03858.587325,E,2,09,0.9,177.0,,14.0,", 177.0, 14.0),
            ("GPGGA,1,5505.3,N,03858.5,E,2,09,0.9,177.0", 177, nil),
            ("GPGGA,110124,5505.330990,N,03858.587325,E,1,03,", nil, nil),
        ] as [(String, Double?, Double?)])
    func `short forms are parsed`(body: String, altitude: Double?, separation: Double?) throws {
        let gga = try #require(decode(body).gga)
        #expect(gga.position != nil)
        #expect(gga.altitude == altitude)
        #expect(gga.geoidSeparation == separation)
    }

    @Test(arguments: [
        "GPGGA", "GPGGA,", "GPGGA,092725.00,4717.11399,N", "GPGGA,092725.00,4717.11399,N,00833.91590,E,1,08",
    ])
    func `truncated sentences are malformed`(body: String) {
        #expect(decode(body).isMalformed)
    }
}
