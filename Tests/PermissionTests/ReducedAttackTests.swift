import Geodesy
import Testing

@testable import Permission

/// Attempts to find a home from the answers of 30 days, without a position of the device.
///
/// Homes of 200 persons, each with a secret of its own. A guess finds a home within 1 km.
@Suite struct ReducedAttackTests {
    private static let observations: [(seen: ReducedObservation, grid: ReducedGrid)] = {
        var random = ReducedRandom(state: 13)
        return (0..<200).compactMap { _ in
            let home = Coordinate(
                latitude: .random(in: -65...65, using: &random), longitude: .random(in: -180...180, using: &random))
            guard let home, let secret = try? random.secret() else { return nil }
            let grid = ReducedGrid(secret: secret)
            let life = ReducedLife(home: home, random: &random)
            return (ReducedObservation(life: life, grid: grid, random: &random), grid)
        }
    }()

    /// Homes up to 25 m from a boundary, many of them near a corner.
    private static let boundaryObservations: [(seen: ReducedObservation, grid: ReducedGrid)] = {
        var random = ReducedRandom(state: 14)
        return (0..<60).compactMap { _ in
            let somewhere = Coordinate(
                latitude: .random(in: -65...65, using: &random), longitude: .random(in: -180...180, using: &random))
            guard let somewhere, let secret = try? random.secret() else { return nil }
            let grid = ReducedGrid(secret: secret)
            guard let box = grid.area(of: somewhere)?.box,
                let corner = Coordinate(
                    latitude: Bool.random(using: &random) ? box.north : somewhere.latitude,
                    longitude: Bool.random(using: &random) ? box.west : somewhere.longitude)
            else { return nil }
            let home = corner.moved(
                by: .random(in: 0...25, using: &random), bearing: .random(in: 0...360, using: &random))
            let life = ReducedLife(home: home, random: &random)
            return (ReducedObservation(life: life, grid: grid, random: &random), grid)
        }
    }()

    /// The share of an area that a circle with a radius of 1 km covers: what a guess finds if the
    /// area is known.
    private static let blindShare = Double.pi / 25

    /// How many homes a guess finds.
    private func found(
        of observations: [(seen: ReducedObservation, grid: ReducedGrid)] = observations,
        _ guess: (ReducedObservation) -> LocalPlane.Offset?
    ) -> Int {
        observations.count { observation in guess(observation.seen).map { $0.length <= 1000 } ?? false }
    }

    /// Whether answers of nights differ by more than the drift.
    private func hasTwoAnswers(_ seen: ReducedObservation) -> Bool {
        guard let first = seen.nights.first else { return false }
        return seen.nights.contains { abs($0.east - first.east) + abs($0.north - first.north) > 500 }
    }

    @Test func `every person is observed for the whole month`() {
        #expect(ReducedAttackTests.observations.count == 200)
        for (seen, _) in ReducedAttackTests.observations {
            #expect(seen.answers.count > 2800)
            #expect(seen.nights.count > 900)
            #expect(Set(seen.answers.map(\.point)).count > 2)
        }
    }

    @Test func `no estimate of a home by averaging is within 1 km`() {
        for homes in [ReducedAttackTests.observations, ReducedAttackTests.boundaryObservations] {
            #expect(found(of: homes) { mean($0.nights) } == 0)
            #expect(found(of: homes) { median($0.nights) } == 0)
            #expect(found(of: homes) { mode($0.nights).first } == 0)
            #expect(found(of: homes) { mean(Array(Set($0.nights))) } == 0)
            #expect(found(of: homes) { median($0.answers.map(\.point)) } == 0)
            #expect(found(of: homes) { mode($0.answers.map(\.point)).first } == 0)
        }
    }

    @Test func `few homes have two answers, and those near a boundary do`() {
        #expect(ReducedAttackTests.observations.count { hasTwoAnswers($0.seen) } <= 8)
        #expect(ReducedAttackTests.boundaryObservations.count { hasTwoAnswers($0.seen) } > 15)
    }

