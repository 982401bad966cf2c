import Geodesy
import Geofencing
import Testing

func place(latitude: Double, longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: latitude, longitude: longitude))
}

func places(_ pairs: [(Double, Double)]) throws -> [Coordinate] {
    try pairs.map { try place(latitude: $0.0, longitude: $0.1) }
}

@Suite struct FenceShapeTests {
    @Test(arguments: [(0.0, 0.0), (47, 8), (-60, 179.999), (85, -40), (-90, 0)], [30, 2_900, 4_000, 250_000.0])
    func `a circle is measured along the ground`(center: (Double, Double), radius: Double) throws {
        let center = try place(latitude: center.0, longitude: center.1)
        let circle = FenceShape.circle(center: center, radius: radius)
        for bearing in stride(from: 0.0, to: 360, by: 31) {
            for distance in [0, 0.4 * radius, radius, 1.7 * radius] {
                let point = center.moved(by: distance, bearing: bearing)
                #expect(abs(circle.signedDistance(from: point) - (radius - distance)) < 0.005)
                #expect(circle.box(margin: 1).contains(point) || distance > radius)
            }
        }
    }

    @Test func `a square may cross the antimeridian`() throws {
        let ring = try places([(-18, 179), (-16, 179), (-16, -179), (-18, -179)])
        let fence = FenceShape.polygon(Polygon(ring: ring))
        for (latitude, longitude) in [(-17.0, 179.5), (-17, -179.5), (-17, 180), (-17, -180), (-17.9, 179.01)] {
            #expect(fence.contains(try place(latitude: latitude, longitude: longitude)))
        }
        for (latitude, longitude) in [
            (-17.0, 178.9), (-17, -178.9), (-17, 0), (17, 0), (17, -0.5), (-15.9, 180), (-18.1, 180),
        ] {
            #expect(!fence.contains(try place(latitude: latitude, longitude: longitude)))
        }
        let box = fence.box()
        #expect(box.west == 179 && abs(box.width - 2) < 1e-9)
        // The eastern and western edges are meridians: one degree at 17 S is 106.5 km.
        let (inside, edge) = (try place(latitude: -17, longitude: -179.9), try place(latitude: -17, longitude: -179))
        #expect(abs(fence.signedDistance(from: inside) - inside.distance(to: edge)) < 50)
    }

    @Test(arguments: [1.0, -1])
    func `a ring around a pole contains the pole`(_ side: Double) throws {
        let ring = try places([(side * 70, 0), (side * 70, 90), (side * 72, 180), (side * 70, -90)])
        for ring in [ring, ring.reversed()] {
            let fence = FenceShape.polygon(Polygon(ring: ring))
            for (latitude, longitude) in [
                (side * 90, 33.0), (side * 89, -170), (side * 80, 45), (side * 72.1, 180), (side * 72.1, -180),
            ] {
                #expect(fence.contains(try place(latitude: latitude, longitude: longitude)), "\(latitude) \(longitude)")
            }
            // Between its corners an edge is nearer to the pole.
            for (latitude, longitude) in [
                (side * 70.5, 45.0), (side * 60, 0), (0, 0), (side * -89, 0), (side * -75, 45), (side * 69.9, 90),
            ] {
                #expect(
                    !fence.contains(try place(latitude: latitude, longitude: longitude)), "\(latitude) \(longitude)")
            }
            let box = fence.box(margin: 10)
            #expect(box.spansAllLongitudes && (side > 0 ? box.north == 90 : box.south == -90))
            #expect(abs((side > 0 ? box.south : -box.north) - 70) < 0.001)
        }
    }

    @Test func `a hole is outside`() throws {
        let ring = try places([(47, 8), (47.01, 8), (47.01, 8.01), (47, 8.01)])
        let hole = try places([(47.004, 8.004), (47.006, 8.004), (47.006, 8.006), (47.004, 8.006)])
        let fence = FenceShape.polygon(Polygon(ring: ring, holes: [hole]))
        let middle = try place(latitude: 47.005, longitude: 8.005)
        let (below, edge) = (
            try place(latitude: 47.0035, longitude: 8.005), try place(latitude: 47.005, longitude: 8.006)
        )
        #expect(!fence.contains(middle) && fence.contains(below))
        #expect(abs(fence.signedDistance(from: middle) + middle.distance(to: edge)) < 0.01)
        #expect(abs(fence.signedDistance(from: below) - 55.6) < 0.1)
    }

    @Test func `a corridor may bend`() throws {
        let path = try places([(47, 179.99), (47, -179.99), (47.01, -179.99)])
        let fence = FenceShape.corridor(path: path, width: 200)
        for point in path { #expect(abs(fence.signedDistance(from: point) - 100) < 0.001) }
        let beside = path[1].moved(by: 140, bearing: 135)
        #expect(abs(fence.signedDistance(from: beside) + 40) < 0.001)
        let side = try place(latitude: 47.005, longitude: -179.99).moved(by: 30, bearing: 90)
        #expect(abs(fence.signedDistance(from: side) - 70) < 0.01)
        #expect(fence.box().contains(path[0].moved(by: 99, bearing: 270)) && fence.box().width < 0.03)
    }

    /// An edge of 1,500 km lies 59 km north of the parallel between its ends; a metre beside it is
    /// resolved.
    @Test func `a long edge is a geodesic`() throws {
        let (west, east) = (try place(latitude: 50, longitude: 0), try place(latitude: 50, longitude: 20))
        let fence = FenceShape.polygon(Polygon(ring: [west, east, try place(latitude: 40, longitude: 10)]))
        let path = Geodesic.inverse(from: west, to: east)
        for share in [0.03, 0.31, 0.5, 0.77] {
            let on = Geodesic.direct(from: west, bearing: path.initialBearing, distance: share * path.distance)
            for metres in [-500, -1, -0.01, 0.01, 1, 500] {
                let beside = on.end.moved(by: metres, bearing: on.finalBearing + 90)
                #expect(abs(fence.signedDistance(from: beside) - metres) < 0.001)
            }
        }
    }

    @Test func `the depth is never overestimated`() throws {
        let center = try place(latitude: 47, longitude: 8)
        func square(_ side: Double) -> Polygon {
            let half = side / 2
            return Polygon(
                ring: [(-half, -half), (-half, half), (half, half), (half, -half)].map { east, north in
                    LocalPlane(origin: center).coordinate(at: .init(east: east, north: north))
                })
        }
        #expect(abs(FenceShape.polygon(square(100)).halfDepth - 25) < 0.01)
        #expect(
            abs(FenceShape.polygon(Polygon(ring: square(100).ring, holes: [square(50).ring])).halfDepth - 12.5) < 0.01)
        #expect(FenceShape.circle(center: center, radius: 8).isTooSmall(forAccuracy: 5.7))
        #expect(!FenceShape.circle(center: center, radius: 8).isTooSmall(forAccuracy: 5.6))
        #expect(FenceShape.corridor(path: [center, center], width: 10).isTooSmall(forAccuracy: 6))
        #expect(FenceShape.circle(center: center, radius: 8).isTooSmall(forAccuracy: .nan))
    }
}
