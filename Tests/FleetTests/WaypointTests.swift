import Fleet
import Geodesy
import Permission
import Testing
import Varlink

/// The fences of monitors as waypoints of OwnTracks.
@Suite struct WaypointTests {
    private let messages = OwnTracks(user: "jane", device: "phone")

    @Test func `a polygon is its enclosing circle, and exact in a message of its own`() throws {
        let corner = try #require(Coordinate(latitude: 52, longitude: 13))
        let right = corner.moved(by: 600, bearing: 90)
        let ring = [corner, right, right.moved(by: 800, bearing: 0), corner.moved(by: 800, bearing: 0)]
        let waypoint = try #require(Waypoint("yard", of: "home", created: 7, around: ring, margin: 0))
        #expect(ring.allSatisfy { $0.distance(to: waypoint.center) <= Double(waypoint.radius) })
        // Half the diagonal, and 4 % for a search of 32 steps.
        #expect((500...520).contains(waypoint.radius))
        let fence = messages.fence(waypoint, shape: FenceGeometry(rings: [ring]))
        let outer = try #require(fence["geometry"]?["coordinates"]?.array?.first?.array)
        #expect(outer.count == 5 && outer.first == outer.last && outer.first == [13.0, 52.0])
        #expect(fence["_type"] == "fence" && fence["rid"] == messages.waypoint(waypoint)["rid"])
    }

    @Test func `a corridor contains its width, and one point is a circle of the margin`() throws {
        let start = try #require(Coordinate(latitude: 0, longitude: 179.99))
        let path = [start, start.moved(by: 3000, bearing: 90)]
        let waypoint = try #require(Waypoint("road", of: "home", created: 7, around: path, margin: 25))
        #expect((1525...1580).contains(waypoint.radius))
        #expect(Waypoint("x", of: "home", created: 7, around: [start], margin: 3.2)?.radius == 4)
        #expect(Waypoint("x", of: "home", created: 7, around: [], margin: 3) == nil)
        let fence = messages.fence(waypoint, shape: FenceGeometry(path: path, width: 50))
        #expect(fence["geometry"]?["type"] == "LineString" && fence["width"] == 50.0)
    }

    @Test func `fences of one second get different times`() throws {
        let place = try #require(Coordinate(latitude: 1, longitude: 2))
        let made = ["c", "a", "b"].map {
            Waypoint($0, of: "home", created: $0 == "b" ? 4 : 5, center: place, radius: 9)
        }
        let unique = Waypoint.withUniqueTimes(made)
        #expect(unique.map(\.identifier) == ["b", "a", "c"] && unique.map(\.created) == [4, 5, 6])
    }

    @Test func `a list of more than 200 fences is sent in parts`() throws {
        let place = try #require(Coordinate(latitude: 1, longitude: 2))
        let name = String(repeating: "x", count: 120)
        let many = (0..<1000).map { Waypoint("\(name)\($0)", of: "fleet", created: 1, center: place, radius: 9) }
        let parts = messages.waypoints(many)
        #expect(parts.count == 5 && parts.allSatisfy { $0.bytes.count < 65_000 })
    }

    @Test func `the place of a fence at a quiet place is not reported`() throws {
        let place = try #require(Coordinate(latitude: 1, longitude: 2))
        var filter = ReportFilter()
        filter.quietPlaces = [QuietPlace(place, radius: 100)]
        let home = Waypoint("home", of: "m", created: 1, center: place.moved(by: 99, bearing: 9), radius: 9)
        let work = Waypoint("work", of: "m", created: 1, center: place.moved(by: 101, bearing: 9), radius: 9)
        #expect(!filter.isReported(home) && filter.isReported(work))
    }
}
