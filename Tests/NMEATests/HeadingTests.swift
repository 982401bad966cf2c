import NMEA
import Testing

/// HDT, THS and DTM: short sentences with a single value.
@Suite struct HeadingTests {
    @Test(arguments: [("GPHDT,218.83,T", 218.83), ("IIHDT,,T", nil), ("GPHDT", nil)])
    func `HDT is parsed`(body: String, heading: Double?) throws {
        #expect(try #require(decode(body).hdt).heading == heading)
    }

    @Test(arguments: [
        ("GNTHS,244.28,A", 244.28, true), ("GNTHS,244.28,E", 244.28, true), ("GNTHS,,V", nil, false),
        ("GNTHS,,", nil, nil),
    ])
    func `THS is parsed`(body: String, heading: Double?, isValid: Bool?) throws {
        let ths = try #require(decode(body).ths)
        #expect(ths.heading == heading)
        #expect(ths.isValid == isValid)
    }

    @Test(arguments: [
        ("GPDTM,W84,,0.0,N,0.0,E,0.0,W84", true), ("GPDTM,999,,0.08,N,0.07,E,-47.7,W84", true),
        ("GPDTM,P90,,0.0,N,0.0,E,0.0,W84", false),
        ("GPDTM,,,,,,,,", nil),
    ])
    func `DTM is parsed`(body: String, isWGS84: Bool?) throws {
        #expect(try #require(decode(body).dtm).isWGS84 == isWGS84)
    }
}
