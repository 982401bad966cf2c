import Testing

@testable import Geodesy

/// The distance from a point to a geodesic, found from 400 points of it and then by bisection, each
/// with GeographicLib 2.1 (Python).
struct EdgeCase: Sendable {
    let from: (Double, Double)
    let to: (Double, Double)
    let point: (Double, Double)
    let distance: Double

    static let all = [
        EdgeCase(from: (50, 8), to: (50, 18), point: (50.3, 13), distance: 21376.1511),
        EdgeCase(from: (60, -170), to: (60, 170), point: (60.5, 179.9), distance: 13488.5579),
        EdgeCase(from: (80, 0), to: (80, 90), point: (83, 40), distance: 14862.4875),
        EdgeCase(from: (0, 0), to: (0, 30), point: (-1, 12), distance: 110574.3886),
        EdgeCase(from: (-65, 100), to: (-70, -120), point: (-75, 150), distance: 660919.9805),
        EdgeCase(from: (48, 2), to: (52, 13), point: (51.9, 13.4), distance: 29667.2916),
        EdgeCase(from: (10, 10), to: (10.05, 10.05), point: (10.02, 10.03), distance: 778.8660),
        EdgeCase(from: (10, 10), to: (11, 11), point: (10.52, 10.5), distance: 1462.3566),
        EdgeCase(from: (40, -74), to: (51.5, -0.5), point: (52.0, -40.0), distance: 25182.2694),
        EdgeCase(from: (-89, 0), to: (-89, 120), point: (-89.2, 60), distance: 33503.9392),
        EdgeCase(from: (35, 139), to: (37.5, -122.4), point: (48, -170), distance: 49122.9391),
    ]
}

@Suite struct GeodesicEdgeTests {
    @Test(arguments: EdgeCase.all)
    func `the distance to the nearest point matches the reference`(_ drawn: EdgeCase) throws {
        let edge = GeodesicEdge(
            from: try point(latitude: drawn.from.0, longitude: drawn.from.1),
            to: try point(latitude: drawn.to.0, longitude: drawn.to.1))
        let from = try point(latitude: drawn.point.0, longitude: drawn.point.1)
        #expect(abs(edge.distance(to: from) - drawn.distance) < 1e-3)
        #expect(abs(GeodesicEdge(from: edge.end, to: edge.start).distance(to: from) - drawn.distance) < 1e-3)
        var outlook = LocalDistance(from: from)
        outlook.add(path: [edge.start, edge.end])
        #expect(abs(outlook.distance - drawn.distance) < 1e-3)
    }

    /// A point at a right angle to a GeographicLib path is as far from the path as its offset.
    @Test(
        arguments: ReferencePath.all.filter { $0.distance > 1_000 && $0.distance < 15_000_000 },
        [-2_000_000, -900, -0.5, 3, 40_000.0])
    func `a point at a right angle to a path is as far as its offset`(_ path: ReferencePath, for metres: Double) throws
    {
        let (start, end) = (
            try point(latitude: path.from.0, longitude: path.from.1),
            try point(latitude: path.to.0, longitude: path.to.1)
        )
        let middle = Geodesic.direct(from: start, bearing: path.initial, distance: path.distance * 0.37)
        let beside = middle.end.moved(by: metres, bearing: middle.finalBearing + 90)
        // At 2,000 km beside a short path, its ends are nearly as near.
        let found = GeodesicEdge(from: start, to: end).distance(to: beside)
        #expect(abs(found - abs(metres)) < 1e-3 || abs(metres) > 1e6 && found < abs(metres))
    }

    @Test func `an edge without length is a point`() throws {
        let here = try point(latitude: 47, longitude: 8)
        #expect(abs(GeodesicEdge(from: here, to: here).distance(to: here.moved(by: 120, bearing: 33)) - 120) < 1e-6)
    }

    @Test func `a geodesic bulges towards the pole`() throws {
        let edge = GeodesicEdge(
            from: try point(latitude: 60, longitude: -170), to: try point(latitude: 60, longitude: 170))
        #expect(edge.latitudes.south == 60 && abs(edge.latitudes.north - 60.379) < 0.001)
        let south = GeodesicEdge(
            from: try point(latitude: -50, longitude: 0), to: try point(latitude: -50, longitude: 120)
        ).latitudes
        #expect(south.north == -50 && south.south < -67)
        #expect(
            GeodesicEdge(from: try point(latitude: 80, longitude: 0), to: try point(latitude: 80, longitude: 180))
                .latitudes.north == 90)
        #expect(
            GeodesicEdge(from: try point(latitude: 10, longitude: 0), to: try point(latitude: 40, longitude: 30))
                .latitudes == (10, 40))
    }

    /// No point of the edge lies outside the latitude band, for any direction.
    @Test func `the latitude band contains the edge`() throws {
        for i in 0..<2000 {
            func spread(_ step: Double) -> Double { (Double(i) * step).truncatingRemainder(dividingBy: 1) }
            let start = try point(
                latitude: spread(0.754_877_666) * 180 - 90, longitude: spread(0.569_840_291) * 360 - 180)
            let end = start.moved(by: spread(0.618_033_988) * 9_000_000, bearing: spread(0.445_041_868) * 360)
            let (edge, path) = (GeodesicEdge(from: start, to: end), Geodesic.inverse(from: start, to: end))
            let inside = start.moved(by: path.distance * spread(0.324_717_957), bearing: path.initialBearing)
            #expect(inside.latitude >= edge.latitudes.south - 1e-9 && inside.latitude <= edge.latitudes.north + 1e-9)
        }
    }
}
