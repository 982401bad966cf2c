import Chronology
import Geodesy
import NMEA
import Testing

@testable import Positioning

/// Receivers that state their position in proprietary sentences.
@Suite struct ProprietarySolutionTests {
    private static let trimble = "PTNL,GGK,235647.00,122017,3403.47162394,N,11711.80927093,W,12,10,2.9,EHT371.467,M"
    private static let ashtech =
        "PASHR,POS,1,05,183530.00,2037.76012,N,08704.07373,W,058.48,,359.4,010.0,+000.0,2.2,1.2,0.0,1.0,BQ00"
    private static let quectel =
        "PQTMPVT,1,31075000,20221225,083737.000,0,3,9,18,31.12738291,117.26372910,34.212,5.267,3.212,2.928,0.238,"
        + "4.346,34.12,2.16,4.38"
    private static let skytraq =
        "PSTI,030,213123.000,A,4404.1296473,N,12118.8685846,W,1102.317,3.00,-4.00,0.12,070416,R,0.0,0.0"
    private static let garmin = "PGRMF,290,293895,160305,093802,13,5213.1439,N,02100.6511,E,A,2,36,226,2,1"
    private static let all = [trimble, ashtech, quectel, skytraq, garmin]

    private func fix(_ burst: [String]) throws -> Fix {
        var pipeline = FixPipeline()
        let fixes = pipeline.burst(burst)
        #expect(fixes.count == 1)
        return try #require(fixes.first)
    }

    private func near(_ a: Double?, _ b: Double) -> Bool { a.map { abs($0 - b) < 1e-9 } ?? false }

    @Test func `PTNL GGK of Trimble gives a fix`() throws {
        let fix = try fix([Self.trimble])
        #expect(fix.time?.description == "2017-12-20T23:56:47.000Z")
        #expect(near(fix.coordinate?.latitude, 34 + 3.47162394 / 60))
        #expect(near(fix.coordinate?.longitude, -(117 + 11.80927093 / 60)))
        // EGM96 in California: 33.3 m below the ellipsoid.
        #expect(fix.ellipsoidalAltitude == 371.467)
        #expect(fix.altitude.map { abs($0 - 404.8) < 1 } ?? false)
        #expect((fix.quality, fix.mode, fix.satellitesUsed) == (.rtkFloat, .threeD, 10))
        // The DOP of the sentence is PDOP.
        #expect(fix.hdop == nil)
        #expect(fix.accuracySource == .assumed)
    }

    @Test func `PASHR POS of Ashtech gives a fix`() throws {
        let fix = try fix([Self.ashtech])
        #expect(near(fix.coordinate?.latitude, 20 + 37.76012 / 60))
        #expect(fix.ellipsoidalAltitude == 58.48)
        #expect(fix.altitude.map { abs($0 - 71.6) < 1 } ?? false)
        #expect(near(fix.speed, 10 * 1852.0 / 3600))
        #expect((fix.course, fix.hdop) == (359.4, 1.2))
        #expect((fix.quality, fix.mode, fix.satellitesUsed) == (.differential, .threeD, 5))
        // The sentence has no date.
        #expect(fix.time == nil)
    }

    @Test func `PQTMPVT of Quectel gives a fix`() throws {
        let fix = try fix([Self.quectel])
        #expect(fix.time?.description == "2022-12-25T08:37:37.000Z")
        #expect(fix.coordinate?.latitude == 31.12738291)
        #expect(fix.coordinate?.longitude == 117.26372910)
        #expect(fix.altitude == 34.212)
        #expect(near(fix.ellipsoidalAltitude, 39.479))
        #expect((fix.speed, fix.course, fix.hdop) == (4.346, 34.12, 2.16))
        #expect((fix.quality, fix.mode, fix.satellitesUsed) == (.autonomous, .threeD, 9))
        #expect(fix.accuracySource == .hdop)
    }

    @Test func `PSTI 030 of SkyTraq gives a fix`() throws {
        let fix = try fix([Self.skytraq])
        #expect(fix.time?.description == "2016-04-07T21:31:23.000Z")
        #expect(near(fix.coordinate?.longitude, -(121 + 18.8685846 / 60)))
        #expect(fix.altitude == 1102.317)
        #expect(fix.speed == 5)
        #expect(near(fix.course, 143.13010235415598))
        #expect((fix.quality, fix.mode) == (.rtkFixed, .threeD))
    }

