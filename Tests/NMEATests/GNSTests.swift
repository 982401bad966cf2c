import NMEA
import Testing

@Suite struct GNSTests {
    @Test func `every field is parsed`() throws {
        let gns = try #require(
            decode("GNGNS,043539.00,4333.190206,N,00127.618380,E,AAAAN,14,1.3,250.8,50.0,2.5,0001,V").gns)
        #expect(gns.time == TimeOfDay(hour: 4, minute: 35, second: 39))
        #expect(same(gns.position?.latitude, 43 + 33.190206 / 60))
        #expect(gns.position?.minuteDecimals == 6)
        #expect(gns.mode == .autonomous)
        #expect(gns.satellitesUsed == 14)
        #expect(gns.hdop == 1.3)
        #expect(gns.altitude == 250.8)
        #expect(gns.geoidSeparation == 50)
        #expect(gns.correctionAge == 2.5)
    }

    /// One letter for each constellation; the best counts.
    @Test(arguments: [
        ("AAN", FAAMode.autonomous), ("NDD", .differential), ("FFNNN", .rtkFloat), ("RFDAN", .rtkFixed),
        ("N", FAAMode.none),
        ("NNNN", FAAMode.none),
        ("AP", .precise), ("NE", .estimated), ("SM", .manual), ("S", .simulated), ("", nil), ("??", nil),
        ("?A", .autonomous),
    ])
    func `the best mode letter counts`(letters: String, mode: FAAMode?) throws {
        #expect(
            try #require(decode("GNGNS,235647.00,3403.5,N,11711.8,W,\(letters),10,1.2,403.6,-32.1,,").gns).mode == mode)
    }

    /// Trimble sends one for each constellation, without a position.
    @Test func `GNS of a single constellation has no position`() throws {
        let gns = try #require(decode("GLGNS,235647.00,,,,,,4,,,,,").gns)
        #expect(gns.position == nil)
        #expect(gns.satellitesUsed == 4)
    }

    @Test func `truncated sentences are malformed`() {
        #expect(decode("GPGNS,,,,,,N,,").gns != nil)
        #expect(decode("GPGNS,,,,,,N").isMalformed)
    }
}
