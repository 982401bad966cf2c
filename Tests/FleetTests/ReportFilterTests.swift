import Chronology
import Geodesy
import Testing

@testable import Fleet

@Suite struct ReportFilterTests {
    private func point(_ latitude: Double, _ longitude: Double, accuracy: Double = 4) throws -> FleetPoint {
        FleetPoint(
            try #require(Coordinate(latitude: latitude, longitude: longitude)), at: UTCTime(milliseconds: 0),
            accuracy: accuracy, altitude: 10, speed: 3, course: 90)
    }

    @Test(arguments: [
        ("22:00-06:00", [(21 * 60 + 59, false), (22 * 60, true), (0, true), (359, true), (360, false)]),
        ("06:00-07:30", [(359, false), (360, true), (449, true), (450, false)]),
    ])
    func `quiet hours may last over midnight`(_ text: String, _ expected: [(minute: Int, isQuiet: Bool)]) throws {
        var filter = ReportFilter()
        filter.quietHours = [try #require(ReportFilter.QuietHours(text))]
        let home = try point(51.5, -0.1)
        for (minute, isQuiet) in expected { #expect((filter.reported(home, minute: minute) == nil) == isQuiet) }
    }

    @Test(arguments: [
        "", "22:00", "22-06", "24:00-06:00", "22:60-06:00", "22:00-22:00", "2:00-06:00", "22:00-06:00-07:00",
    ])
    func `other texts are no hours`(_ text: String) {
        #expect(ReportFilter.QuietHours(text) == nil)
    }

    @Test func `nothing is reported at a quiet place`() throws {
        var filter = ReportFilter()
        filter.quietPlaces = [try #require(ReportFilter.QuietPlace("51.5,-0.1,200"))]
        #expect(filter.reported(try point(51.5, -0.1), minute: 0) == nil)
        #expect(filter.reported(try point(51.5017, -0.1), minute: 0) == nil)
        #expect(filter.reported(try point(51.5019, -0.1), minute: 0) != nil)
        let event = FleetEvent(
            .enter, of: "home", in: "m", at: UTCTime(milliseconds: 0), place: try point(51.5, -0.1).coordinate)
        #expect(!filter.isReported(event, minute: 0))
        for text in ["51.5,-0.1", "91,0,200", "51.5,-0.1,0", "51.5,-0.1,x", "51.5,-0.1,200,1"] {
            #expect(ReportFilter.QuietPlace(text) == nil)
        }
    }

    @Test(arguments: [(51.5, -0.1), (-89.99, 12), (89.99, -179.99), (0, 0), (70, 179.999)])
    func `a reduced position is the same in its area, and within its accuracy`(_ latitude: Double, _ longitude: Double)
        throws
    {
        var filter = ReportFilter()
        filter.isReduced = true
        let place = try point(latitude, longitude)
        let reduced = try #require(filter.reported(place, minute: 0))
        #expect(reduced.accuracy == 3600 && reduced.altitude == nil && reduced.speed == nil && reduced.course == nil)
        #expect(reduced.coordinate.distance(to: place.coordinate) <= 2 * 3600)
        let middle = try point(reduced.coordinate.latitude, reduced.coordinate.longitude)
        #expect(filter.reported(middle, minute: 0)?.coordinate == reduced.coordinate)
    }
}
