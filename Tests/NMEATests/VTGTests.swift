import NMEA
import Testing

@Suite struct VTGTests {
    /// Before 2.0 without unit letters, then with them, then with a mode letter.
    @Test(
        arguments: [
            ("GPVTG,220.2,245.1,009.7,018.0", 220.2, 9.7, nil),
            ("GPVTG,220.2,T,245.1,M,009.7,N,018.0,K", 220.2, 9.7, nil),
            ("GPVTG,86.2,T,86.2,M,152.6,N,282.7,K,D", 86.2, 152.6, FAAMode.differential),
            ("GPVTG,220.2,,009.7,018.0", 220.2, 9.7, nil), ("GPVTG,,,009.7,018.0", nil, 9.7, nil),
            ("GPVTG,,T,,M,0.015,N,0.028,K,A", nil, 0.015, .autonomous),
            ("GPVTG,,,,,,,,,N", nil, nil, FAAMode.none), ("GPVTG,54.7,T,,M,,N,10.0,K", 54.7, 10 / 1.852, nil),
        ] as [(String, Double?, Double?, FAAMode?)])
    func `every version is parsed`(body: String, course: Double?, speed: Double?, mode: FAAMode?) throws {
        let vtg = try #require(decode(body).vtg)
        #expect(vtg.course == course)
        #expect(vtg.speed == speed)
        #expect(vtg.mode == mode)
    }

    @Test(arguments: ["GPVTG", "GPVTG,220.2", "GPVTG,220.2,T", "GPVTG,220.2,T,245.1,M"])
    func `truncated sentences are malformed`(body: String) {
        #expect(decode(body).isMalformed)
    }
}
