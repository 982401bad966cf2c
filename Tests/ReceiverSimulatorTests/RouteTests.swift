import Chronology
import Geodesy
import Testing

@testable import ReceiverSimulator

@Suite struct RouteTests {
    private func point(_ latitude: Double, _ longitude: Double, _ altitude: Double? = nil, at second: Int64? = nil) throws -> Route.Point {
        let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
        return Route.Point(place, altitude: altitude, time: second.map { UTCTime(milliseconds: $0 * 1000) })
    }

    @Test func timedRouteKeepsItsTimes() throws {
        let route = try Route(points: [point(50, 8, 100, at: 10), point(50.01, 8, 200, at: 110)], speed: 1)
        #expect(route.duration == .seconds(100))
        #expect(route.startTime == UTCTime(milliseconds: 10_000))
        let middle = route.sample(at: .seconds(50))
        #expect(abs(middle.coordinate.latitude - 50.005) < 1e-7)
        #expect(abs(middle.speed - 11.1236) < 0.001)
        #expect(middle.course == 0 && middle.altitude == 150 && middle.climb == 1)
        #expect(route.sample(at: .seconds(500)).speed == 0)
        #expect(route.sample(at: .seconds(150), looping: true).coordinate == middle.coordinate)
    }

    @Test func untimedRouteIsDrivenEvenly() throws {
        let points = try [point(0, 179.999), point(0, -179.999), point(0.01, -179.999)]
        let route = try Route(points: points, speed: 20)
        #expect(abs(route.duration.seconds - (222.639 + 1105.743) / 20) < 0.01)
        #expect(abs(route.sample(at: .seconds(3)).course - 90) < 1e-9)
        #expect(abs(route.sample(at: .seconds(3)).speed - 20) < 1e-6)
        // Half way over the date line.
        #expect(abs(abs(route.sample(at: .seconds(5.566)).coordinate.longitude) - 180) < 0.0001)
        #expect(throws: Route.Flaw.speedNotPositive) { try Route(points: points, speed: 0) }
        #expect(throws: Route.Flaw.empty) { try Route(points: [], speed: 1) }
    }

    @Test func circuitIsClosedAndCrossesTheMeridian() {
        let circuit = Route.circuit
        #expect(circuit.duration > .seconds(240))
        let samples = (0..<Int(circuit.duration.seconds)).map { circuit.sample(at: .seconds(Double($0))) }
        #expect(samples.contains { $0.coordinate.longitude > 0 } && samples.contains { $0.coordinate.longitude < 0 })
        #expect(samples.contains { $0.speed == 0 })
        #expect(samples.allSatisfy { $0.speed < 20 })
        #expect(circuit.sample(at: circuit.duration).coordinate.distance(to: samples[0].coordinate) < 0.001)
    }

    @Test func gpxTrackOfAnyStyle() throws {
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

    @Test(arguments: [
        ("<gpx>\n<trkpt lat=\"x\" lon=\"1\"/></gpx>", 2, "numeric lat and lon"),
        ("<gpx>\n\n<trkpt lat=\"91\" lon=\"1\"/></gpx>", 3, "not on the earth"),
        ("<gpx>\n<trk>\n</gpx>", 3, "closes what was not open"), ("<gpx>\n<trk>", 2, "ends inside <trk>"), ("<gpx></gpx>", 1, "no <trkpt>"),
        ("nothing", 1, "no <gpx>"), ("<gpx>\n<trkpt lat=1/></gpx>", 2, "not in quotes"), ("<gpx><!-- \n", 1, "a comment does not end"),
        ("<gpx>\n<trkpt lat=\"1\" lon=\"1\">\n<time>noon</time></trkpt></gpx>", 3, "is not a time"),
        ("<gpx><trkpt lat=\"1\n", 2, "does not end"),
        ("<gpx>\n<trkpt lat=\"1\" lon=\"1\"><ele>high</ele></trkpt></gpx>", 2, "is not a height"),
        ("<", 1, "without a name"), ("", 1, "no <gpx>"),
    ])
    func brokenGPXIsRefusedWithItsLine(text: String, line: Int, reason: String) {
        #expect {
            try GPXReader.points(of: Array(text.utf8))
        } throws: { error in
            (error as? GPXReader.Flaw).map { $0.line == line && $0.reason.contains(reason) } ?? false
        }
    }
}
