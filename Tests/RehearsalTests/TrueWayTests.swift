import Chronology
import Geodesy
import ReceiverSimulator
import Testing

@testable import Rehearsal

@Suite("The true way")
struct TrueWayTests {
    @Test("A gap without way is a stay, and its end a departure")
    func stays() throws {
        let day = try #require(DrawnDay.commuter())
        let way = try TrueWay(day.points)
        #expect(way.duration == .seconds(86_400))
        #expect(way.departures.map { Int($0.seconds / 60) } == [450, 1030])
        #expect(way.route.sample(at: .seconds(3600)).speed == 0)
    }

    @Test("A gap at whose end it is elsewhere: it stayed, and went there at the end")
    func leavesAtTheEnd() throws {
        let day = try #require(DrawnDay())
        var points = day.points
        let there = Geodesic.direct(from: points[0].coordinate, bearing: 10, distance: 200).end
        points.append(Route.Point(there, time: points[0].time?.advanced(by: .seconds(3600))))
        let way = try TrueWay(points)
        #expect(way.route.sample(at: .seconds(3500)).speed == 0)
        #expect(abs(way.route.sample(at: .seconds(3580)).speed - 5) < 0.01)
        #expect(way.departures == [.seconds(3560)])
    }

    @Test("A gap in which way was made is a road without points")
    func tunnel() throws {
        let day = try #require(DrawnDay())
        var points = day.points
        let there = Geodesic.direct(from: points[0].coordinate, bearing: 10, distance: 2000).end
        points.append(Route.Point(there, time: points[0].time?.advanced(by: .seconds(100))))
        #expect(abs(try TrueWay(points).route.sample(at: .seconds(50)).speed - 20) < 0.01)
    }

    @Test("Swaying is no departure, nor is a red light or a swing at anchor")
    func noDepartures() throws {
        #expect(try TrueWay(try #require(DrawnDay.parked()).points).departures == [])
        let anchored = try TrueWay(try #require(DrawnDay.anchored()).points)
        #expect(anchored.departures == [])
    }

    @Test("A track without times, out of order or without duration says what to do")
    func flaws() throws {
        var points = try #require(DrawnDay.parked()).points
        #expect(throws: TrueWay.Flaw.noDuration) { try TrueWay([points[0]]) }
        #expect(throws: TrueWay.Flaw.noDuration) { try TrueWay([]) }
        #expect(throws: TrueWay.Flaw.timeRunsBack(point: 2)) { try TrueWay([points[1], points[0]]) }
        points[2].time = nil
        #expect(throws: TrueWay.Flaw.noTime(point: 3)) { try TrueWay(points) }
    }
}
