import Chronology
import NMEA
import Testing

/// Lines of the captures `garmin38`, `garmin48`, `geko201` and `foretrex-201`, and PGRMF from a GPS
/// 18.
@Suite struct GarminTests {
    @Test(
        arguments: [
            ("PGRME,15.0,M,22.5,M,27.0,M", 15, 22.5, 27), ("PGRME,2.3,M,3.3,M,4.0,M", 2.3, 3.3, 4),
            ("PGRME,,M,,M,,M", nil, nil, nil),
            ("PGRME,3.0,M", 3, nil, nil),
        ] as [(String, Double?, Double?, Double?)])
    func `PGRME errors are parsed`(body: String, horizontal: Double?, vertical: Double?, spherical: Double?) throws {
        let errors = try #require(decode(body).proprietary?.pgrme)
        #expect([errors.horizontal, errors.vertical, errors.spherical] == [horizontal, vertical, spherical])
    }

    @Test func `PGRMF is parsed`() throws {
        let fix = try #require(
            decode("PGRMF,290,293895,160305,093802,13,5213.1439,N,02100.6511,E,A,2,0,226,2,1").proprietary?.pgrmf)
        #expect(fix.time == TimeOfDay(hour: 9, minute: 38, second: 2))
        #expect(fix.date?.civilDate == UTCTime(rfc3339: "2005-03-16")?.date)
        #expect(same(fix.position?.latitude, 52 + 13.1439 / 60))
        #expect(same(fix.position?.longitude, 21 + 0.6511 / 60))
        #expect(fix.fixType == 2)
        #expect([fix.speed, fix.course, fix.pdop] == [0, 226, 2])
    }

    @Test(arguments: [
        ("PGRMM,NAD83", "NAD83", false), ("PGRMM,WGS 84", "WGS 84", true),
        ("PGRMM,Astrln Geod '66", "Astrln Geod '66", false),
    ])
    func `PGRMM datums are parsed`(body: String, name: String, isWGS84: Bool) throws {
        let datum = try #require(decode(body).proprietary?.pgrmm)
        #expect(datum.datum.string == name)
        #expect(datum.isWGS84 == isWGS84)
    }

    @Test(
        arguments: [("PGRMZ,2282,f,3", 2282, 3), ("PGRMZ,,f,1", nil, 1), ("PGRMZ,-12,f,2", -12, 2)]
            as [(String, Double?, UInt8?)])
    func `PGRMZ altitudes are parsed`(body: String, feet: Double?, dimension: UInt8?) throws {
        let altitude = try #require(decode(body).proprietary?.pgrmz)
        #expect(altitude.altitude == feet)
        #expect(altitude.fixType == dimension)
    }

    @Test(arguments: [
        "PGRME", "PGRME,1", "PGRMF", "PGRMF,290,293895,160305,093802,13,5213.1439,N,02100.6511,E", "PGRMM", "PGRMM,",
        "PGRMZ", "PGRMZ,1",
    ])
    func `truncated sentences are malformed`(body: String) {
        #expect(decode(body).isMalformed)
    }

    /// `PGRMC` is not an RMC, although it would be one without its first two letters.
    @Test(arguments: [
        "PGRMC,A,00018.0,100,0,0,0,0,0,A,3,0,2,04,1.0", "PGRMT,GPS 16x-HVS software ver. 4.40,,,,,,,,",
        "PGRMV,0.1,0.2,0.3",
    ])
    func `unsupported sentences are unknown`(body: String) {
        #expect(decode(body).isUnknown)
    }
}
