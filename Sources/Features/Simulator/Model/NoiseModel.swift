import Chronology

/// The slowly varying error of a position: a first-order Gauss-Markov process along each axis.
package struct NoiseModel: Sendable {
    /// Standard deviation along each horizontal axis, metres.
    package let sigma: Double
    /// The current error towards the east, metres.
    package private(set) var east: Double
    /// The current error towards the north, metres.
    package private(set) var north: Double
    /// The current vertical error, metres. Its standard deviation is 1.5 times the horizontal one.
    package private(set) var up: Double
    private var random: RandomSource

    /// Correlation time in seconds, after which the error has lost 63 % of its initial value. It is
    /// the time scale of multipath and ionospheric errors under a fixed sky.
    package static let correlationTime = 120.0

    /// Creates a process in its steady state.
    ///
    /// - Parameters:
    ///   - sigma: Standard deviation in metres, 0 or more; 0 means no error.
    ///   - seed: Random seed; equal seeds give equal errors.
    package init(sigma: Double, seed: UInt64) {
        self.sigma = max(sigma, 0)
        random = RandomSource(seed: seed, purpose: 1)
        east = random.normal() * self.sigma
        north = random.normal() * self.sigma
        up = random.normal() * self.sigma * 1.5
    }

    /// Advances the process in time.
    package mutating func advance(_ span: Instant.Span) {
        let decay = exponentialDecay(span.seconds / NoiseModel.correlationTime)
        let innovation = (1 - decay * decay).squareRoot() * sigma
        east = east * decay + random.normal() * innovation
        north = north * decay + random.normal() * innovation
        up = up * decay + random.normal() * innovation * 1.5
    }

    /// Returns a random speed error in m/s. Carrier phase is two orders of magnitude more accurate
    /// than range.
    package mutating func speedError() -> Double {
        random.normal() * min(sigma, 3) * 0.02
    }
}

/// Returns exp(-x) for x >= 0. It uses only basic arithmetic, so the result is the same on every
/// machine. The relative error is below 1e-12 up to 50.
func exponentialDecay(_ x: Double) -> Double {
    guard x < 50 else { return 0 }
    let small = max(x, 0) / 64
    let series = (1...10).reversed().reduce(1.0) { sum, n in 1 - small / Double(n) * sum }
    return (0..<6).reduce(series) { power, _ in power * power }
}
