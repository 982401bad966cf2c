import Testing

@testable import Geodesy

@Suite struct LocalPlaneTests {
    /// The documented errors: the allowed metres at a latitude and a distance.
    @Test(arguments: [
        (0.0, 10_000.0, 0.0003), (50, 1000, 0.000_002), (50, 10_000, 0.002), (-50, 100_000, 2), (80, 1000, 0.0001),
        (80, 10_000, 0.1),
        (80, 100_000, 60),
    ])
    func `distances from the origin are within the documented error`(
        latitude: Double, distance: Double, allowed: Double
    ) throws {
        let origin = try point(latitude: latitude, longitude: 179.99)
        let plane = LocalPlane(origin: origin)
        for bearing in stride(from: 0.0, to: 360, by: 7) {
            let there = origin.moved(by: distance, bearing: bearing)
            let offset = plane.offset(of: there)
            #expect(abs(origin.nearbyDistance(to: there) - distance) < allowed)
            #expect(abs((offset.bearing - bearing).remainder(dividingBy: 360)) < 0.02)
            #expect(plane.coordinate(at: offset).distance(to: there) < 1e-5)
        }
    }

    @Test func `the axes point east and north`() throws {
        let plane = LocalPlane(origin: try point(latitude: 48, longitude: 11))
        let east = plane.offset(of: try point(latitude: 48, longitude: 11.001))
        #expect(east.east > 74 && east.east < 75 && abs(east.north) < 0.001)
        let north = plane.offset(of: try point(latitude: 48.001, longitude: 11))
        #expect(north.north > 111 && north.north < 112 && abs(north.east) < 1e-9)
        #expect(plane.offset(of: plane.origin).length == 0)
        #expect(plane.offset(of: plane.origin).bearing == 0)
    }
}