    @Test func `PGRMF of Garmin gives a fix`() throws {
        let fix = try fix([Self.garmin])
        #expect(fix.time?.description == "2005-03-16T09:38:02.000Z")
        #expect(near(fix.coordinate?.latitude, 52 + 13.1439 / 60))
        #expect((fix.speed, fix.course) == (10, 226))
        #expect((fix.quality, fix.mode, fix.altitude) == (.autonomous, .threeD, nil))
    }

    /// Velocities of a few centimetres per second have no direction.
    @Test func `at rest there is no course`() throws {
        let fix = try fix([
            "PSTI,030,213123.000,A,4404.1296473,N,12118.8685846,W,1102.317,0.03,-0.04,0.12,070416,D,0.0,0.0"
        ])
        #expect(near(fix.speed, 0.05))
        #expect(fix.course == nil)
    }

    @Test(arguments: [
        "PTNL,GGK,235647.00,122017,,,,,0,00,,EHT,M", "PASHR,POS,,,183530.00,,,,,,,,,,,,,",
        "PQTMPVT,1,1000,20221225,083737.000,0,0,0,,,,,,,,,,,,",
        "PSTI,030,213123.000,V,4404.1296473,N,12118.8685846,W,1102.317,0,0,0,070416,N,0.0,0.0",
        "PGRMF,223,424798,041203,215945,13,0000.0000,N,00000.0000,W,A,0,0,62,2,1",
        "PQTMGPS,86139,94183,0.0,0.0,0,0,0,2.5,99.99,99.99,0,0",
    ])
    func `without a fix there is no position`(body: String) throws {
        let fix = try fix([body])
        #expect(fix.coordinate == nil)
        #expect(fix.quality == .none)
    }

    @Test func `every GGK quality of Trimble is mapped`() {
        let kinds = (UInt8(0)...14).map { FixQuality(ggk: $0) }
        #expect(
            kinds == [
                .none, .autonomous, .rtkFloat, .rtkFixed, .differential, .differential, .rtkFloat, .rtkFixed, .rtkFloat,
                .rtkFixed,
                .precise,
                .differential, .rtkFloat, .differential, .autonomous,
            ])
    }

    /// The sentence has neither UTC nor date, so a fix from it alone has no time; each sentence
    /// gives one fix.
    @Test func `PQTMGPS without a time gives fixes without a time`() throws {
        var pipeline = FixPipeline()
        let body = "PQTMGPS,86139,94183,31.82218794,117.11579022,65.755080,0.027,94.68,2.533952,0.555471,0.886183,29,3"
        var fixes: [Fix] = []
        for _ in 0..<5 { fixes += pipeline.send([body], pause: .seconds(1)) }
        fixes += pipeline.finishBurst()
        #expect(fixes.count == 5)
        #expect(fixes.allSatisfy { $0.coordinate?.latitude == 31.82218794 && $0.time == nil })
        #expect(fixes.first?.hdop == 0.555471)
    }
}

/// The same receivers when they also send standard sentences.
@Suite struct SolutionBesideStandardTests {
    private static let elsewhere: [@Sendable (String) -> String] = [
        { "PTNL,GGK,\($0),112126,3403.47162394,N,11711.80927093,W,3,10,2.9,EHT371.467,M" },
        { "PASHR,POS,1,05,\($0),2037.76012,N,08704.07373,W,058.48,,359.4,010.0,+000.0,2.2,1.2,0.0,1.0,BQ00" },
        {
            "PQTMPVT,1,31075000,20261121,\($0),0,3,9,18,31.12738291,117.26372910,34.2,5.2,3.2,2.9,0.2,4.3,34.12,2.16,"
                + "4.38"
        },
        { "PSTI,030,\($0),A,4404.1296473,N,12118.8685846,W,1102.317,3.00,-4.00,0.12,211126,R,0.0,0.0" },
        { "PGRMF,290,293895,211126,\($0),13,5213.1439,N,02100.6511,E,A,2,36,226,2,1" },
        { _ in "PQTMGPS,86139,94183,31.82218794,117.11579022,65.755080,0.027,94.68,2.533952,0.555471,0.886183,29,3" },
    ]

    private func standard(_ time: String) -> [String] { [Body.gga(time), Body.rmc(time), Body.gsa()] }