    /// The mean of a whole month is no estimate of a home, but of a point between all places. Each
    /// answer is displaced in the same direction, and so is the mean.
    @Test func `no mean of answers is within 1 km of the mean of the positions`() {
        for (seen, grid) in ReducedAttackTests.observations {
            let direction = LocalPlane.Offset(distance: 1, bearing: grid.bearing)
            let mean = mean(seen.answers.map(\.point))
            let (east, north) = (mean.east - seen.meanPosition.east, mean.north - seen.meanPosition.north)
            #expect(east * direction.east + north * direction.north > 1000)
        }
    }

    /// Guesses that combine answers are near a home by chance only, and less often than a guess
    /// within a known area.
    @Test func `corners and midpoints find fewer homes than a guess within an area`() {
        var random = ReducedRandom(state: 5)
        let guesses: [(name: String, guess: (ReducedObservation) -> LocalPlane.Offset?)] = [
            ("mean of all answers", { mean($0.answers.map(\.point)) }),
            ("mean of distinct answers", { mean(Array(Set($0.answers.map(\.point)))) }),
            ("midpoint of the most frequent answers", { mean(Array(mode($0.answers.map(\.point)).prefix(2))) }),
            ("midpoint of the answer at home and its most frequent neighbor", { self.boundary(of: $0) }),
            (
                "a corner of the cell of the answer at home",
                {
                    let corner = [-2500.0, 2500]
                    return mode($0.nights).first.map { home in
                        LocalPlane.Offset(
                            east: home.east + (corner.randomElement(using: &random) ?? 0),
                            north: home.north + (corner.randomElement(using: &random) ?? 0))
                    }
                }
            ),
            (
                "one of the four centers",
                { self.displaced($0, by: 4000, bearing: 90 * .random(in: 0...3, using: &random)) }
            ),
            ("the best point without the direction", { self.displaced($0, by: 2830, bearing: 45) }),
        ]
        for (name, guess) in guesses {
            let count = found(guess)
            #expect(Double(count) < 200 * ReducedAttackTests.blindShare, "\(name)")
        }
    }

    /// Programs that know where the device was for a while know the direction. They find no more
    /// homes than in a grid that reports its centers, and no averaging improves that.
    @Test func `with the direction known, the area of a home remains`() {
        let count = ReducedAttackTests.observations.count { seen, grid in
            displaced(seen, by: -4000, bearing: grid.bearing).map { $0.length <= 1000 } ?? false
        }
        // 25 expected; three standard deviations are 14.
        #expect(Double(count) < 200 * ReducedAttackTests.blindShare + 14)
    }

    /// The middle between the most frequent answer and the answer that is most often next to it in
    /// time.
    private func boundary(of seen: ReducedObservation) -> LocalPlane.Offset? {
        let points = seen.answers.map(\.point)
        guard let home = mode(points).first else { return nil }
        let neighbors = zip(points, points.dropFirst()).compactMap { first, second in
            first == home && second != home ? second : second == home && first != home ? first : nil
        }
        return mode(neighbors.filter { abs($0.east - home.east) + abs($0.north - home.north) > 500 }).first.map {
            mean([home, $0])
        }
    }

    private func displaced(_ seen: ReducedObservation, by distance: Double, bearing: Double) -> LocalPlane.Offset? {
        let move = LocalPlane.Offset(distance: distance, bearing: bearing)
        return mode(seen.nights).first.map {
            LocalPlane.Offset(east: $0.east + move.east, north: $0.north + move.north)
        }
    }
}

private func mean(_ points: [LocalPlane.Offset]) -> LocalPlane.Offset {
    let count = Double(max(points.count, 1))
    return LocalPlane.Offset(
        east: points.reduce(0) { $0 + $1.east } / count, north: points.reduce(0) { $0 + $1.north } / count)
}

private func median(_ points: [LocalPlane.Offset]) -> LocalPlane.Offset? {
    guard !points.isEmpty else { return nil }
    return LocalPlane.Offset(
        east: points.map(\.east).sorted()[points.count / 2], north: points.map(\.north).sorted()[points.count / 2])
}

/// The different points, the most frequent ones first.
private func mode(_ points: [LocalPlane.Offset]) -> [LocalPlane.Offset] {
    Dictionary(points.map { ($0, 1) }, uniquingKeysWith: +)
        .sorted { ($1.value, $0.key.east, $0.key.north) < ($0.value, $1.key.east, $1.key.north) }
        .map(\.key)
}
