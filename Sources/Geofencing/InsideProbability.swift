import Geodesy
import Glibc

/// The probability that a device is inside, of a position whose error is normal and the same in all directions.
enum InsideProbability {
    /// Of a circle with normal errors of one sigma an axis, 1.515 sigma hold 68.27 %: sqrt(-2 ln 0.3173).
    static let sigmasOfRadius = 1.515
    /// Circles of more sigmas than this have a straight edge.
    private static let straight = 10.0

    /// - Parameters:
    ///   - distance: Metres to the boundary, positive inside.
    ///   - radius: Metres; 68 % radius of the position.
    ///   - circle: Metres; the radius, where the shape is a circle.
    static func at(_ distance: Double, radius: Double, circle: Double?) -> Double {
        let sigma = max(radius, 0.01) / sigmasOfRadius
        guard let circle, circle < straight * sigma else { return normal(distance / sigma) }
        return 1 - marcumQ((circle - distance) / sigma, circle / sigma)
    }

    /// The normal distribution's cumulative function.
    static func normal(_ x: Double) -> Double { erfc(-x / 2.0.squareRoot()) / 2 }

    /// Marcum's Q of first order for `b` up to 10 or so: the probability that a point drawn about one at a distance `a` from the centre,
    /// with an error of 1 an axis, is farther than `b` from it.
    ///
    /// As a sum over a Poisson distribution of the squared distance (noncentral chi-square with two degrees of freedom; M. Abramowitz and
    /// I. Stegun, "Handbook of Mathematical Functions", 26.4.25).
    static func marcumQ(_ a: Double, _ b: Double) -> Double {
        guard a < b + 9 else { return 1 }
        let (x, y) = (a * a / 2, b * b / 2)
        var weight = exp(-x)
        // The k-th term of exp(-y) y^k / k!, and their sum up to k: the chance that a Poisson variable of mean y is k at most.
        var term = exp(-y)
        var tail = term
        var (sum, seen) = (0.0, 0.0)
        for k in 1...600 {
            sum += weight * tail
            seen += weight
            if seen > 1 - 1e-12 { break }
            weight *= x / Double(k)
            term *= y / Double(k)
            tail += term
        }
        return min(sum + max(1 - seen, 0), 1)
    }
}
