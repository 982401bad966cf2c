import Geodesy
import Geofencing
import Testing

@Suite struct FenceShapeErrorTests {
    private let here = Coordinate(latitude: 47, longitude: 8)

    private func fault(_ shape: FenceShape) -> FenceShapeError? {
        do {
            _ = try shape.validated()
            return nil
        } catch { return error }
    }

    @Test func `lengths must be positive and finite`() throws {
        let here = try #require(here)
        for radius in [0, -1, Double.infinity, 10_000_001] {
            #expect(fault(.circle(center: here, radius: radius)) == .radius(radius))
            #expect(fault(.corridor(path: [here, here.moved(by: 5, bearing: 0)], width: radius)) == .width(radius))
        }
        #expect(fault(.circle(center: here, radius: .nan)) != nil)
        #expect(fault(.circle(center: here, radius: 0.5)) == nil)
    }

    @Test func `an invalid position is reported`() throws {
        var nowhere = try #require(here)
        nowhere.longitude = .nan
        #expect(fault(.circle(center: nowhere, radius: 5)) == .position(line: 0, point: 0))
        let ring = try places([(0, 0), (0, 1), (1, 1)]) + [nowhere]
        #expect(fault(.polygon(Polygon(ring: ring))) == .position(line: 0, point: 3))
    }

    @Test func `duplicate points count once`() throws {
        let ring = try places([(0, 0), (0, 1), (0, 1), (0, 0)])
        #expect(fault(.polygon(Polygon(ring: ring))) == .tooFewPoints(line: 0, 2, needed: 3))
        #expect(fault(.corridor(path: [ring[0], ring[0]], width: 5)) == .tooFewPoints(line: 0, 1, needed: 2))
        #expect(fault(.polygon(Polygon(ring: []))) == .tooFewPoints(line: 0, 0, needed: 3))
        let many = Array(repeating: ring[0], count: 10_001)
        #expect(fault(.polygon(Polygon(ring: many))) == .tooManyPoints(10_001, limit: 10_000))
        let closed = try places([(0, 0), (0, 1), (1, 1), (0, 0)])
        let kept = try FenceShape.polygon(Polygon(ring: closed)).validated()
        #expect(kept == .polygon(Polygon(ring: Array(closed.dropLast()))))
    }

    @Test func `rings that enclose no area or too much are rejected`() throws {
        let (flat, wide) = (try places([(0, 0), (0, 1), (0, 2)]), try places([(0, 0), (10, 120), (0, -120)]))
        #expect(fault(.polygon(Polygon(ring: flat))) == .noArea(line: 0))
        #expect(fault(.polygon(Polygon(ring: wide))) == .tooWide(line: 0))
    }

    @Test func `a hole must lie inside`() throws {
        let ring = try places([(0, 0), (0, 1), (1, 1), (1, 0)])
        let inside = try places([(0.2, 0.2), (0.2, 0.4), (0.4, 0.4)])
        let astride = try places([(0.2, 0.2), (0.2, 1.4), (0.4, 0.4)])
        #expect(fault(.polygon(Polygon(ring: ring, holes: [inside]))) == nil)
        #expect(fault(.polygon(Polygon(ring: ring, holes: [inside, astride]))) == .holeOutside(line: 2))
        #expect("\(FenceShapeError.holeOutside(line: 2))" == "hole 2 lies at least partly outside the outer ring")
    }
}
