import Chronology
import Geodesy
import Glibc

/// The average of a receiver's positions at one place, with its own 68 % radius.
///
/// Errors of successive fixes are not independent, so the radius does not fall with the root of
/// their number. Its fast part comes from the spread of the means of blocks: their length is
/// doubled as long as at least eight remain, and the greatest result counts. Its slow part is that
/// of a model, because errors that last for hours, such as those of the ionosphere, show in no
/// block. `docs/accuracy.md`, section 9.
public struct StationAverage: Sendable {
    /// The average of some fixes.
    public struct Result: Sendable, Equatable {
        /// The weighted mean of the positions.
        public var coordinate: Coordinate
        /// The 68 % radius of ``coordinate`` in metres.
        public var horizontalAccuracy: Double
        /// The median of the altitudes in metres above mean sea level; nil without any.
        public var altitude: Double?
        /// The number of fixes that were averaged.
        public var count: Int
        /// The number of fixes that were left out because they are far from the others.
        public var outliers: Int
        /// The time from the first to the last fix.
        public var duration: Instant.Span
        /// The radius in metres around the mean that contains 68 % of the fixes.
        public var scatter: Double
        /// The length of the blocks whose spread counts; nil if there were fewer than eight.
        public var blockLength: Instant.Span?
        /// The number of such blocks.
        public var blocks = 0
        /// Whether longer blocks would no longer show more spread, and the satellites went through
        /// half of their daily pattern.
        public var isLongEnough = false
    }

    /// The least number of fixes.
    public static let minCount = 60
    /// The least time from the first fix to the last.
    public static let minDuration = Instant.Span.seconds(60)

    /// The shortest blocks in seconds, and the least number of blocks.
    private static let firstBlock = 30.0
    private static let minBlocks = 8
    /// Half of the radius is an error that lasts for hours: the satellites move to other places
    /// of the sky within about four. The other part is that of
    /// ``StationaryPlace/averaged(_:over:)``.
    private static let fastTime = 120.0
    private static let slowTime = 4 * 3600.0
    /// The least radius in metres of an average of code ranges: errors that last for days.
    private static let minRadius = 0.5
    /// Outliers are farther away than this multiple of the median distance, and than a metre.
    private static let outlierFactor = 5.0
    /// The least time in seconds in which satellites show most of their daily pattern.
    private static let longEnough = 12 * 3600.0

    private struct Sample {
        var time: Double
        var place: LocalPlane.Offset
        var radius: Double
        var altitude: Double?

        var weight: Double { 1 / max(radius * radius, 0.01) }
    }

    private var origin: Coordinate?
    private var samples: [Sample] = []
    private var last: Fix?
    private var changes = 0

    /// Creates an average without fixes.
    public init() {}

    /// The number of fixes so far.
    public var count: Int { samples.count }

    /// Adds a fix. Ignores one without a position or from satellites, and one that is not later
    /// than the fix before.
    ///
    /// - Parameter seconds: Its time since any moment.
    public mutating func add(_ fix: Fix, at seconds: Double) {
        guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy, radius.isFinite, radius > 0,
            seconds.isFinite, samples.last.map({ $0.time < seconds }) ?? true
        else { return }
        switch fix.quality {
        case .none, .estimated, .manual, .simulated, .unknown: return
        case .autonomous, .differential, .precise, .rtkFixed, .rtkFloat: break
        }
        let center = origin ?? coordinate
        origin = center
        if last?.coordinate != coordinate { changes += 1 }
        last = fix
        samples.append(
            Sample(time: seconds, place: center.offset(of: coordinate), radius: radius, altitude: fix.altitude))
    }

    /// The average; nil while there are too few fixes.
    public var result: Result? {
        guard let origin, samples.count >= StationAverage.minCount else { return nil }
        let used = withoutOutliers
        guard let first = used.first?.time, let last = used.last?.time, let single = used.map(\.radius).median,
            last - first >= StationAverage.minDuration.seconds
        else { return nil }
        let mean = StationAverage.mean(used[...])
        let distances = used.map { StationAverage.distance($0.place, mean) }.sorted()
        let scatter = distances[distances.count * 68 / 100]
        var result = Result(
            coordinate: origin.moved(by: mean.length, bearing: mean.bearing), horizontalAccuracy: 0,
            altitude: used.compactMap(\.altitude).median, count: used.count, outliers: samples.count - used.count,
            duration: .seconds(last - first), scatter: scatter)
        let spread = StationAverage.spread(of: used, into: &result)
        result.horizontalAccuracy = radius(of: result, single: max(single, scatter), spread: spread)
        return result
    }

