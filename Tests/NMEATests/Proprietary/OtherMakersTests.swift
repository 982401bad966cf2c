import Chronology
import NMEA
import Testing

/// ST, Ashtech, Trimble and Unicore.
@Suite struct OtherMakersTests {
    /// A widely published example in which each deviation is the root of the sum of two variances.
    @Test func `PSTMKFCOV variances become standard deviations`() throws {
        let errors = try #require(decode("PSTMKFCOV,4.1,8.2,8.3,9.0,0.922,0.540,0.310,1.051").proprietary?.pstmkfcov)
        #expect(errors.north == 8.2.squareRoot())
        #expect(errors.east == 8.3.squareRoot())
        #expect(errors.vertical == 3)
        #expect(errors.speedError == 0.922)
        let north = try #require(errors.north)
        let east = try #require(errors.east)
        #expect(abs((north * north + east * east).squareRoot() - 4.1) < 0.05)
    }

    /// A Teseo LIV4F without a fix, and a negative variance.
    @Test func `invalid variances have no value`() throws {
        let none = try #require(decode("PSTMKFCOV,,,,,,,,").proprietary?.pstmkfcov)
        #expect(none.north == nil && none.east == nil && none.vertical == nil)
        #expect(try #require(decode("PSTMKFCOV,1,-1,2,3").proprietary?.pstmkfcov).north == nil)
    }

    @Test(arguments: [
        ("PSTMVER,GNSSLIB_7.1.1.15_ARM", "GNSSLIB_7.1.1.15_ARM"),
        (
            "PSTMVER,GPS Version 4.20.5 Release ARM (15:52:14 Feb  4 2005),0x8C0B",
            "GPS Version 4.20.5 Release ARM (15:52:14 Feb  4 2005)"
        ),
    ])
    func `Teseo versions are parsed`(body: String, text: String) throws {
        #expect(try #require(decode(body).proprietary?.pstmver).text.string == text)
    }

    @Test(arguments: [
        ("0,1,1,0", TXT.Antenna.good), ("1,0,0,0", .open), ("2,0,0,0", .short), ("7,0,0,0", nil), ("-1", nil),
        ("", nil),
    ])
    func `the Teseo antenna status is parsed`(fields: String, state: TXT.Antenna?) throws {
        #expect(try #require(decode("PSTMANTENNASTATUS," + fields).proprietary?.pstmantenna).antenna == state)
    }

    /// The decoder keeps only the end of a long address, and Quectel's antenna status ends like
    /// ST's.
    @Test func `antenna status of other vendors is unknown`() {
        #expect(decode("PQTMANTENNASTATUS,1,2").isUnknown)
        #expect(decode("PSTMGEOFENCESTATUS,1,2").isUnknown)
    }

    /// A line of the capture `ac12_binary`.
    @Test func `PASHR POS is parsed`() throws {
        let body = "PASHR,POS,0,03,183530.00,2037.76012,N,08704.07373,W,058.48,,359.4,000.0,+000.0,2.2,2.2,0.0,1.0,BQ00"
        let fix = try #require(decode(body).proprietary?.pashrpos)
        #expect(fix.quality == 0)
        #expect(fix.satellitesUsed == 3)
        #expect(fix.time == TimeOfDay(hour: 18, minute: 35, second: 30))
        #expect(same(fix.position?.latitude, 20 + 37.76012 / 60))
        #expect([fix.ellipsoidalAltitude, fix.course, fix.speed, fix.hdop, fix.vdop] == [58.48, 359.4, 0, 2.2, 0])
        #expect(try #require(decode("PASHR,POS,,,,,,,,,,,,,,,,,").proprietary?.pashrpos).quality == nil)
    }

