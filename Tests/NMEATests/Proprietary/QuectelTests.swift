import Chronology
import NMEA
import Testing

/// Lines of Quectel's protocol specifications.
@Suite struct QuectelTests {
    @Test(
        arguments: [
            ("PQTMEPE,2,1.000,1.000,1.000,1.414,1.732", 1, 1, 1, 1.414),
            ("PQTMEPE,2,3.393,3.476,12.713,4.857,13.609", 3.393, 3.476, 12.713, 4.857),
            ("PQTMEPE,2,,,,,", nil, nil, nil, nil), ("PQTMEPE,1,5.0,6.0,7.0,8.0,9.0", nil, nil, nil, nil),
            ("PQTMEPE,2,27.8,43.492,87.809", nil, nil, nil, nil),
        ] as [(String, Double?, Double?, Double?, Double?)])
    func `PQTMEPE errors are parsed`(body: String, north: Double?, east: Double?, down: Double?, horizontal: Double?)
        throws
    {
        let errors = try #require(decode(body).proprietary?.pqtmepe)
        #expect([errors.north, errors.east, errors.down, errors.horizontal] == [north, east, down, horizontal])
    }

    @Test func `PQTMVEL is parsed`() throws {
        let body = "PQTMVEL,1,154512.100,1.251,2.452,1.245,2.752,3.021,180.512,0.124,0.254,0.250"
        let velocity = try #require(decode(body).proprietary?.pqtmvel)
        #expect(velocity.time == TimeOfDay(hour: 15, minute: 45, second: 12, milliseconds: 100))
        #expect(
            [velocity.speed, velocity.heading, velocity.speedAccuracy, velocity.headingAccuracy] == [
                2.752, 180.512, 0.124, 0.25,
            ])
    }

    @Test func `PQTMPVT is parsed`() throws {
        let body =
            "PQTMPVT,1,31075000,20221225,083737.000,0,3,9,18,31.12738291,117.26372910,34.212,5.267,3.212,2.928,0.238,"
            + "4.346,34.12,2.16,4.38"
        let fix = try #require(decode(body).proprietary?.pqtmpvt)
        #expect(fix.time == TimeOfDay(hour: 8, minute: 37, second: 37))
        #expect(fix.date == UTCTime(rfc3339: "2022-12-25")?.date)
        #expect([fix.position?.latitude, fix.position?.longitude] == [31.12738291, 117.2637291])
        #expect(fix.position?.minuteDecimals == 6)
        #expect((fix.fixMode, fix.satellitesUsed) == (3, 9))
        #expect(
            [fix.altitude, fix.geoidSeparation, fix.speed, fix.course, fix.hdop] == [34.212, 5.267, 4.346, 34.12, 2.16])
    }

    @Test(arguments: [
        ("-33.85678440,151.21529670", -33.8567844, 151.2152967), ("-0.00000001,-0.00000001", -0.00000001, -0.00000001),
        ("90.00000000,-180.00000000", 90, -180),
    ])
    func `PQTMPVT is parsed in every quadrant of the Earth`(place: String, latitude: Double, longitude: Double) throws {
        let fix = try #require(
            decode("PQTMPVT,1,0,20221225,083737.000,1,3,9,18,\(place),0,0,0,0,0,0,0,1,1").proprietary?.pqtmpvt)
        #expect(fix.position?.latitude == latitude)
        #expect(fix.position?.longitude == longitude)
    }

    @Test(arguments: ["90.1,0", "0,180.5", "1,", ",1", "x,1", "999999999,1"])
    func `invalid PQTMPVT positions and dates have no value`(place: String) throws {
        let fix = try #require(
            decode("PQTMPVT,1,0,20221332,083737.000,1,3,9,18,\(place),0,0,0,0,0,0,0,1,1").proprietary?.pqtmpvt)
        #expect(fix.position == nil)
        #expect(fix.date == nil)
    }

    @Test func `PQTMPVT without a fix has no position`() throws {
        let fix = try #require(decode("PQTMPVT,1,1000,,,0,0,0,,,,,,,,,,,,").proprietary?.pqtmpvt)
        #expect(fix.position == nil && fix.time == nil && fix.date == nil)
        #expect(fix.fixMode == 0)
    }

    /// The published form, and the form of the LC79D as gpsd parses it.
    @Test func `both forms of PQTMGPS are parsed`() throws {
        let short = "PQTMGPS,86139,94183,31.82218794,117.11579022,65.755080,0.027,94.68,2.533952,0.555471,0.886183,29,3"
        let long =
            "PQTMGPS,86139,94183,31.82218794,117.11579022,65.755080,66.1,0.027,94.68,2.533952,0.555471,0.886183,3,29"
        for body in [short, long] {
            let fix = try #require(decode(body).proprietary?.pqtmgps)
            #expect([fix.position?.latitude, fix.position?.longitude] == [31.82218794, 117.11579022])
            #expect(fix.position?.minuteDecimals == 6)
            #expect([fix.speed, fix.course, fix.horizontalAccuracy, fix.hdop] == [0.027, 94.68, 2.533952, 0.555471])
            #expect((fix.fixMode, fix.satellitesUsed) == (3, 29))
        }
        #expect(try #require(decode(short).proprietary?.pqtmgps).altitude == nil)
        #expect(try #require(decode(long).proprietary?.pqtmgps).altitude == 66.1)
        #expect(try #require(decode(long).proprietary?.pqtmgps).ellipsoidalAltitude == 65.75508)
    }

    @Test func `PQTMVERNO is parsed`() throws {
        let version = try #require(decode("PQTMVERNO,LC29HDANR11A03S_RSA,2023/05/19,11:16:03").proprietary?.pqtmverno)
        #expect(version.version.string == "LC29HDANR11A03S_RSA")
    }

    @Test(arguments: [
        "PQTMEPE", "PQTMEPE,", "PQTMVEL", "PQTMVEL,1,154512.100", "PQTMVEL,1,154512.100,1,2,3", "PQTMPVT",
        "PQTMPVT,1,31075000,20221225",
        "PQTMPVT,1,0,20221225,083737.000,1,3,9,18,31.1,117.2", "PQTMGPS", "PQTMGPS,86139,94183,31.8,117.1,65.7",
        "PQTMVERNO", "PQTMVERNO,",
    ])
    func `truncated sentences are malformed`(body: String) {
        #expect(decode(body).isMalformed)
    }

    /// `PQ` before a standard sentence is a talker, before `TM` a vendor.
    @Test func `PQ before a standard sentence is a talker`() throws {
        #expect(decode("PQGSV,1,1,01,02,25,181,42,1,4").gsv != nil)
        #expect(decode("PQGSA,A,3,01,,,,,,,,,,,,1.5,1.3,1.0,4").gsa?.systemID == 4)
        #expect(decode("PQTMCFGMSGRATE,OK").isUnknown)
    }
}
