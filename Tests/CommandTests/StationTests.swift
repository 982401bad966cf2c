import ArgumentParser
import Chronology
import Geodesy
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
        #""verdict":"moved","receiver":"ttyACM0","distance":61.2,"measuredAccuracy":2.5"#

    @Test func `the doctor warns about a place that has moved`() throws {
        #expect(StationText.check(nil) == nil)
        #expect(StationText.check(try Self.station())?.state == .ok)
        let check = try #require(StationText.check(try Self.station(Self.moved)))
        #expect(check.state == .wrong && check.finding.contains("61 m away, ±2.5 m") && check.remedy != nil)
        let agrees = Self.moved.replacing("moved", with: "agrees").replacing("61.2", with: "1.2")
        #expect(StationText.finding(try Self.station(agrees)).contains("agrees; ttyACM0: 1.2 m away, ±2.5 m"))
        #expect(StationText.finding(try Self.station()).hasSuffix("which takes three minutes with a fix"))
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
        #expect(abs(place.latitude - (47 + 17.11391 / 60)) < 1e-7 && place.doubt == "short")
        let altitude = try #require(place.altitude)
        #expect(abs(altitude - 499.6) < 2, "the geoid of the receiver is another")
        let lines = place.lines
        #expect(lines.contains("[station]") && lines.contains("altitude = \(DecimalText.text(altitude, decimals: 1))"))
        #expect(lines.contains { $0.hasPrefix("Too short to be sure") })
        let part = PlaceMeasurement(duration: .seconds(120), keepsPoints: false)
        try part.read(file)
        #expect(part.average.count == 121 && part.points.isEmpty)
    }

    @Test func `a device that moved is an error without lines for the configuration`() throws {
        var result = try Self.result()
        (result.doubt, result.movedAt) = (.moved, 60)
        let place = AveragedPlace(result, movedAt: UTCTime(milliseconds: 60_000))
        #expect(try #require(place.error).contains("the device moved at 1970-01-01T00:01:00"))
        #expect(!place.lines.contains("[station]"))
        result.doubt = .held
        let held = AveragedPlace(result)
        #expect(held.error == nil && held.lines.contains { $0.contains("holds its position") })
    }

    private static func result() throws -> StationAverage.Result {
        var average = StationAverage()
        for index in 0..<120 {
            var fix = Fix(mode: .threeD, quality: .autonomous)
            (fix.coordinate, fix.horizontalAccuracy) = (Coordinate(latitude: Double(index % 7) * 1e-6, longitude: 8), 3)
            average.add(fix, at: Double(index))
        }
        return try #require(average.result)
    }

    @Test func `positions without a date name the reason, and a file that cannot be written is found first`() throws {
        let scratch = try Scratch()
        let text = (0..<600).map { (second: Int) in
            let clock = "\(120_000 + second / 60 * 100 + second % 60).00"
            return SentenceLine.text("GPGGA,\(clock),4717.11,N,00833.91,E,1,08,1,499,M,48,M,,")
        }
        let measurement = PlaceMeasurement(duration: nil, keepsPoints: false)
        try measurement.read(try scratch.write(text.joined(), to: "roof.nmea"))
        #expect(measurement.reasonWithoutResult.contains("none with a date") || measurement.average.count == 600)
        let command = try StationAverageCommand.parse(["--from", "/nowhere/roof.nmea", "--gpx", "/nowhere/roof.gpx"])
        let error = #expect(throws: CommandError.self) { try command.run() }
        #expect(try #require(error).description.contains("roof.gpx"))
    }
}