    @Test(arguments: [
        "PASHR,SAT,3,02,055,56,41,U", "PASHR",
        "PASHR,",
        "PASHR,POSITION,1",
        "PASHR,HPR,181059.6,149.4688,0.1,0.2,0.01,0.01,0,0,1.5,2", "PSAT,GBS,181059.6,1,1,1,,,", "PSAT",
        "PTNL,VHD,030556.00,093098,187.718,-22.138,-76.929,-5.015,0.033,0.006,3,07,2.4,M", "PTNL,GGK_SYNC,1", "PTNL",
        "PTNLRBA,1,0",
    ])
    func `other sentences with these addresses are unknown`(body: String) {
        #expect(decode(body).isUnknown)
    }

    /// A line of the capture `dotmorten_trimbleR2`.
    @Test func `PTNL GGK is parsed`() throws {
        let body = "PTNL,GGK,235647.00,122017,3403.47162394,N,11711.80927093,W,12,10,2.9,EHT371.467,M"
        let fix = try #require(decode(body).proprietary?.ptnlggk)
        #expect(fix.time == TimeOfDay(hour: 23, minute: 56, second: 47))
        #expect(fix.date?.civilDate == UTCTime(rfc3339: "2017-12-20")?.date)
        #expect(same(fix.position?.latitude, 34 + 3.47162394 / 60))
        #expect(fix.position?.minuteDecimals == 8)
        #expect((fix.quality, fix.satellitesUsed) == (12, 10))
        #expect([fix.pdop, fix.ellipsoidalAltitude] == [2.9, 371.467])
    }

    @Test(
        arguments: [("EHT-6.777", -6.777), ("EHT", nil), ("371.4", nil), ("", nil), ("EHTx", nil)]
            as [(String, Double?)])
    func `PTNL GGK heights are parsed`(field: String, height: Double?) throws {
        let body = "PTNL,GGK,172814.00,071296,3723.46587704,N,12202.26957864,W,3,06,1.7,\(field),M"
        #expect(try #require(decode(body).proprietary?.ptnlggk).ellipsoidalAltitude == height)
    }

    @Test(
        arguments: [("132096", nil), ("023096", nil), ("", nil), ("-71296", nil), ("071296", "1996-07-12")]
            as [(String, String?)])
    func `the month comes first in PTNL GGK dates`(field: String, day: String?) throws {
        let body = "PTNL,GGK,172814.00,\(field),3723.46587704,N,12202.26957864,W,3,06,1.7,EHT0,M"
        #expect(
            try #require(decode(body).proprietary?.ptnlggk).date?.civilDate
                == day.flatMap { UTCTime(rfc3339: $0)?.date })
    }

    @Test func `the Unicore product is parsed`() throws {
        let body = "PDTINFO,UM621-02,G1B1L1E1,V1.2,R6.0.0.0Build2810,2310414000033,PC12B4231700429"
        #expect(try #require(decode(body).proprietary?.pdtinfo).text.string == String(body.dropFirst(8)))
    }

    @Test(arguments: [
        "PSTMKFCOV", "PSTMKFCOV,4.1", "PSTMVER", "PSTMVER,", "PSTMANTENNASTATUS", "PASHR,POS",
        "PASHR,POS,0,03,183530.00,2037.76012,N,08704.07373,W",
        "PASHR,204132.000", "PASHR,204132.000,010.51,M,1,2,3,4,5,6", "PASHR,204132.000,010.51,T,+00.39,-00.79",
        "PSAT,HPR", "PSAT,HPR,235410.50,89.58,3.35", "PTNL,AVR", "PTNL,AVR,181059.6,+149.4688,Yaw,,,,,60.191",
        "PQTMTAR", "PQTMTAR,1,124907.000,6,,1.729,-1.3,-0.7,84.3", "PSTI,036", "PSTI,036,003832.000,290322,244.28",
        "PTNL,GGK", "PTNL,GGK,235647.00,122017,3403.47,N,11711.80,W", "PDTINFO", "PDTINFO,",
    ])
    func `truncated sentences are malformed`(body: String) {
        #expect(decode(body).isMalformed)
    }
}
