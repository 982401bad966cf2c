import NMEA
import Testing

/// Headings, and DTM: short sentences with few values.
@Suite struct HeadingTests {
    @Test(arguments: [("GPHDT,218.83,T", 218.83), ("IIHDT,,T", nil), ("GPHDT", nil)])
    func `HDT is parsed`(body: String, heading: Double?) throws {
        #expect(try #require(decode(body).hdt).heading == heading)
    }

    @Test(arguments: [
        ("GNTHS,244.28,A", 244.28, true), ("GNTHS,244.28,E", 244.28, true), ("GNTHS,,V", nil, false),
        ("GNTHS,,", nil, nil), ("GNTHS,1,S", 1, true), ("GNTHS,1,?", 1, nil),
    ])
    func `THS is parsed`(body: String, heading: Double?, isValid: Bool?) throws {
        let ths = try #require(decode(body).ths)
        #expect(ths.heading == heading)
        #expect(ths.isValid == isValid)
    }

    /// Lines of the captures `bundg_zeus_9` and `signalk_plaka`, and the example of an issue of
    /// SignalK.
    @Test(
        arguments: [
            ("SDHDG,234.3,,,1.3,E", 234.3, nil, 1.3, 234.3), ("INHDG,180,5,W,10,W", 180, -5, -10, 175),
            ("HCHDG,98.3,0.0,E,12.6,W", 98.3, 0, -12.6, 98.3), ("HCHDG,,,,7.1,W", nil, nil, -7.1, nil),
            ("HCHDG", nil, nil, nil, nil), ("HCHDG,x,y,E,z,W", nil, nil, nil, nil),
        ] as [(String, Double?, Double?, Double?, Double?)])
    func `HDG is parsed`(body: String, sensor: Double?, deviation: Double?, variation: Double?, magnetic: Double?)
        throws
    {
        let hdg = try #require(decode(body).hdg)
        #expect(hdg.sensorHeading == sensor && hdg.deviation == deviation && hdg.variation == variation)
        #expect(hdg.magneticHeading == magnetic)
    }

    @Test(arguments: [("HCHDM,093.8,M", 93.8), ("IIHDM,,M", nil), ("IIHDM", nil)])
    func `HDM is parsed`(body: String, heading: Double?) throws {
        #expect(try #require(decode(body).hdm).heading == heading)
    }

    @Test(
        arguments: [
            ("SDVHW,236.6,T,235.2,M,6.2,N,11.6,K", 236.6, 235.2), ("IIVHW,,T,,M,00.00,N,00.00,K", nil, nil),
            ("VWVHW,,,101.5,M,6.2,N,,", nil, 101.5), ("VWVHW", nil, nil),
        ] as [(String, Double?, Double?)])
    func `VHW is parsed`(body: String, trueHeading: Double?, magneticHeading: Double?) throws {
        let vhw = try #require(decode(body).vhw)
        #expect(vhw.trueHeading == trueHeading && vhw.magneticHeading == magneticHeading)
    }

    /// The example of the ComNav manual.
    @Test func `HPR is parsed`() throws {
        let hpr = try #require(decode("GPHPR,070901.00,090.10,000.20,000.00,4,14,1.00,0004").hpr)
        #expect(hpr.heading == 90.1 && hpr.quality == 4)
        #expect(hpr.time == TimeOfDay(hour: 7, minute: 9, second: 1))
        #expect(try #require(decode("GNHPR,070901.00,,,,0,,,").hpr).heading == nil)
        #expect(decode("GNHPR,070901.00,90.1").isMalformed)
    }

    /// A line of the capture `rst39`.
    @Test func `the attitude in PASHR is parsed`() throws {
        let body = "PASHR,204132.000,010.51,T,+00.39,-00.79,-00.84,0.151,0.075,0.555,1,0"
        let attitude = try #require(decode(body).proprietary?.pashrAttitude)
        #expect(attitude.heading == 10.51 && attitude.headingError == 0.555)
        #expect(attitude.time == TimeOfDay(hour: 20, minute: 41, second: 32))
    }

