import Chronology
import Geodesy
import Testing

@testable import Simulator

@Suite struct RouteTests {
    private func point(_ latitude: Double, _ longitude: Double, altitude: Double? = nil, at second: Int64? = nil)
        throws -> Route.Point
    {
        let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
        return Route.Point(place, altitude: altitude, time: second.map { UTCTime(milliseconds: $0 * 1000) })
    }

    @Test func `a route with times keeps them`() throws {
        let route = try Route(
            points: [point(50, 8, altitude: 100, at: 10), point(50.01, 8, altitude: 200, at: 110)], speed: 1)
        #expect(route.duration == .seconds(100))
        #expect(route.startTime == UTCTime(milliseconds: 10_000))
        let middle = route.sample(at: .seconds(50))
        #expect(abs(middle.coordinate.latitude - 50.005) < 1e-7)
        #expect(abs(middle.speed - 11.1236) < 0.001)
        #expect(middle.course == 0 && middle.altitude == 150 && middle.climb == 1)
        #expect(route.sample(at: .seconds(500)).speed == 0)
        #expect(route.sample(at: .seconds(150), looping: true).coordinate == middle.coordinate)
    }

    @Test func `a route without times has constant speed`() throws {
        let points = try [point(0, 179.999), point(0, -179.999), point(0.01, -179.999)]
        let route = try Route(points: points, speed: 20)
        #expect(abs(route.duration.seconds - (222.639 + 1105.743) / 20) < 0.01)
        #expect(abs(route.sample(at: .seconds(3)).course - 90) < 1e-9)
        #expect(abs(route.sample(at: .seconds(3)).speed - 20) < 1e-6)
        // Halfway, on the 180th meridian.
        #expect(abs(abs(route.sample(at: .seconds(5.566)).coordinate.longitude) - 180) < 0.0001)
        #expect(throws: Route.Error.speedNotPositive) { try Route(points: points, speed: 0) }
        #expect(throws: Route.Error.empty) { try Route(points: [], speed: 1) }
    }

    @Test func `the circuit is closed and crosses the prime meridian`() {
        let circuit = Route.circuit
        #expect(circuit.duration > .seconds(240))
        let samples = (0..<Int(circuit.duration.seconds)).map { circuit.sample(at: .seconds(Double($0))) }
        #expect(samples.contains { $0.coordinate.longitude > 0 } && samples.contains { $0.coordinate.longitude < 0 })
        #expect(samples.contains { $0.speed == 0 })
        #expect(samples.allSatisfy { $0.speed < 20 })
        #expect(circuit.sample(at: circuit.duration).coordinate.distance(to: samples[0].coordinate) < 0.001)
    }

    @Test func `GPX tracks of any XML style are read`() throws {
        let text = """
            <?xml version="1.0"?><!DOCTYPE gpx><!-- <trkpt> -->
            <x:gpx xmlns:x='http://www.topografix.com/GPX/1/1'><metadata><time>2020-01-01T00:00:00Z</time></metadata>
            <wpt lat="1" lon="1"/><rte><rtept lat="2" lon="2"/></rte>
            <x:trk><name><![CDATA[a > b]]></name><trkseg>
              <x:trkpt lon='8.5' lat='47.25'><ele> 412.5 </ele><time>2024-05-06T07:08:09.5Z</time>
                <extensions><ele2>9</ele2></extensions></x:trkpt>
              <trkpt lat="47.26" lon="8.6"></trkpt>
            </trkseg></x:trk></x:gpx>
            """
        let points = try GPXReader.points(of: Array(text.utf8))
        #expect(points.count == 2)
        #expect(points[0].coordinate == Coordinate(latitude: 47.25, longitude: 8.5))
        #expect(points[0].altitude == 412.5)
        #expect(points[0].time == UTCTime(rfc3339: "2024-05-06T07:08:09.5Z"))
        #expect(points[1].altitude == nil && points[1].time == nil)
    }

    @Test func `GPX waypoints with times are read in order of time`() throws {
        let text = """
            <gpx><wpt lat="47.26" lon="8.6"><time>2024-05-06T07:09:00Z</time></wpt>
            <wpt lat="1" lon="1"><name>no time</name></wpt>
            <wpt lat="47.25" lon="8.5"><ele>412.5</ele><time>2024-05-06T07:08:00Z</time><name>start</name></wpt>
            <wpt lat="47.27" lon="8.7"><time>2024-05-06T07:09:00Z</time></wpt></gpx>
            """
        let points = try GPXReader.points(of: Array(text.utf8))
        #expect(points.map(\.coordinate.latitude) == [47.25, 47.26, 47.27])
        #expect(points[0].altitude == 412.5 && points[0].time == UTCTime(rfc3339: "2024-05-06T07:08:00Z"))
        let route = try Route(points: points, speed: 14)
        #expect(route.duration == .seconds(60) && route.startTime == points[0].time)
    }

    @Test func `waypoints are ignored in a file with a track`() throws {
        let track = #"<trkpt lat="47.25" lon="8.5"/>"#
        let good = #"<wpt lat="1" lon="1"><time>2024-05-06T07:08:00Z</time></wpt>"#
        let bad = [
            #"<wpt lat="x" lon="1"/>"#, #"<wpt lat="1" lon="2"/>"#, #"<wpt lat="1" lon="1"><time>noon</time></wpt>"#,
        ]
        for waypoint in bad + [good] {
            for text in ["<gpx>\(waypoint)\(track)</gpx>", "<gpx>\(track)\(waypoint)</gpx>"] {
                #expect(try GPXReader.points(of: Array(text.utf8)).map(\.coordinate.latitude) == [47.25])
            }
        }
        for waypoint in bad {
            #expect(throws: GPXReader.Error.self) { try GPXReader.points(of: Array("<gpx>\(waypoint)</gpx>".utf8)) }
        }
        #expect(try GPXReader.points(of: Array("<gpx>\(good)</gpx>".utf8)).count == 1)
    }

    @Test(arguments: [
        ("<gpx>\n<trkpt lat=\"x\" lon=\"1\"/></gpx>", 2, "numeric lat and lon"),
        ("<gpx>\n\n<trkpt lat=\"91\" lon=\"1\"/></gpx>", 3, "is not a valid latitude and longitude"),
        ("<gpx>\n<trk>\n</gpx>", 3, "has no matching start tag"), ("<gpx>\n<trk>", 2, "ends inside <trk>"),
        ("<gpx></gpx>", 1, "no <trkpt>"),
        ("nothing", 1, "no <gpx>"), ("<gpx>\n<trkpt lat=1/></gpx>", 2, "not in quotes"),
        ("<gpx><!-- \n", 1, "a comment is not terminated"),
        ("<gpx>\n<trkpt lat=\"1\" lon=\"1\">\n<time>noon</time></trkpt></gpx>", 3, "is not an RFC 3339 time"),
        ("<gpx><trkpt lat=\"1\n", 2, "has no closing quote"),
        ("<gpx>\n<trkpt lat=\"1\" lon=\"1\"><ele>high</ele></trkpt></gpx>", 2, "is not an elevation"),
        ("<", 1, "without a name"), ("", 1, "no <gpx>"),
    ])
    func `invalid GPX is rejected with its line number`(text: String, line: Int, reason: String) {
        #expect {
            try GPXReader.points(of: Array(text.utf8))
        } throws: { error in
            (error as? GPXReader.Error).map { $0.line == line && $0.reason.contains(reason) } ?? false
        }
    }
}
