import Geodesy
import Places
import TestSupport
import Testing

/// The index of positions and the ranking of matches, compared with all positions and matches.
@Suite struct NearestTests {
    private static func point(_ random: inout SeededGenerator, around latitudes: ClosedRange<Double>) -> Coordinate? {
        Coordinate(
            latitude: (Double.random(in: latitudes, using: &random) * 1e5).rounded() / 1e5,
            longitude: (Double.random(in: -180...180, using: &random) * 1e5).rounded() / 1e5)
    }

    @Test(arguments: [-90.0 ... -89, -1...1, 60...61, 89...90])
    func `the candidates are the nearest hundred of all, at the poles and the antimeridian too`(
        latitudes: ClosedRange<Double>
    ) throws {
        var random = SeededGenerator(seed: 5)
        var all: [Coordinate] = []
        var text = ""
        while all.count < 5000 {
            guard let point = Self.point(&random, around: latitudes) else { continue }
            all.append(point)
            text += Samples.line(all.count, "P\(all.count)", point.latitude, point.longitude)
        }
        let imported = try Imported([text])
        let file = try PlacesFile(imported.folder)
        try file.check()
        for longitude in [-180.0, -179.999, 0, 90.5, 180] {
            let latitude = Double.random(in: latitudes, using: &random)
            let point = try #require(Coordinate(latitude: latitude, longitude: longitude))
            let expected = all.map { point.distance(to: $0) }.filter { $0 <= PointDescription.maxDistance }.sorted()
                .prefix(PointDescription.maxPlaces)
            let found = try file.nearest(to: point).map { point.distance(to: $0.coordinate) }
            // A sphere has almost the order of the ellipsoid, and 1 % more within its limit.
            #expect(found.count >= expected.count)
            let near = found.sorted().prefix(expected.count * 9 / 10)
            #expect(zip(near, expected).allSatisfy { abs($0 - $1) < 0.01 * $1 + 1 })
        }
    }

    @Test func `fewer places than a node, and one more than it, are all found`() throws {
        for count in [1, 50, 51, 52, 2601, 2602] {
            let text = (1...count).map { Samples.line($0, "P\($0)", Double($0) / 10_000, 0) }.joined()
            let imported = try Imported([text])
            let file = try PlacesFile(imported.folder)
            try file.check()
            let point = try #require(Coordinate(latitude: 0, longitude: 0))
            #expect(try file.nearest(to: point).map(\.name) == (1...min(count, 100)).map { "P\($0)" })
        }
    }

    @Test func `the best matches are those of a sorted list, each place once with its highest score`() throws {
        var random = SeededGenerator(seed: 6)
        let point = try #require(Coordinate(latitude: 0, longitude: 0))
        for limit in [0, 1, 7] {
            var best = BestMatches(limit: limit)
            var scores: [Int64: Double] = [:]
            for _ in 0..<200 {
                let number = Int64.random(in: 1...40, using: &random)
                let agreement: PlaceMatch.Agreement = Bool.random(using: &random) ? .name : .beginning
                let match = PlaceMatch(Place(name: "\(number)", coordinate: point, population: number * 37), agreement)
                best.add(match, number: number)
                scores[number] = max(scores[number] ?? 0, match.score)
            }
            #expect(best.matches.map(\.score) == Array(scores.values.sorted(by: >).prefix(limit)))
            #expect(limit == 0 || !best.excludes(.infinity) && best.excludes(best.matches.last?.score ?? 0))
        }
    }

    @Test(arguments: [("al", "Al"), ("Y", "Y"), ("ÅS", "Ås"), ("as", "Ås"), ("šar", "Šar")])
    func `a short name is found among many larger places whose names begin with it`(
        text: String, name: String
    ) throws {
        var lines = ""
        for number in 1...300 {
            let word = ["Al Town", "Ytown", "Åstown", "Šartown"][number % 4]
            lines += Samples.line(number, word, 50, Double(number) / 100, population: 9000 + number)
        }
        for (number, small) in [("Al", "Al"), ("Y", "Y"), ("Ås", "As"), ("Šar", "Sar")].enumerated() {
            lines += Samples.line(1000 + number, small.0, 51, 5, ascii: small.1, population: 300)
        }
        let found = try Imported([lines]).search(text)
        #expect(found.first?.name == name)
    }
}
