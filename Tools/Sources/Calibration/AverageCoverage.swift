import Chronology
import Geodesy
import Positioning

/// The test of ``StationAverage``: how often the true place lies within the radius that an average
/// of some minutes states.
///
/// The true place of a recorded log is the median of the whole log, because none has a surveyed
/// one; windows overlap. An error that the whole log has in common stays hidden.
package struct AverageCoverage: Sendable {
    package let name: String
    /// The stated radii against the errors; an epoch is a window here.
    package let coverage: ClaimCoverage

    /// The lengths in seconds of the windows of recorded logs. A window has at most half of a log.
    private static let windows = [60.0, 120, 240, 480]
    /// The time from one window to the next.
    private static let shift = 10

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
}
