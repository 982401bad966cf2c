import Chronology
import Geodesy
import Glibc

/// The average of a receiver's positions at one place, with its own 68 % radius.
///
/// Errors of successive fixes are not independent, so the radius does not fall with the root of
/// their number. Its fast part comes from the spread of the means of blocks: their length is
/// doubled as long as at least eight remain, and the greatest result counts. Its slow part is that
/// of a model, because errors that last for hours, such as those of the ionosphere, show in no
/// block. Only time that fixes cover counts, and not time in which a receiver holds its position.
/// `docs/accuracy.md`, section 9.
public struct StationAverage: Sendable {
    /// Why the radius of an average is not to be relied on.
    public enum Doubt: String, Sendable {
        /// A part of the positions is elsewhere: the device, or its antenna, was moved.
        case moved
        /// The receiver held its position for half of the time, which hides its errors.
        case held
        /// The fixes cover less than 12 h: errors that last for hours are only assumed.
        case short
        /// Longer blocks still show more spread.
        case unsettled
    }

    /// The average of some fixes.
    public struct Result: Sendable, Equatable {
        /// The weighted mean of the positions.
        public var coordinate: Coordinate
        /// The 68 % radius of ``coordinate`` in metres.
        public var horizontalAccuracy: Double
        /// The median altitude in metres above mean sea level of ``Geoid``; nil without any.
        public var altitude: Double?
        /// The number of fixes that were averaged; those of a held position count once.
        public var count: Int
        /// The number of fixes that were left out because they are far from the others.
        public var outliers: Int
        /// The time that the fixes cover: all intervals of at most 60 s.
        public var duration: Instant.Span
        /// The radius in metres around the mean that contains 68 % of the fixes.
        public var scatter: Double
        /// The length of the blocks whose spread counts; nil if there were fewer than eight.
        public var blockLength: Instant.Span?
        /// Why the radius is not to be relied on; nil if it is.
        public var doubt: Doubt?
        /// The time, as passed with the fix, of the first of the positions that are elsewhere.
        public var movedAt: Double?
    }

    /// The least number of fixes.
    public static let minCount = 60
    /// The least time that the fixes cover.
    public static let minDuration = Instant.Span.seconds(60)

    /// The shortest blocks in seconds, and the least number of blocks.
    private static let firstBlock = 30.0
    private static let minBlocks = 8
    /// Half of the radius is an error that lasts for hours: assumed are 12, after which satellites
    /// have gone through half of their daily pattern. The other part is that of
    /// ``StationaryPlace/averaged(_:over:)``.
    private static let fastTime = 120.0
    private static let slowTime = 12 * 3600.0
    /// The least radius in metres of an average of code ranges: errors that last for days.
    private static let minRadius = 0.5
    /// Outliers are farther away than this multiple of the median distance, and than a metre.
    private static let outlierFactor = 5.0
    /// The least share of outliers, and the least number of them in a row, of a moved device.
    private static let movedShare = 0.05
    /// The least distance in metres between the first and the last quarter of a moved device.
    private static let movedDistance = 10.0
    /// The least time in seconds in which satellites show most of their daily pattern.
    private static let longEnough = 12 * 3600.0
    /// The least time in seconds from one fix to the next: faster receivers need no more memory.
    private static let minInterval = 0.9
    /// The greatest interval in seconds that counts as covered, and the longest time of equal
    /// positions of a receiver that does not hold them.
    private static let maxInterval = 60.0

    private struct Sample {
        var time: Double
        var place: LocalPlane.Offset
        var radius: Double
        var altitude: Double?

        var weight: Double { 1 / max(radius * radius, 0.01) }
    }

    private var origin: Coordinate?
    private var samples: [Sample] = []
    /// The ellipsoidal altitudes differ from the others by the geoid of the receiver.
    private var isEllipsoidal = false
    private var newest: (coordinate: Coordinate, time: Double)?
    /// The first sample of equal positions, and its time.
    private var run = (first: 0, began: 0.0)
    /// The seconds that fixes cover, and those of them in which the position was held.
    private var covered = 0.0
    private var held = 0.0

    /// Creates an average without fixes.
    public init() {}

    /// The number of fixes so far, of at most about one per second.
    public private(set) var count = 0

    /// Adds a fix. Ignores one without a position from satellites, and one that is not 0.9 s later
    /// than the fix before. Returns whether it counts.
    ///
    /// - Parameter seconds: Its time since any moment.
    @discardableResult
    public mutating func add(_ fix: Fix, at seconds: Double) -> Bool {
        guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy, radius.isFinite, radius > 0,
            seconds.isFinite, newest.map({ seconds - $0.time >= StationAverage.minInterval }) ?? true
        else { return false }
        switch fix.quality {
        case .none, .estimated, .manual, .simulated, .unknown: return false
        case .autonomous, .differential, .precise, .rtkFixed, .rtkFloat: break
        }
        let center = origin ?? coordinate
        origin = center
        count += 1
        let interval = newest.map { seconds - $0.time } ?? .infinity
        if interval <= StationAverage.maxInterval { covered += interval }
        if newest?.coordinate != coordinate || interval > StationAverage.maxInterval {
            run = (samples.count, seconds)
        }
        newest = (coordinate, seconds)
        if seconds - run.began > StationAverage.maxInterval {
            // The first fix that is held too long turns the whole run into one sample.
            held += samples.count > run.first + 1 ? seconds - run.began : interval
            samples.removeSubrange((run.first + 1)...)
            return true
        }
        if fix.ellipsoidalAltitude != nil, !isEllipsoidal {
            isEllipsoidal = true
            for index in samples.indices { samples[index].altitude = nil }
        }
        let altitude = isEllipsoidal ? fix.ellipsoidalAltitude : fix.altitude
        samples.append(
            Sample(time: seconds, place: center.offset(of: coordinate), radius: radius, altitude: altitude))
        return true
    }

