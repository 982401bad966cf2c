import NMEA
import Testing

@Suite struct GSVTests {
    @Test func `four satellites are parsed`() throws {
        let gsv = try #require(decode("GPGSV,3,2,12,28,14,150,41,09,15,254,,10,43,192,47,13,06,081,36").gsv)
        #expect((gsv.sentenceCount, gsv.sentenceIndex, gsv.satellitesInView) == (3, 2, 12))
        #expect(gsv.list.map(\.number) == [28, 9, 10, 13])
        #expect(gsv.list.map(\.elevation) == [14, 15, 43, 6])
        #expect(gsv.list.map(\.azimuth) == [150, 254, 192, 81])
        #expect(gsv.list.map(\.carrierToNoise) == [41, nil, 47, 36])
        #expect(gsv.signalID == nil)
    }

    /// The fields after the satellites give the version: none, a signal, a signal and a system, or
    /// a truncated satellite.
    @Test(arguments: [
        ("GPGSV,1,1,01,02,25,181,42", 1, nil, nil), ("GPGSV,1,1,01,02,25,181,42,8", 1, 8, nil),
        ("GAGSV,1,1,01,02,25,181,42,A", 1, 10, nil),
        ("PQGSV,1,1,01,02,25,181,42,1,4", 1, 1, 4), ("PQGSV,1,1,02,02,25,181,42,03,11,090,20,0,5", 2, 0, 5),
        ("GPGSV,1,1,02,02,25,181,42,3,11,090", 1, nil, nil), ("GPGSV,1,1,02,02,25,181,42,03,11,090", 1, nil, nil),
    ])
    func `the remaining fields give the signal and system ids`(
        body: String, count: UInt8, signal: UInt8?, system: UInt8?
    ) throws {
        let gsv = try #require(decode(body).gsv)
        #expect(gsv.count == count)
        #expect(gsv.signalID == signal)
        #expect(gsv.systemID == system)
    }

    @Test(arguments: ["GPGSV,1,1,00", "GPGSV,1,1,00,", "GLGSV,1,1,00,1", "GPGSV,0,1,0", "GPGSV,1,1,"])
    func `an empty sky has no satellites`(body: String) throws {
        #expect(try #require(decode(body).gsv).count == 0)
    }

    /// A GLONASS satellite with an unknown slot is received but has no number.
    @Test func `a satellite without a number is kept`() throws {
        let gsv = try #require(decode("GLGSV,3,3,09,,,,53,1").gsv)
        #expect(gsv.list.map(\.number) == [0])
        #expect(gsv.list.map(\.carrierToNoise) == [53])
        #expect(gsv.signalID == 1)
    }

    /// Furuno pads with empty fields; MediaTek receives satellites without a known orbit.
    @Test func `empty satellite fields are skipped`() throws {
        let furuno = try #require(decode("GPGSV,1,1,01,36,19,156,51,,,,,,,,,,,,,1").gsv)
        #expect(furuno.list.map(\.number) == [36])
        #expect(furuno.signalID == 1)
        let mediatek = try #require(decode("GPGSV,2,2,05,20,,,41").gsv)
        #expect(mediatek.list.map(\.carrierToNoise) == [41])
        #expect(mediatek.list.map(\.elevation) == [nil])
    }

    @Test(arguments: [("-3", -3), ("00", 0), ("90", 90), ("12.7", 13), ("", nil), ("x", nil)])
    func `elevations are range checked`(field: String, elevation: Int8?) throws {
        #expect(try #require(decode("GPGSV,1,1,01,02,\(field),181,42").gsv).list.map(\.elevation) == [elevation])
    }

    @Test func `a signal strength of zero means not tracked`() throws {
        #expect(try #require(decode("GPGSV,1,1,01,02,25,181,00").gsv).list.map(\.carrierToNoise) == [nil])
    }

    @Test(arguments: ["GPGSV", "GPGSV,1", "GPGSV,,,", "GPGSV,1,0,00", "GPGSV,33,1,00", "GPGSV,1,33,00", "GPGSV,x,1,00"])
    func `invalid cycles are malformed`(body: String) {
        #expect(decode(body).isMalformed)
    }
}
