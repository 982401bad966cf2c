import Geodesy
import Testing

@testable import Geofencing

extension Coordinate {
    static let gulf = [Coordinate(latitude: 0, longitude: 0)].compactMap { $0 }[0]
}

struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64
    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }
    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    /// Returns a position anywhere on Earth, often near a pole or the antimeridian.
    mutating func place() -> Coordinate {
        let latitude =
            switch Int.random(in: 0..<4, using: &self) {
            case 0: Double.random(in: 89...90, using: &self)
            case 1: Double.random(in: -90...(-89), using: &self)
            default: Double.random(in: -80...80, using: &self)
            }
        let longitude =
            Bool.random(using: &self)
            ? Double.random(in: -180...180, using: &self) : Double.random(in: 179...181, using: &self)
        return Coordinate(latitude: latitude, longitude: longitude.remainder(dividingBy: 360)) ?? .gulf
    }

    /// Returns a position within a distance in metres of another.
    mutating func place(within metres: Double, of center: Coordinate) -> Coordinate {
        center.moved(
            by: metres * Double.random(in: 0...1, using: &self), bearing: Double.random(in: 0..<360, using: &self))
    }
}

@Suite struct BoxTreeTests {
    @Test(arguments: [1, 2, 3, 4]) func `a search finds what a linear scan finds`(seed: UInt64) {
        var generator = SeededGenerator(seed)
        var tree = BoxTree()
        var boxes: [Int32: ECEFBox] = [:]
        let centers = (0..<12).map { _ in generator.place() }
        func box() -> ECEFBox {
            let center = centers.randomElement(using: &generator) ?? centers[0]
            return ECEFBox(
                around: generator.place(within: 20_000, of: center), radius: .random(in: 10...5000, using: &generator))
        }
        for round in 0..<40 {
            if round % 10 == 0 {
                let first = Int32(round * 100)
                let batch = (first..<first + 600).map { (slot: $0, box: box()) }
                for (slot, box) in batch { boxes[slot] = box }
                tree.insert(batch)
            }
            for slot in (0..<30).map({ _ in Int32.random(in: 0..<5000, using: &generator) }) {
                let new = box()
                boxes[slot] = new
                tree.insert(slot, box: new)
            }
            for slot in boxes.keys.sorted().shuffled(using: &generator).prefix(round < 30 ? 20 : 150) {
                boxes[slot] = nil
                tree.remove(slot)
            }
            #expect(tree.count == boxes.count)
            let place = ECEFBox.floatPosition(of: generator.place(within: 30_000, of: centers[round % 12]))
            let reach = Float.random(in: 10...20_000, using: &generator)
            var found: [Int32] = []
            tree.forEachBox(within: reach, of: place) { slot, _ in found.append(slot) }
            #expect(found.sorted() == boxes.filter { $0.value.distance(to: place) <= reach }.keys.sorted())
            let nearest = boxes.filter { $0.key % 2 == 0 }.map { $0.value.distance(to: place) }.min()
            #expect(tree.nearest(to: place) { $0 % 2 == 0 } == nearest ?? .infinity)
        }
    }

    @Test func `an emptied tree is empty and reusable`() {
        var generator = SeededGenerator(7)
        var tree = BoxTree()
        tree.insert((0..<1000).map { (slot: $0, box: ECEFBox(around: generator.place(), radius: 100)) })
        for slot in Int32(0)..<1000 { tree.remove(slot) }
        #expect(tree.count == 0)
        var found = 0
        tree.forEachBox(within: 3e7, of: ECEFBox.floatPosition(of: generator.place())) { _, _ in found += 1 }
        #expect(found == 0)
        tree.insert(3, box: ECEFBox(around: generator.place(), radius: 1))
        tree.forEachBox(within: 3e7, of: ECEFBox.floatPosition(of: generator.place())) { _, _ in found += 1 }
        #expect(found == 1)
    }

    @Test func `a box is never farther than a point in it`() {
        var generator = SeededGenerator(5)
        for _ in 0..<2000 {
            let (center, from) = (generator.place(), generator.place())
            let radius = pow10(.random(in: 0...6, using: &generator))
            let within = generator.place(within: radius, of: center)
            let box = ECEFBox(around: center, radius: radius)
            #expect(box.distance(to: ECEFBox.floatPosition(of: within)) == 0)
            #expect(Double(box.distance(to: ECEFBox.floatPosition(of: from))) <= from.distance(to: within) + 2)
        }
    }

    @Test func `a box bounds the points between its parallels and meridians`() {
        var generator = SeededGenerator(6)
        for _ in 0..<2000 {
            let corner = generator.place()
            let height = min(Double.random(in: 0...40, using: &generator), 90 - corner.latitude)
            let width = Double.random(in: 0...400, using: &generator)
            let box = ECEFBox(
                south: corner.latitude, north: corner.latitude + height, west: corner.longitude, width: width)
            let longitude = (corner.longitude + .random(in: 0...min(width, 360), using: &generator)).remainder(
                dividingBy: 360)
            let within = Coordinate(
                latitude: corner.latitude + .random(in: 0...height, using: &generator), longitude: longitude)
            #expect(within.map { box.distance(to: ECEFBox.floatPosition(of: $0)) } == 0)
        }
    }

    @Test func `a line query finds every box that the line passes`() {
        var generator = SeededGenerator(8)
        let center = generator.place()
        let boxes = (0..<500).map { _ in
            ECEFBox(
                around: generator.place(within: 20_000, of: center), radius: .random(in: 10...500, using: &generator))
        }
        var tree = BoxTree()
        tree.insert(boxes.enumerated().map { (slot: Int32($0.offset), box: $0.element) })
        for _ in 0..<50 {
            let (start, end) = (
                generator.place(within: 20_000, of: center), generator.place(within: 20_000, of: center)
            )
            var found = Set<Int32>()
            tree.forEachBox(
                within: 50,
                of: ECEFSegment(from: ECEFBox.floatPosition(of: start), to: ECEFBox.floatPosition(of: end))
            ) { found.insert($0) }
            let (a, b) = (ECEFBox.floatPosition(of: start), ECEFBox.floatPosition(of: end))
            for (slot, box) in boxes.enumerated() {
                let isNear = (0...200).contains { box.distance(to: a + (b - a) * (Float($0) / 200)) <= 50 }
                #expect(!isNear || found.contains(Int32(slot)))
            }
            #expect(found.count < 250)
        }
    }

    private func pow10(_ exponent: Double) -> Double {
        (0..<Int(exponent)).reduce(1.0) { sum, _ in sum * 10 } * (1 + 9 * (exponent - exponent.rounded(.down)))
    }
}

@Suite struct PriorityQueueTests {
    @Test func `the queue returns the earliest entries first`() {
        var generator = SeededGenerator(3)
        var queue = PriorityQueue<Int>()
        let keys = (0..<500).map { _ in Int.random(in: 0..<100, using: &generator) }
        for (slot, key) in keys.enumerated() { queue.push(Int32(slot), key: key) }
        queue.filter { $0.slot % 3 != 0 }
        var out: [Int] = []
        while let entry = queue.pop() { out.append(entry.key) }
        #expect(out == keys.enumerated().filter { $0.offset % 3 != 0 }.map(\.element).sorted())
    }
}