    /// At any place in the burst the fix is that of the standard sentences, and there is one. The
    /// accuracy of the proprietary sentence is accepted (only `PQTMGPS` states one).
    @Test(arguments: 0..<6, 0..<4)
    func `a proprietary sentence does not change the fix of standard sentences`(kind: Int, place: Int) {
        var alone = FixPipeline()
        var beside = FixPipeline()
        for second in 0..<12 {
            let time = Body.clock(43_200_000 + second * 1000)
            let plain = standard(time)
            var mixed = plain
            mixed.insert(Self.elsewhere[kind](time), at: place)
            let wanted = alone.burst(plain)
            #expect(wanted.count == 1)
            let got = beside.burst(mixed)
            #expect(got.map(withoutAccuracy) == wanted.map(withoutAccuracy))
            #expect(kind == 5 || got.first?.accuracySource == .hdop)
        }
    }

    private func withoutAccuracy(_ fix: Fix) -> Fix {
        var fix = fix
        fix.horizontalAccuracy = nil
        fix.accuracySource = nil
        fix.verticalAccuracy = nil
        return fix
    }

    /// GGA ten times a second, the proprietary sentence once, at any place.
    @Test(arguments: 0..<6, 0..<4)
    func `a proprietary sentence at another rate gives no extra fix`(kind: Int, place: Int) {
        var pipeline = FixPipeline()
        var fixes: [Fix] = []
        for step in 0..<60 {
            let time = Body.clock(43_200_000 + step * 100)
            var burst = standard(time)
            if step % 10 == 3 { burst.insert(Self.elsewhere[kind](time), at: place) }
            fixes += pipeline.send(burst, pause: .milliseconds(100))
        }
        fixes += pipeline.finishBurst()
        #expect(fixes.count == 60)
        #expect(Set(fixes.compactMap(\.time)).count == 60)
        #expect(fixes.allSatisfy { ($0.coordinate?.latitude).map { abs($0 - 47.2852) < 0.001 } ?? false })
    }

    /// Values that no standard sentence of the epoch states come from the proprietary sentence.
    @Test func `a proprietary sentence fills missing values`() throws {
        var pipeline = FixPipeline()
        let fix = try #require(pipeline.burst([Body.gll("120000.00"), Self.elsewhere[2]("120000.00")]).first)
        #expect(fix.coordinate.map { abs($0.latitude - 47.2852) < 0.001 } == true)
        #expect((fix.altitude, fix.speed, fix.course, fix.satellitesUsed) == (34.2, 4.3, 34.12, 9))
        #expect(fix.time?.description == "2026-11-21T12:00:00.000Z")
    }

    /// A warning of a standard sentence overrides the proprietary sentence.
    @Test func `a warning of a standard sentence takes precedence`() throws {
        var pipeline = FixPipeline()
        let burst = [Self.elsewhere[0]("120000.00"), Body.rmc("120000.00", status: "V", mode: ",N")]
        #expect(try #require(pipeline.burst(burst).first).coordinate == nil)
    }

    /// Of several proprietary sentences of one vendor the fuller one is kept, in any order.
    @Test(arguments: [false, true])
    func `the fuller of two proprietary sentences is used`(isReversed: Bool) throws {
        var pipeline = FixPipeline()
        let burst = [Self.elsewhere[2]("120000.00"), Self.elsewhere[5]("")]
        let fix = try #require(pipeline.burst(isReversed ? burst.reversed() : burst).first)
        #expect(fix.satellitesUsed == 9)
        #expect(fix.altitude == 34.2)
    }

    /// u-blox with only its own sentences: the clock sentence provides the date.
    @Test func `PUBX 04 provides the date`() throws {
        var pipeline = FixPipeline()
        let clock = "PUBX,04,120000.00,211126,113851.00,1196,18,1930035,-2660.664,43"
        #expect(
            try #require(pipeline.burst([Body.pubx("120000.00"), clock]).first).time?.description
                == "2026-11-21T12:00:00.000Z")
        #expect(pipeline.burst([Body.pubx("120001.00")]).map { $0.time?.description } == ["2026-11-21T12:00:01.000Z"])
    }

    /// A receiver without a fix may state the date of its firmware, which is ignored.
    @Test func `a date without a fix must be plausible`() throws {
        var pipeline = FixPipeline()
        pipeline.fixBuilder.calendar.setReference(try #require(UTCTime(rfc3339: "2026-11-21")), guessesDay: false)
        let body = "PSTI,030,120000.000,V,0000.0,N,00000.0,E,0,0,0,0,060180,N,0.0,0.0"
        #expect(try #require(pipeline.burst([body]).first).time == nil)
    }
}
