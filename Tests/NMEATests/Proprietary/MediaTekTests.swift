import NMEA
import Testing

/// MediaTek and Airoha.
@Suite struct MediaTekTests {
    @Test(
        arguments: [
            ("PMTK001,604,1", 604, PMTK001.Result.unsupported), ("PMTK001,314,3", 314, .done),
            ("PMTK001,0,0", 0, .invalid),
            ("PMTK001,161,2", 161, .failed), ("PMTK001,220", 220, nil), ("PMTK001,220,9", 220, nil),
            ("PMTK001,838,3,1", 838, .done),
        ] as [(String, UInt16, PMTK001.Result?)])
    func `MediaTek acknowledgements are parsed`(body: String, command: UInt16, result: PMTK001.Result?) throws {
        let answer = try #require(decode(body).proprietary?.pmtk001)
        #expect(answer.command == command)
        #expect(answer.result == result)
    }

    @Test func `MediaTek startup messages are parsed`() throws {
        #expect(try #require(decode("PMTK010,001").proprietary?.pmtk010).state == 1)
        #expect(try #require(decode("PMTK010,002").proprietary?.pmtk010).state == 2)
        #expect(try #require(decode("PMTK011,MTKGPS").proprietary?.pmtk011).text.string == "MTKGPS")
    }

    @Test func `the MediaTek firmware release is parsed`() throws {
        let release = try #require(decode("PMTK705,AXN_1.30,0145,Fastrax IT500,").proprietary?.pmtk705)
        #expect(release.text.string == "AXN_1.30,0145,Fastrax IT500,")
    }

    @Test(
        arguments: [
            ("PAIR001,004,0", 4, PAIR001.Result.done), ("PAIR001,050,2", 50, .unsupported),
            ("PAIR001,650,4", 650, .busy),
            ("PAIR001,62", 62, nil),
        ] as [(String, UInt16, PAIR001.Result?)])
    func `Airoha acknowledgements are parsed`(body: String, command: UInt16, result: PAIR001.Result?) throws {
        let answer = try #require(decode(body).proprietary?.pair001)
        #expect(answer.command == command)
        #expect(answer.result == result)
    }

    @Test func `Airoha requests for aiding data are parsed`() throws {
        let request = try #require(decode("PAIR010,0,0,2044,369413").proprietary?.pair010)
        #expect((request.dataType, request.system, request.week, request.timeOfWeek) == (0, 0, 2044, 369_413))
        #expect(try #require(decode("PAIR010,1,-1").proprietary?.pair010).system == nil)
        let isReady = if case .pair002? = decode("PAIR002").proprietary { true } else { false }
        #expect(isReady)
    }

    @Test(arguments: ["PAIR021", "PAIR020"])
    func `the Airoha firmware release is parsed`(address: String) throws {
        let release = try #require(
            decode(address + ",AG3352Q_V2.3.0.AG3352_20230213,S,N,2b31f59,2209141904").proprietary?.pair021)
        #expect(release.release.string == "AG3352Q_V2.3.0.AG3352_20230213")
    }

    @Test(arguments: [
        "PMTK001", "PMTK001,", "PMTK001,-1,3", "PMTK001,99999,3", "PMTK010", "PMTK010,", "PMTK011", "PMTK705",
        "PMTK705,", "PAIR001",
        "PAIR001,,0", "PAIR010", "PAIR021", "PAIR021,",
    ])
    func `truncated sentences are malformed`(body: String) {
        #expect(decode(body).isMalformed)
    }

    @Test(arguments: ["PMTK869,2,1", "PAIR051,1000", "PMTKLOG,1"])
    func `unsupported sentences are unknown`(body: String) {
        #expect(decode(body).isUnknown)
    }
}