    /// A line of a ship of NOAA.
    @Test(
        arguments: [
            ("PSAT,HPR,235410.50,89.58,3.35,,N", 89.58, false), ("PSAT,HPR,235410.50,89.58,3.35,,G", 89.58, true),
            ("PSAT,HPR,,,,,", nil, nil),
        ] as [(String, Double?, Bool?)])
    func `PSAT HPR is parsed`(body: String, heading: Double?, usesGyroscope: Bool?) throws {
        let hpr = try #require(decode(body).proprietary?.psathpr)
        #expect(hpr.heading == heading && hpr.usesGyroscope == usesGyroscope)
    }

    /// The examples of Trimble's manuals.
    @Test(
        arguments: [
            ("PTNL,AVR,181059.6,+149.4688,Yaw,+0.0134,Tilt,,,60.191,3,2.5,6", 149.4688, 3),
            ("PTNL,AVR,212604.30,+52.1800,Yaw,,,-0.0807,Roll,12.579,3,1.4,16", 52.18, 3),
            ("PTNL,AVR,212604.30,-12.5,Yaw,,,,,,0,,", -12.5, 0),
        ] as [(String, Double?, UInt8?)])
    func `PTNL AVR is parsed`(body: String, yaw: Double?, quality: UInt8?) throws {
        let vector = try #require(decode(body).proprietary?.ptnlavr)
        #expect(vector.yaw == yaw && vector.quality == quality && vector.time != nil)
    }

    /// A line of the capture `skytraq-PX1172RH_DS`.
    @Test func `PSTI 036 is parsed`() throws {
        let attitude = try #require(decode("PSTI,036,003832.000,290322,244.28,2.77,0.00,R").proprietary?.psti036)
        #expect(attitude.heading == 244.28 && attitude.mode == .rtkFixed)
        #expect(attitude.time == TimeOfDay(hour: 0, minute: 38, second: 32))
    }

    /// A line of a Quectel LC02H on a boat.
    @Test func `PQTMTAR is parsed`() throws {
        let body = "PQTMTAR,1,124907.000,6,,1.729,-1.316205,-0.713165,84.344437,0.146003,0.296450,0.045169,00"
        let attitude = try #require(decode(body).proprietary?.pqtmtar)
        #expect(attitude.heading == 84.344437 && attitude.headingAccuracy == 0.045169 && attitude.quality == 6)
    }

    @Test(arguments: [
        ("GPDTM,W84,,0.0,N,0.0,E,0.0,W84", true), ("GPDTM,W84", true), ("GPDTM,ITRF2014,,,,,,,", true),
        ("GPDTM,999,,,,,,,W84", true), ("GPDTM,999,CH95,0.0,N,0.0,E,0.0,W84", true),
        ("GPDTM,999,,0.08,N,0.07,E,-47.7,W84", false), ("GPDTM,999,,0.0,N,0.07,W,0,W84", false),
        ("GPDTM,P90,,0.0,N,0.0,E,0.0,W84", true), ("GNDTM,P90,,0000.000026,S,00000.000002,E,0.977,W84", true),
        ("GPDTM,TOY,,0.1950,N,0.1930,W,0.0,W84", false), ("GPDTM,TOY,,0.0,N,0.0,E,0.0,W84", false),
        ("GPDTM,NAR,,,,,,,W84", false), ("GPDTM,W72,,,,,,,", false), ("GPDTM,999,,0.0,N,0.0,E,0.0,W72", false),
        ("GPDTM,,,,,,,,", nil),
    ])
    func `datums that agree with WGS-84 are known`(body: String, isWGS84: Bool?) throws {
        #expect(try #require(decode(body).dtm).isWGS84 == isWGS84)
    }

    @Test func `the offsets of a datum have signs`() throws {
        let dtm = try #require(decode("GPDTM,TOY,A,0.1950,S,0.1930,W,-4.5,W84").dtm)
        #expect(dtm.name == "TOY")
        #expect([dtm.latitudeOffset, dtm.longitudeOffset, dtm.altitudeOffset] == [-0.195, -0.193, -4.5])
    }

