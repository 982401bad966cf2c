import Chronology
import NMEA
import Testing

@Suite struct UBloxTests {
    /// The example of u-blox's M8 protocol description.
    static let eleven =
        "PUBX,03,11,23,-,,,45,010,29,-,,,46,013,07,-,,,42,015,08,U,067,31,42,025,10,U,195,33,46,026,18,U,326,08,39,"
        + "026,17,-,,,32,015,"
        + "26,U,306,66,48,025,27,U,073,10,36,026,28,U,089,61,46,024,15,-,,,39,014"

    private func parts(_ body: String) -> [PUBX03] {
        var stream = SentenceStream()
        var parts: [PUBX03] = []
        stream.push(Array(line(body).utf8).span.bytes) { _, sentence in
            if let part = sentence.proprietary?.pubx03 { parts.append(part) }
        }
        #expect(stream.counts.sentences == 1)
        return parts
    }

    @Test func `PUBX 03 satellites are decoded in parts`() {
        let parts = parts(Self.eleven)
        #expect(parts.map(\.precedingCount) == [0, 8])
        #expect(parts.map(\.count) == [8, 3])
        #expect(parts.map(\.isLast) == [false, true])
        let all = parts.flatMap { part in (0..<Int(part.count)).map { (part.satellites[$0], part.isUsed(at: $0)) } }
        #expect(all.map(\.0.number) == [23, 29, 7, 8, 10, 18, 17, 26, 27, 28, 15])
        #expect(all.map(\.1) == [false, false, false, true, true, true, false, true, true, true, false])
        #expect(all[3].0.azimuth == 67 && all[3].0.elevation == 31 && all[3].0.carrierToNoise == 42)
        #expect(all[0].0.azimuth == nil && all[0].0.elevation == nil && all[0].0.carrierToNoise == 45)
    }

    /// Truncated sentences, and satellite counts above or below the number of satellites.
    @Test(arguments: [
        ("PUBX,03,00", [UInt8(0)]), ("PUBX,03,2,5,U,063,15,18,000,12,U,100", [2]),
        ("PUBX,03,1,5,U,063,15,18,000,12,U,100,36,40,064", [1]),
        ("PUBX,03,255,5,-,257,-05,,000", [1]), ("PUBX,03,8" + String(repeating: ",1,U,001,01,40,064", count: 8), [8]),
        ("PUBX,03,9" + String(repeating: ",1,U,001,01,40,064", count: 8), [8]),
    ])
    func `wrong satellite counts are limited to the fields present`(body: String, sizes: [UInt8]) {
        #expect(parts(body).map(\.count) == sizes)
    }

    @Test func `PUBX 04 is parsed`() throws {
        let clock = try #require(
            decode("PUBX,04,073731.00,091202,113851.00,1196,15D,1930035,-2660.664,43").proprietary?.pubx04)
        #expect(clock.time == TimeOfDay(hour: 7, minute: 37, second: 31))
        #expect(clock.date?.civilDate == UTCTime(rfc3339: "2002-12-09")?.date)
        #expect(clock.leapSeconds == 15)
        #expect(clock.isLeapSecondDefault)
        let parts = try #require(
            decode("PUBX,04,202604.00,150824,419164.00,2327,18,-672045,-11949.632,21").proprietary?.pubx04)
        #expect(parts.leapSeconds == 18)
        #expect(!parts.isLeapSecondDefault)
    }

    @Test(arguments: ["PUBX,03", "PUBX,03,x", "PUBX,04", "PUBX,04,073731.00"])
    func `truncated sentences are malformed`(body: String) {
        #expect(decode(body).isMalformed)
    }

    @Test func `empty or invalid PUBX 04 fields have no value`() throws {
        let clock = try #require(decode("PUBX,04,,,,,,,,").proprietary?.pubx04)
        #expect(clock.time == nil && clock.date == nil && clock.leapSeconds == nil)
        #expect(try #require(decode("PUBX,04,073731.00,320102,,,D").proprietary?.pubx04).leapSeconds == nil)
        #expect(try #require(decode("PUBX,04,073731.00,091202,,,999999D").proprietary?.pubx04).leapSeconds == nil)
    }
}
