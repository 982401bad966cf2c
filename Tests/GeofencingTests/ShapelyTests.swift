import Geodesy
import Geofencing
import Glibc
import Testing

enum Shapely {
    /// The interpreter that `make setup-test` prepares.
    static var interpreter: String? {
        let candidates = [getenv("SEXTANT_PYTHON").map { String(cString: $0) }, "\(root)/.build/venv/bin/python"]
        return candidates.compactMap(\.self).first { access($0, X_OK) == 0 }
    }

    static var root: String { #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } }
}

/// Compares containment and distance with `shapely` (PyPI), on random polygons with holes in planes
/// all over the Earth.
@Suite(.enabled(if: Shapely.interpreter != nil, "make setup-test prepares the interpreter"))
struct ShapelyTests {
    private func answers(seed: Int, count: Int) throws -> [[Substring]] {
        let script = "\(Shapely.root)/Tests/GeofencingTests/Foreign/containment.py"
        let pipe = try #require(popen("'\(Shapely.interpreter ?? "")' '\(script)' \(seed) \(count)", "r"))
        defer { pclose(pipe) }
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&part, 1, part.count, pipe), count > 0 { text += part[..<count] }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
    }

    @Test(arguments: [(0.0, 0.0), (47, 8), (-33, 151), (60, 180), (-17, -180), (79, 20)])
    func `containment and distance match shapely`(origin: (Double, Double)) throws {
        let plane = LocalPlane(origin: try place(latitude: origin.0, longitude: origin.1))
        var polygon = Polygon(ring: [])
        var (points, inside) = (0, 0)
        for line in try answers(seed: Int(origin.0 + 100), count: 120) {
            let numbers = line.dropFirst().compactMap { Double($0) }
            let places = stride(from: 0, to: numbers.count - 1, by: 2).map {
                plane.coordinate(at: .init(east: numbers[$0], north: numbers[$0 + 1]))
            }
            switch line.first {
            case "P": polygon = Polygon(ring: places)
            case "H": polygon.holes.append(places)
            default:
                let found = FenceShape.polygon(polygon).signedDistance(from: places[0])
                let wanted = numbers[2] == 1 ? numbers[3] : -numbers[3]
                // A straight line on this plane is not quite straight on the Earth: 1 part in
                // 100,000 over 10 km.
                #expect(abs(found - wanted) < 0.001 + 1e-5 * abs(wanted), "\(polygon) \(places[0])")
                points += 1
                inside += found > 0 ? 1 : 0
            }
        }
        #expect(points == 4800 && inside > 300)
    }
}