    @Test(
        arguments: [
            ("PSSN,HRP,120000.00,200826,123.456,0.120,-1.340,0.200,0.900,0.400,14,2,1.5,E", 123.456, 0.2, 2),
            ("PSSN,HRP,120000.00,200826,,,,,,,14,0,,", nil, nil, 0),
        ] as [(String, Double?, Double?, UInt8)])
    func `PSSN HRP is parsed`(body: String, heading: Double?, error: Double?, mode: UInt8) throws {
        let value = try #require(decode(body).proprietary?.pssnhrp)
        #expect(value.heading == heading && value.headingError == error && value.mode == mode)
        #expect(value.time == TimeOfDay(hour: 12, minute: 0, second: 0))
    }

    @Test func `KSXT is parsed`() throws {
        let fields = "20260820120000.00,-0.12345670,45.67890120,98.7650,123.45,-1.34,90.00,1.234,0.12,3,2"
        let value = try #require(
            decode("KSXT,\(fields),14,14,1.0,2.0,0.1,0.10,-0.20,0.05,1.0,4,").proprietary?.ksxt)
        #expect(value.heading == 123.45 && value.headingQuality == 2)
        #expect(decode("KSXT,20260820120000.00,1").isMalformed)
        #expect(decode("PSSN,RBD,1").isUnknown)
    }

    private static let uniheading =
        "UNIHEADINGA,92,GPS,FINE,2432,388818000,0,0,18,20;SOL_COMPUTED,NARROW_INT,1.2020,123.4560,-1.3400,0.0000,"
        + "0.2000,0.4000,\"999\",24,20,20,14,3,01,3,f3"

    @Test func `UNIHEADINGA is parsed`() throws {
        let value = try #require(decode(HeadingTests.uniheading).proprietary?.uniheadinga)
        #expect(value.heading == 123.456 && value.headingError == 0.2 && value.isFixed)
        let float = HeadingTests.uniheading.replacing("NARROW_INT", with: "NARROW_FLOAT")
        #expect(try #require(decode(float).proprietary?.uniheadinga).isFixed == false)
        #expect(decode("UNIHEADINGA,92,GPS").isMalformed)
    }

    /// The CRC of the first sentence is that of Unicore's manual, that of the second of a receiver.
    @Test(arguments: [
        "#\(uniheading)*ceeb78e9",
        "$KSXT,20201222075720.00,119.17084152,32.07387900,83.5770,269.94,1.19,207.28,0.001,,3,3,25,25,-3.617,-4.468,"
            + "-7.860,-0.000,-0.001,-0.022,1.0,56,*33736701",
    ])
    func `Unicore's sentences have a CRC`(line: String) {
        for cut in 0...line.utf8.count {
            var stream = SentenceStream()
            var headings = 0
            for bytes in [Array(line.utf8.prefix(cut)), Array(line.utf8.dropFirst(cut)) + [13, 10]] {
                stream.push(bytes.span.bytes) { headings += $1.proprietary == nil ? 0 : 1 }
            }
            #expect(headings == 1 && stream.counts.strayBytes == 0 && stream.counts.checksumErrors == 0)
        }
        var stream = SentenceStream()
        let damaged = Array((line.replacing(",2", with: ",1") + "\r\n").utf8)
        stream.push(damaged.span.bytes) { _, _ in Issue.record("a damaged sentence was accepted") }
        #expect(stream.counts.checksumErrors == 1)
    }

    @Test func `a hash before another letter is a stray byte`() {
        var stream = SentenceStream()
        let text = Array("# GPS\r\n#$GPHDT,218.83,T*01\r\n##".utf8)
        stream.push(text.span.bytes) { _, _ in }
        #expect(stream.counts.strayBytes == 7 && stream.counts.checksumErrors == 1)
    }
}
