import Chronology
import Geodesy
import Permission
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
        filter.quietHours = [try #require(QuietHours(text))]
        let home = try point(51.5, -0.1)
        for (minute, isQuiet) in expected {
            #expect((filter.reported(home, minute: minute, at: .zero) == nil) == isQuiet)
        }
    }

    @Test(arguments: [
        "", "22:00", "22-06", "24:00-06:00", "22:60-06:00", "22:00-22:00", "2:00-06:00", "22:00-06:00-07:00",
        "-22:00-06:00", "22:00--06:00", "1.5:00-02:00", "1e1:0-06:00", "22:00 -06:00",
    ])
    func `other texts are no hours`(_ text: String) {
        #expect(QuietHours(text) == nil)
    }

    @Test func `nothing is reported at a quiet place`() throws {
        var filter = ReportFilter()
        filter.quietPlaces = [try #require(QuietPlace("51.5,-0.1,200"))]
        #expect(filter.reported(try point(51.5, -0.1), minute: 0, at: .zero) == nil)
        #expect(filter.reported(try point(51.5017, -0.1), minute: 0, at: .zero) == nil)
        #expect(filter.reported(try point(51.5019, -0.1), minute: 0, at: .zero) != nil)
        // A poor position may be at the place.
        #expect(filter.reported(try point(51.5019, -0.1, accuracy: 20), minute: 0, at: .zero) == nil)
        let unknown = FleetEvent(.leave, of: "home", in: "m", at: UTCTime(milliseconds: 0))
        #expect(!filter.isReported(unknown, minute: 0) && ReportFilter().isReported(unknown, minute: 0))
        let event = FleetEvent(
            .enter, of: "home", in: "m", at: UTCTime(milliseconds: 0), place: try point(51.5, -0.1).coordinate)
        #expect(!filter.isReported(event, minute: 0))
        for text in ["51.5,-0.1", "91,0,200", "0,181,200", "51.5,-0.1,0", "51.5,-0.1,x", "nan,0,5", "51.5,-0.1,200,1"] {
            #expect(QuietPlace(text) == nil)
        }
    }

    @Test(arguments: [(51.5, -0.1), (-89.99, 12), (89.99, -179.99), (0, 0), (70, 179.999)])
    func `a reduced location is at least 1 km away, every 15 minutes, without speed`(
        _ latitude: Double, _ longitude: Double
    ) throws {
        let secret = try #require(ReducedSecret(bytes: [UInt8](repeating: 7, count: ReducedSecret.byteCount)))
        var filter = ReportFilter(reducedBy: secret)
        let place = try point(latitude, longitude)
        let first = filter.reported(place, minute: 0, at: .zero)
        let reduced = try #require(first)
        let distance = reduced.coordinate.distance(to: place.coordinate)
        #expect(distance >= 1000 && distance < 30_000)
        #expect(try #require(reduced.accuracy) >= 1000)
        #expect(reduced.altitude == nil && reduced.speed == nil && reduced.course == nil)
        #expect(filter.reported(place, minute: 0, at: Instant.zero + .seconds(899)) == nil)
        #expect(filter.reported(place, minute: 0, at: Instant.zero + .seconds(900))?.coordinate == reduced.coordinate)
        var other = ReportFilter(reducedBy: secret)
        #expect(other.reported(place, minute: 0, at: .zero)?.coordinate == reduced.coordinate)
    }

    @Test func `a server with reduced locations gets no events`() throws {
        let event = FleetEvent(
            .enter, of: "home", in: "m", at: UTCTime(milliseconds: 0), place: try point(51.5, -0.1).coordinate)
        #expect(ReportFilter().isReported(event, minute: 0))
        #expect(!ReportFilter(reducedBy: ReducedSecret()).isReported(event, minute: 0))
    }
}
