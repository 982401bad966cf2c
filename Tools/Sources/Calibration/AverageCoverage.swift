import Chronology
import Geodesy
import Glibc
import Positioning

/// The test of ``StationAverage``: how often the true place lies within the radius that an average
/// of some minutes or hours states.
///
/// The true place of a recorded log is the median of the whole log, because none has a surveyed
/// one; windows overlap. An error that the whole log has in common stays hidden. The model makes
/// such errors: four fifths of the radius with a time constant of two minutes, half of it with one
/// of four hours.
package struct AverageCoverage: Sendable {
    /// What was averaged.
    package let name: String
    /// The stated radii against the errors; an epoch is a window here.
    package let coverage: ClaimCoverage

    /// The lengths in seconds of the windows of recorded logs. A window has at most half of a log.
    private static let windows = [60.0, 120, 240, 480]
    /// The time from one window to the next.
    private static let shift = 10
    /// The hours that the model is averaged, with the seconds from one fix to the next.
    private static let simulations = [(hours: 0.25, interval: 2.0), (1, 5), (6, 20), (24, 30)]
    private static let runs = 100
    /// The 68 % radius of one fix of the model in metres.
    private static let radius = 4.0

    /// Returns the windows of all recorded logs by their length, and all of them.
    static func recorded(_ logs: [[Fix]]) -> [AverageCoverage] {
        var pool = ClaimCoverage()
        var rows = windows.map { length in
            var coverage = ClaimCoverage()
            for fixes in logs { count(fixes, length: length, in: &coverage) }
            pool.add(coverage)
            return AverageCoverage(name: "recorded, \(Int(length)) s", coverage: coverage)
        }
        rows.append(AverageCoverage(name: "recorded, all windows", coverage: pool))
        return rows
    }

    private static func count(_ fixes: [Fix], length: Double, in coverage: inout ClaimCoverage) {
        let timed = fixes.compactMap { fix in fix.time.map { (seconds: Double($0.milliseconds) / 1000, fix: fix) } }
        guard let first = timed.first, let last = timed.last, last.seconds - first.seconds >= 2 * length,
            let origin = first.fix.coordinate
        else { return }
        let plane = LocalPlane(origin: origin)
        let places = timed.compactMap { $0.fix.coordinate.map { plane.offset(of: $0) } }
        guard let east = places.map(\.east).quantile(0.5), let north = places.map(\.north).quantile(0.5) else { return }
        let truth = plane.coordinate(at: LocalPlane.Offset(east: east, north: north))
        for start in stride(from: 0, to: timed.count, by: shift) {
            guard timed[start].seconds + length <= last.seconds else { return }
            var average = StationAverage()
            for (seconds, fix) in timed[start...].prefix(while: { $0.seconds <= timed[start].seconds + length }) {
                average.add(fix, at: seconds)
            }
            add(average, truth: truth, to: &coverage)
        }
    }

    private static func add(_ average: StationAverage, truth: Coordinate, to coverage: inout ClaimCoverage) {
        guard let result = average.result else { return }
        let radius = result.horizontalAccuracy
        coverage.add(
            result.coordinate.distance(to: truth), claim: radius, wide: radius * AccuracyClaims.r68ToR95)
    }

    /// Returns the averages of a model with known errors.
    static func modelled() -> [AverageCoverage] {
        guard let truth = Coordinate(latitude: 47, longitude: 8) else { return [] }
        var noise = GaussianNoise()
        return simulations.map { hours, interval in
            var coverage = ClaimCoverage()
            for _ in 0..<runs {
                var average = StationAverage()
                var errors = (0..<4).map { _ in noise.next() }
                for step in 0..<Int(hours * 3600 / interval) {
                    for index in errors.indices {
                        let kept = exp(-interval / (index < 2 ? 120 : 4 * 3600))
                        errors[index] = kept * errors[index] + (1 - kept * kept).squareRoot() * noise.next()
                    }
                    // The radius of 68 % is 1.51 standard deviations of an axis.
                    let scale = radius / 1.51
                    let place = LocalPlane.Offset(
                        east: scale * (0.8 * errors[0] + 0.5 * errors[2]),
                        north: scale * (0.8 * errors[1] + 0.5 * errors[3]))
                    var fix = Fix(mode: .threeD, quality: .autonomous)
                    fix.coordinate = LocalPlane(origin: truth).coordinate(at: place)
                    fix.horizontalAccuracy = radius
                    average.add(fix, at: Double(step) * interval)
                }
                add(average, truth: truth, to: &coverage)
            }
            return AverageCoverage(name: "model, \(hours) h", coverage: coverage)
        }
    }
}

/// Normally distributed numbers, equal on every machine: the minimal standard generator (S. Park
/// and K. Miller, CACM 1988) with the method of Box and Muller.
private struct GaussianNoise {
    private var state: UInt64 = 20_261_127

    private mutating func uniform() -> Double {
        state = state * 48_271 % 2_147_483_647
        return Double(state) / 2_147_483_647
    }

    mutating func next() -> Double { (-2 * log(uniform())).squareRoot() * cos(2 * .pi * uniform()) }
}
