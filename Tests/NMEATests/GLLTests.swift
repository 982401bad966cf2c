import NMEA
import Testing

@Suite struct GLLTests {
    /// Before 2.0 the position alone, then with time and status, then with a mode letter.
    @Test(arguments: [
        ("GPGLL,2200.097,S,01756.346,W", nil, nil, nil),
        ("GPGLL,3348.452,N,11821.142,W,142214,A", TimeOfDay(hour: 14, minute: 22, second: 14), true, nil),
        ("GPGLL,5209.7838,N,02048.4819,E,171245.00,V", TimeOfDay(hour: 17, minute: 12, second: 45), false, nil),
        (
            "GPGLL,5251.0093,N,00518.8170,E,094736,A,D", TimeOfDay(hour: 9, minute: 47, second: 36), true,
            FAAMode.differential
        ),
        (
            "GPGLL,5251.0093,N,00518.8170,E,094736,D", TimeOfDay(hour: 9, minute: 47, second: 36), true,
            FAAMode.differential
        ),
    ])
    func `every version is parsed`(body: String, time: TimeOfDay?, isValid: Bool?, mode: FAAMode?) throws {
        let gll = try #require(decode(body).gll)
        #expect(gll.position != nil)
        #expect(gll.time == time)
        #expect(gll.isValid == isValid)
        #expect(gll.mode == mode)
    }

    @Test func `empty fields have no value`() throws {
        let gll = try #require(decode("GPGLL,,,,,,V,N").gll)
        #expect(gll.position == nil)
        #expect(gll.time == nil)
        #expect(gll.isValid == false)
        #expect(gll.mode == FAAMode.none)
    }

    @Test(arguments: ["GPGLL", "GPGLL,,,,", "GPGLL,2200.097,S,01756.346", "GPGLL,2200.097,S"])
    func `truncated sentences are malformed or have no position`(body: String) {
        #expect(decode(body).isMalformed || decode(body).gll?.position == nil)
    }
}
