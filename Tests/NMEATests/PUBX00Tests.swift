import NMEA
import Testing

@Suite struct PUBX00Tests {
    /// The example of u-blox's M8 protocol description.
    @Test func `every field is parsed`() throws {
        let body =
            "PUBX,00,081350.00,4717.113210,N,00833.915187,E,546.589,G3,2.1,2.0,0.007,77.52,0.007,,0.92,1.19,0.77,9,0,0"
        let pubx = try #require(decode(body).pubx00)
        #expect(pubx.time == TimeOfDay(hour: 8, minute: 13, second: 50))
        #expect(same(pubx.position?.latitude, 47 + 17.113210 / 60))
        #expect(pubx.ellipsoidalAltitude == 546.589)
        #expect(pubx.status == .standalone3D)
        #expect([pubx.horizontalAccuracy, pubx.verticalAccuracy] == [2.1, 2])
        #expect([pubx.speed, pubx.course, pubx.downwardSpeed] == [0.007, 77.52, 0.007])
        #expect([pubx.hdop, pubx.vdop] == [0.92, 1.19])
        #expect(pubx.satellitesUsed == 9)
    }

    @Test func `a sentence without a fix is parsed`() throws {
        let body =
            "PUBX,00,202920.00,0000.00000,N,00000.00000,E,0.000,NF,5303316,3755313,0.000,0.00,0.000,,99.99,99.99,"
            + "99.99,0,0,0"
        let pubx = try #require(decode(body).pubx00)
        #expect(pubx.status == PUBX00.Status.none)
        #expect(pubx.horizontalAccuracy == 5_303_316)
        #expect(pubx.satellitesUsed == 0)
    }

    @Test(arguments: [
        ("NF", PUBX00.Status.none), ("DR", .deadReckoning), ("RK", .combined), ("G2", .standalone2D),
        ("G3", .standalone3D),
        ("D2", .differential2D), ("D3", .differential3D), ("TT", .timeOnly), ("", nil), ("G", nil), ("G4", nil),
        ("G33", nil),
    ])
    func `every status is parsed`(letters: String, status: PUBX00.Status?) throws {
        #expect(try #require(decode("PUBX,00,081350.00,,,,,,\(letters),,,,,,").pubx00).status == status)
    }

    @Test func `other PUBX sentences are unknown and short ones malformed`() {
        #expect(decode("PUBX,40,GLL,1,0,0,0,0,0").isUnknown)
        #expect(decode("PUBX,00,081350.00,4717.113210,N").isMalformed)
        #expect(decode("PUBX").isUnknown)
    }
}
