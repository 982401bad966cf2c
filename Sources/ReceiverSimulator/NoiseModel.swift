import Chronology

/// The slowly wandering error of a position: a first-order Gauss-Markov process along each axis.
public struct NoiseModel: Sendable {
    /// Standard deviation along each horizontal axis, metres.
    public let sigma: Double
    /// The error now, metres.
    public private(set) var east: Double
    /// See ``east``.
    public private(set) var north: Double
    /// Vertical error, half as large again.
    public private(set) var up: Double
    private var random: RandomSource

    /// Seconds after which the error has forgotten 63 % of itself: the time scale of multipath and ionosphere under a fixed sky.
    public static let correlationTime = 120.0

    /// A process that has been running for ever.
    ///
    /// - Parameters:
    ///   - sigma: Metres, 0 or more; 0 is a receiver without error.
    ///   - seed: Same seed, same errors.
    public init(sigma: Double, seed: UInt64) {
        self.sigma = max(sigma, 0)
        random = RandomSource(seed: seed, purpose: 1)
        east = random.normal() * self.sigma
        north = random.normal() * self.sigma
        up = random.normal() * self.sigma * 1.5
    }

    /// Lets time pass.
    public mutating func advance(_ span: Instant.Span) {
        let kept = exponentialDecay(span.seconds / NoiseModel.correlationTime)
        let fresh = (1 - kept * kept).squareRoot() * sigma
        east = east * kept + random.normal() * fresh
        north = north * kept + random.normal() * fresh
        up = up * kept + random.normal() * fresh * 1.5
    }

    /// The error of a speed, m/s: carrier phase is two orders better than range.
    public mutating func speedError() -> Double {
        random.normal() * min(sigma, 3) * 0.02
    }
}

/// exp(-x) for x >= 0 by arithmetic alone, hence the same on every machine; the relative error is below 1e-12 up to 50.
func exponentialDecay(_ x: Double) -> Double {
    guard x < 50 else { return 0 }
    let small = max(x, 0) / 64
    let series = (1...10).reversed().reduce(1.0) { sum, n in 1 - small / Double(n) * sum }
    return (0..<6).reduce(series) { power, _ in power * power }
}