    /// Combines the spread of blocks with the model. Repetitions of one position are no average.
    private func radius(of result: Result, single: Double, spread: Double) -> Double {
        guard changes * 20 > samples.count else { return single }
        let seconds = result.duration.seconds
        let fast = 0.8 * single * StationAverage.remainder(seconds / StationAverage.fastTime)
        let slow = 0.5 * single * StationAverage.remainder(seconds / StationAverage.slowTime)
        let both = max(fast, spread) * max(fast, spread) + slow * slow
        return max(both.squareRoot(), min(single, StationAverage.minRadius))
    }

    /// Returns the share of an error that averaging leaves, for a first-order Gauss-Markov process
    /// and a time that is `ratio` times its time constant.
    private static func remainder(_ ratio: Double) -> Double {
        ratio < 1e-3 ? 1 : (2 / ratio * (1 - (1 - exp(-ratio)) / ratio)).squareRoot()
    }

    private var withoutOutliers: [Sample] {
        guard let east = samples.map(\.place.east).median, let north = samples.map(\.place.north).median
        else { return [] }
        let middle = LocalPlane.Offset(east: east, north: north)
        let distances = samples.map { StationAverage.distance($0.place, middle) }
        let limit = max((distances.median ?? 0) * StationAverage.outlierFactor, 1)
        return zip(samples, distances).filter { $1 <= limit }.map(\.0)
    }

    private static func distance(_ a: LocalPlane.Offset, _ b: LocalPlane.Offset) -> Double {
        LocalPlane.Offset(east: a.east - b.east, north: a.north - b.north).length
    }

    private static func mean(_ samples: ArraySlice<Sample>) -> LocalPlane.Offset {
        let total = samples.reduce(0) { $0 + $1.weight }
        let east = samples.reduce(0) { $0 + $1.weight * $1.place.east }
        let north = samples.reduce(0) { $0 + $1.weight * $1.place.north }
        return LocalPlane.Offset(east: east / total, north: north / total)
    }

    /// Returns the 68 % radius of the mean from the spread of blocks, 0 with fewer than eight.
    private static func spread(of samples: [Sample], into result: inout Result) -> Double {
        var greatest = 0.0
        var latest: [Double] = []
        var length = firstBlock
        let duration = result.duration.seconds
        while length * Double(minBlocks) <= duration + 1 {
            let means = blockMeans(of: samples, length: length, duration: duration)
            if means.count >= minBlocks {
                let radius = radius(ofMean: means)
                latest.append(radius)
                if radius > greatest {
                    greatest = radius
                    (result.blockLength, result.blocks) = (.seconds(length), means.count)
                }
            }
            length *= 2
        }
        let isSettled = latest.count > 1 && latest[latest.count - 1] <= 1.2 * latest[latest.count - 2]
        result.isLongEnough = isSettled && duration >= longEnough
        return greatest
    }

    /// Returns the means of the whole blocks that are at least half full.
    private static func blockMeans(of samples: [Sample], length: Double, duration: Double) -> [LocalPlane.Offset] {
        guard let first = samples.first?.time else { return [] }
        let expected = Double(samples.count) / max(duration, 1) * length
        var means: [LocalPlane.Offset] = []
        var start = samples.startIndex
        for number in 1...max(1, Int(duration / length)) {
            var end = start
            while end < samples.endIndex, samples[end].time - first < Double(number) * length { end += 1 }
            if Double(end - start) >= expected / 2, end > start { means.append(mean(samples[start..<end])) }
            start = end
        }
        return means
    }

    /// Returns the 68 % radius of the mean of independent means. Few of them underestimate their
    /// spread: the factor is that of Student's distribution.
    private static func radius(ofMean means: [LocalPlane.Offset]) -> Double {
        let count = Double(means.count)
        let east = means.reduce(0) { $0 + $1.east } / count
        let north = means.reduce(0) { $0 + $1.north } / count
        let squares = means.reduce(0) { sum, place in
            let distance = distance(place, LocalPlane.Offset(east: east, north: north))
            return sum + distance * distance
        }
        return (squares / (count - 1) / count).squareRoot() * 1.07 * (1 + 0.5 / (count - 1))
    }
}
