import Testing

@testable import Geofencing

@Suite struct InsideProbabilityTests {
    /// Integrates the density of the distance, x exp(-(x x + a a) / 2) I0(a x), by Simpson's rule
    /// with I0 from its power series.
    @Test(arguments: [0.0, 0.5, 1, 2, 4, 7], [0.3, 1, 1.515, 3, 6])
    func `Marcum Q matches its integral`(a: Double, b: Double) {
        func bessel(_ x: Double) -> Double {
            var (term, sum) = (1.0, 1.0)
            for k in 1...200 {
                term *= x * x / 4 / Double(k * k)
                sum += term
            }
            return sum
        }
        func density(_ x: Double) -> Double { x * power(-(x * x + a * a) / 2) * bessel(a * x) }
        let steps = 2000
        let width = b / Double(steps)
        let sum = (0...steps).reduce(0.0) { sum, n in
            sum + density(Double(n) * width) * (n == 0 || n == steps ? 1 : n % 2 == 1 ? 4 : 2)
        }
        #expect(abs(InsideProbability.marcumQ(a, b) - (1 - sum * width / 3)) < 1e-6)
    }

    private func power(_ x: Double) -> Double {
        let small = x / 1024
        var value = 1 + small * (1 + small / 2 * (1 + small / 3 * (1 + small / 4)))
        for _ in 0..<10 { value *= value }
        return value
    }

    @Test func `the accuracy radius contains 68 % of the probability`() {
        #expect(abs(InsideProbability.probability(distance: 5, radius: 5, circleRadius: 5) - 0.6827) < 0.001)
    }

    @Test func `a wide circle is close to a straight edge`() {
        for distance in [-8.0, -2, 0, 3, 9] {
            let (round, straight) = (
                InsideProbability.probability(distance: distance, radius: 5, circleRadius: 32.9),
                InsideProbability.probability(distance: distance, radius: 5, circleRadius: nil)
            )
            #expect(abs(round - straight) < 0.025)
        }
        #expect(InsideProbability.probability(distance: -1e9, radius: 5, circleRadius: 20) == 0)
        #expect(InsideProbability.probability(distance: 1e9, radius: 0, circleRadius: nil) == 1)
    }
}
