import Chronology
import Geodesy
import Simulator
import Testing

@testable import Simulator

@Suite("The true track")
struct GroundTruthTrackTests {
    @Test
    func `a gap without movement is a stay that ends in a departure`() throws {
        let day = try #require(SyntheticDay.commuter())
        let track = try GroundTruthTrack(day.points)
        #expect(track.duration == .seconds(86_400))
        #expect(track.departures.map { Int($0.seconds / 60) } == [450, 1030])
        #expect(track.route.sample(at: .seconds(3600)).speed == 0)
    }

    @Test
    func `a long gap places its movement at the end`() throws {
        let day = try #require(SyntheticDay())
        var points = day.points
        let destination = Geodesic.direct(from: points[0].coordinate, bearing: 10, distance: 200).end
        points.append(Route.Point(destination, time: points[0].time?.advanced(by: .seconds(3600))))
        let track = try GroundTruthTrack(points)
        #expect(track.route.sample(at: .seconds(3500)).speed == 0)
        #expect(abs(track.route.sample(at: .seconds(3580)).speed - 5) < 0.01)
        #expect(track.departures == [.seconds(3560)])
    }

    @Test
    func `a gap spent moving is a road without points`() throws {
        let day = try #require(SyntheticDay())
        var points = day.points
        let destination = Geodesic.direct(from: points[0].coordinate, bearing: 10, distance: 2000).end
        points.append(Route.Point(destination, time: points[0].time?.advanced(by: .seconds(100))))
        #expect(abs(try GroundTruthTrack(points).route.sample(at: .seconds(50)).speed - 20) < 0.01)
    }

    @Test
    func `swaying, red lights and swinging at anchor are no departures`() throws {
        #expect(try GroundTruthTrack(try #require(SyntheticDay.parked()).points).departures == [])
        let anchored = try GroundTruthTrack(try #require(SyntheticDay.anchored()).points)
        #expect(anchored.departures == [])
    }

    @Test
    func `a track with invalid times is rejected`() throws {
        var points = try #require(SyntheticDay.parked()).points
        #expect(throws: GroundTruthTrack.Error.noDuration) { try GroundTruthTrack([points[0]]) }
        #expect(throws: GroundTruthTrack.Error.noDuration) { try GroundTruthTrack([]) }
        #expect(throws: GroundTruthTrack.Error.timeDecreases(point: 2)) {
            try GroundTruthTrack([points[1], points[0]])
        }
        points[2].time = nil
        #expect(throws: GroundTruthTrack.Error.noTime(point: 3)) { try GroundTruthTrack(points) }
    }
}
