import Geofencing
import TestSupport
import Testing

@testable import StateStore

@Suite struct ShapeBytesTests {
    private let shapes: [FenceShape] = [
        .circle(center: Samples.point(51.5, -0.1), radius: 0.1),
        .polygon(Polygon(ring: [Samples.point(0, 179.9), Samples.point(1, -179.9), Samples.point(-1, 180)])),
        .polygon(
            Polygon(
                ring: [Samples.point(0, 0), Samples.point(1, 0), Samples.point(0, 1)],
                holes: [[Samples.point(0.1, 0.1), Samples.point(0.2, 0.1), Samples.point(0.1, 0.2)], []])),
        .corridor(path: [Samples.point(90, 0), Samples.point(-0.0, 1e-300)], width: 25),
        .corridor(path: [], width: 0),
    ]

    @Test func `a decoded shape equals the encoded one`() {
        for shape in shapes { #expect(read(shape.bytes) == shape) }
    }

    @Test func `a circle takes 26 bytes`() {
        #expect(shapes[0].bytes.count == 26)
    }

    @Test func `truncated or extended bytes are rejected`() {
        for shape in shapes {
            let bytes = shape.bytes
            for length in bytes.indices { #expect(read(Array(bytes[..<length])) == nil) }
            #expect(read(bytes + [0]) == nil)
        }
    }

    @Test func `damaged bytes never trap`() {
        var chance = SeededGenerator(seed: 5)
        for _ in 0..<20_000 {
            var bytes = shapes.randomElement(using: &chance)?.bytes ?? []
            for _ in 0..<Int.random(in: 1...4, using: &chance) {
                bytes[Int.random(in: bytes.indices, using: &chance)] = UInt8.random(in: 0...255, using: &chance)
            }
            _ = read(bytes)
        }
    }

    private func read(_ bytes: [UInt8]) -> FenceShape? { bytes.withUnsafeBytes { FenceShape(bytes: $0) } }
}
