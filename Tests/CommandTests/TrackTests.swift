import Chronology
import SextantAPI
import Testing
import Varlink

@testable import sextant

@Suite struct TrackExportTests {
    private func time(_ seconds: Int64) -> UTCTime { UTCTime(milliseconds: 1_790_000_000_000 + seconds * 1000) }

    private var export: TrackExport {
        TrackExport(
            points: [
                RecordedPoint(
                    timestamp: time(0), latitude: 51.5, longitude: -0.0000004, horizontalAccuracy: 2.5, altitude: -0.04,
                    begins: true),
                RecordedPoint(timestamp: time(60), latitude: -0.05, longitude: 170.9999999, horizontalAccuracy: 3),
                RecordedPoint(
                    timestamp: time(900), latitude: 0, longitude: 0, horizontalAccuracy: 12, altitude: 1234.56,
                    begins: true, simulated: true),
            ],
            visits: [
                Visit(
                    arrival: time(100), departure: time(800), latitude: 51.5, longitude: 0, horizontalAccuracy: 8,
                    departed: true)
            ], placeName: { _ in "A \"b\" & <c>\u{1B}" })
    }

    private func text(_ format: TrackExport.Format) -> String { String(decoding: export.bytes(format), as: UTF8.self) }

    @Test func `GPX has a part for each time without a gap, and visits as waypoints`() {
        let text = text(.gpx)
        #expect(text.contains("<name>A \"b\" &amp; &lt;c&gt;"))
        #expect(!text.contains("\u{1B}"))
        #expect(text.split(separator: "<trkseg>").count == 3)
        let first =
            "<trkpt lat=\"51.5000000\" lon=\"-0.0000004\"><ele>0.0</ele><time>\(time(0))</time>"
            + "<extensions><sextant:accuracy>2.5</sextant:accuracy></extensions></trkpt>"
        #expect(text.contains(first))
        #expect(text.contains("lat=\"-0.0500000\" lon=\"170.9999999\"><time>"))
    }

    @Test func `GeoJSON is valid, with times and accuracies`() throws {
        let json = try JSONValue(parsing: export.bytes(.geojson))
        let features = json["features"]?.array ?? []
        #expect(features.map { $0["geometry"]?["type"]?.string } == ["LineString", "Point", "Point"])
        #expect(features[0]["properties"]?["times"]?.array?.count == 2)
        #expect(features[0]["properties"]?["accuracies"]?.array?.compactMap(\.double) == [2.5, 3])
        #expect(features[0]["geometry"]?["coordinates"]?.array?[1].array?.first?.double == 170.9999999)
        #expect(features[1]["geometry"]?["coordinates"]?.array?.count == 3)
        #expect(features[1]["properties"]?["simulated"] == true && features[0]["properties"]?["simulated"] == nil)
        var crossing = export
        crossing.points[0].longitude = -179
        let cut = try JSONValue(parsing: crossing.bytes(.geojson))["features"]?.array ?? []
        #expect(cut.map { $0["geometry"]?["type"]?.string } == ["Point", "Point", "Point", "Point"])
        #expect(features[2]["properties"]?["departure"] == .string("\(time(800))"))
    }

    @Test func `CSV has ten columns`() {
        let lines = text(.csv).split(separator: "\n")
        #expect(lines.count == 5 && lines[0].hasPrefix("kind,time,until,"))
        #expect(lines.allSatisfy { line in line.count { $0 == "," } == 9 })
        #expect(lines[3] == "point,\(time(900)),,0.0000000,0.0000000,12.0,1234.6,2,,true")
        #expect(lines[4].hasPrefix("visit,\(time(100)),\(time(800)),51.5000000,0.0000000,8.0,,,\"A \"\"b\"\" & <c>"))
    }

    @Test func `an empty track is a valid file`() throws {
        let empty = TrackExport(points: [], visits: [])
        #expect(try JSONValue(parsing: empty.bytes(.geojson))["features"] == [])
        #expect(String(decoding: empty.bytes(.gpx), as: UTF8.self).hasSuffix("<trk>\n</trk>\n</gpx>\n"))
    }

    @Test func `the days of a track have their distance without gaps`() {
        var points = export.points
        (points[1].latitude, points[1].longitude) = (51.51, 0)
        let lines = TrackDayTable(points).lines(columns: nil)
        #expect(lines.count == 2 && lines[1].contains(" 1.1 km ") && lines[1].hasSuffix(" 3"))
    }
}
