import Chronology
import Positioning
import SextantAPI
import TestSupport
import Testing

@testable import sextant

@Suite("The fixed place")
struct StationTests {
    private static func station(_ more: String = #""verdict":"unchecked""#) throws -> StationReport {
        try Sample.read(
            #"{"name":"roof","latitude":47.28,"longitude":8.56,"horizontalAccuracy":1.5,"altitude":500,\#(more)}"#)
    }

    private static let moved =
        #""verdict":"moved","receiver":"ttyACM0","distance":61.2,"bearing":180,"measuredAccuracy":2.5"#

    @Test func `the place, the last measurement and the verdict are three lines`() throws {
        let lines = StationText.lines(try Self.station())
        #expect(lines[0] == "place     roof: 47.2800000, 8.5600000 ±1.5 m, altitude 500.0 m")
        #expect(lines[1].contains("has not measured it yet") && lines[2].hasSuffix("not checked by a receiver"))
        let moved = StationText.lines(try Self.station(Self.moved))
        #expect(moved[1] == "receiver  ttyACM0: 61 m away in direction 180°, ±2.5 m")
        #expect(moved[2].contains("moved"))
    }

    @Test func `the doctor warns about a place that has moved`() throws {
        #expect(StationText.check(nil) == nil)
        #expect(StationText.check(try Self.station())?.state == .ok)
        let check = try #require(StationText.check(try Self.station(Self.moved)))
        #expect(check.state == .wrong && check.finding.contains("61 m away") && check.remedy != nil)
    }

    @Test func `an average prints lines for the configuration, and says when it was too short`() throws {
        let scratch = try Scratch()
        let body = { (second: Int) in
            let clock = "\(120_000 + second / 60 * 100 + second % 60).00"
            let position = "4717.\(11_390 + second % 3)0,N,00833.915,E"
            return SentenceLine.text("GPGGA,\(clock),\(position),1,08,1,499.6,M,48.0,M,,")
                + SentenceLine.text("GPRMC,\(clock),A,\(position),0.0,,211126,,,A")
        }
        let file = try scratch.write((0..<600).map(body).joined(), to: "roof.nmea")
        let whole = PlaceMeasurement(duration: nil, keepsPoints: true)
        try whole.read(file)
        #expect(whole.average.count == 600 && whole.points.count == 600)
        let place = AveragedPlace(try #require(whole.average.result))
        #expect(abs(place.latitude - (47 + 17.11391 / 60)) < 1e-7 && place.altitude == 499.6 && !place.isLongEnough)
        let lines = place.lines
        #expect(lines.contains("[station]") && lines.contains("altitude = 499.6"))
        #expect(lines.contains { $0.hasPrefix("Too short to be sure") })
        let part = PlaceMeasurement(duration: .seconds(120), keepsPoints: false)
        try part.read(file)
        #expect(part.average.count == 121 && part.points.isEmpty)
    }
}
