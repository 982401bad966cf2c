import Chronology
import Geodesy
import ReceiverSimulator
import Testing

@testable import Rehearsal

@Suite("The true way")
struct GroundTruthTrackTests {
    @Test
    func `a gap without movement is a stay that ends in a departure`() throws {
        let day = try #require(DrawnDay.commuter())
        let way = try GroundTruthTrack(day.points)
        #expect(way.duration == .seconds(86_400))
        #expect(way.departures.map { Int($0.seconds / 60) } == [450, 1030])
        #expect(way.route.sample(at: .seconds(3600)).speed == 0)
    }

    @Test
    func `a long gap places its movement at the end`() throws {
        let day = try #require(DrawnDay())
        var points = day.points
        let there = Geodesic.direct(from: points[0].coordinate, bearing: 10, distance: 200).end
        points.append(Route.Point(there, time: points[0].time?.advanced(by: .seconds(3600))))
        let way = try GroundTruthTrack(points)
        #expect(way.route.sample(at: .seconds(3500)).speed == 0)
        #expect(abs(way.route.sample(at: .seconds(3580)).speed - 5) < 0.01)
        #expect(way.departures == [.seconds(3560)])
    }

    @Test
    func `a gap spent moving is a road without points`() throws {
        let day = try #require(DrawnDay())
        var points = day.points
        let there = Geodesic.direct(from: points[0].coordinate, bearing: 10, distance: 2000).end
        points.append(Route.Point(there, time: points[0].time?.advanced(by: .seconds(100))))
        #expect(abs(try GroundTruthTrack(points).route.sample(at: .seconds(50)).speed - 20) < 0.01)
    }

    @Test
    func `swaying, red lights and swinging at anchor are no departures`() throws {
        #expect(try GroundTruthTrack(try #require(DrawnDay.parked()).points).departures == [])
        let anchored = try GroundTruthTrack(try #require(DrawnDay.anchored()).points)
        #expect(anchored.departures == [])
    }

    @Test
    func `a track with invalid times is rejected`() throws {
        var points = try #require(DrawnDay.parked()).points
        #expect(throws: GroundTruthTrack.Flaw.noDuration) { try GroundTruthTrack([points[0]]) }
        #expect(throws: GroundTruthTrack.Flaw.noDuration) { try GroundTruthTrack([]) }
        #expect(throws: GroundTruthTrack.Flaw.timeRunsBack(point: 2)) { try GroundTruthTrack([points[1], points[0]]) }
        points[2].time = nil
        #expect(throws: GroundTruthTrack.Flaw.noTime(point: 3)) { try GroundTruthTrack(points) }
    }
}