    /// The average; nil while there are too few fixes.
    public var result: Result? {
        guard let origin, count >= StationAverage.minCount, covered >= StationAverage.minDuration.seconds
        else { return nil }
        let isUsed = areUsed
        let used = zip(samples, isUsed).filter(\.1).map(\.0)
        guard let single = used.map(\.radius).median else { return nil }
        let mean = StationAverage.mean(used[...])
        let distances = used.map { StationAverage.distance($0.place, mean) }.sorted()
        let scatter = distances[distances.count * 68 / 100]
        var result = Result(
            coordinate: origin.moved(by: mean.length, bearing: mean.bearing), horizontalAccuracy: 0,
            altitude: used.compactMap(\.altitude).median, count: used.count, outliers: samples.count - used.count,
            duration: .seconds(covered), scatter: scatter)
        let geoid = isEllipsoidal ? Geoid.separation(at: result.coordinate) : 0
        result.altitude = result.altitude.map { $0 - geoid }
        let spread = StationAverage.spread(of: used, over: covered - held, into: &result)
        let isHeld = held * 2 > covered
        result.horizontalAccuracy =
            isHeld ? max(single, scatter) : radius(single: max(single, scatter), spread: spread)
        result.movedAt = movedAt(isUsed, single: single)
        if covered - held < StationAverage.longEnough { result.doubt = .short }
        if isHeld { result.doubt = .held }
        if result.movedAt != nil { result.doubt = .moved }
        return result
    }

    /// Combines the spread of blocks with the model. Repetitions of one position are no average.
    private func radius(single: Double, spread: Double) -> Double {
        let seconds = covered - held
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

    private static func middle(of samples: some Sequence<Sample>) -> LocalPlane.Offset? {
        guard let east = samples.map(\.place.east).median, let north = samples.map(\.place.north).median
        else { return nil }
        return LocalPlane.Offset(east: east, north: north)
    }

    /// Whether each sample is used: it is not far from the others.
    private var areUsed: [Bool] {
        guard let middle = StationAverage.middle(of: samples) else { return [] }
        let distances = samples.map { StationAverage.distance($0.place, middle) }
        let limit = max((distances.median ?? 0) * StationAverage.outlierFactor, 1)
        return distances.map { $0 <= limit }
    }

    /// When the device was moved: many positions, or many in a row, are left out, or the first and
    /// the last quarter are apart. Nil if it was not.
    private func movedAt(_ isUsed: [Bool], single: Double) -> Double? {
        var longest = 0..<0
        var first: Int?
        for index in isUsed.indices {
            first = isUsed[index] ? nil : first ?? index
            if let first, index + 1 - first > longest.count { longest = first..<index + 1 }
        }
        let outliers = isUsed.count { !$0 }
        if longest.count >= StationAverage.minCount
            || Double(outliers) > StationAverage.movedShare * Double(samples.count)
        {
            return samples[longest.lowerBound].time
        }
        let quarter = samples.count / 4
        guard let begin = StationAverage.middle(of: samples.prefix(quarter)),
            let end = StationAverage.middle(of: samples.suffix(quarter)),
            StationAverage.distance(begin, end) > max(3 * single, StationAverage.movedDistance)
        else { return nil }
        let early = samples.count {
            StationAverage.distance($0.place, begin) < StationAverage.distance($0.place, end)
        }
        return samples[min(early, samples.count - 1)].time
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
    private static func spread(
        of samples: [Sample], over duration: Double, into result: inout Result
    ) -> Double {
        var greatest = 0.0
        var latest: [Double] = []
        var length = firstBlock
        while length * Double(minBlocks) <= duration + 1 {
            let means = blockMeans(of: samples, length: length, duration: duration)
            if means.count >= minBlocks {
                let radius = radius(ofMean: means)
                latest.append(radius)
                if radius > greatest {
                    greatest = radius
                    result.blockLength = .seconds(length)
                }
            }
            length *= 2
        }
        let isSettled = latest.count > 1 && latest[latest.count - 1] <= 1.2 * latest[latest.count - 2]
        if !isSettled { result.doubt = .unsettled }
        return greatest
    }

    /// Returns the means of the whole blocks that are at least half full.
    private static func blockMeans(of samples: [Sample], length: Double, duration: Double) -> [LocalPlane.Offset] {
        guard let first = samples.first?.time, let last = samples.last?.time else { return [] }
        let expected = Double(samples.count) / max(duration, 1) * length
        var means: [LocalPlane.Offset] = []
        var start = samples.startIndex
        while start < samples.endIndex {
            let number = ((samples[start].time - first) / length).rounded(.down)
            let limit = first + (number + 1) * length
            var end = start + 1
            while end < samples.endIndex, samples[end].time < limit { end += 1 }
            if Double(end - start) >= expected / 2, limit <= last + 1 { means.append(mean(samples[start..<end])) }
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
