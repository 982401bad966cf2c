import Chronology
import Geodesy
import Positioning

/// A drive beside a reference: every error is known, but for the distance between the two antennas.
///
/// That is the same in the vehicle's frame all along. It is estimated there as the mean difference of fixes with integers fixed above 3
/// m/s, and taken out of those of carrier phase, whose errors are smaller than it.
struct Drive {
    /// Metres per second above which a course is a heading.
    private static let fastEnough = 3.0

    /// A fix and what it missed the truth by.
    private struct Pair {
        var fix: Fix
        var truth: ReferenceTrack.Moment
        /// Metres from the reference to the fix.
        var difference: LocalPlane.Offset
    }

    private let pairs: [Pair]
    /// Metres from the reference's antenna to the receiver's: ahead and to the right. Nil where it cannot be told.
    let lever: (ahead: Double, right: Double)?
    /// Fixes that it was estimated from.
    let leverEpochs: Int

    init(_ fixes: [Fix], _ track: ReferenceTrack) {
        pairs = fixes.compactMap { fix in
            guard let time = fix.time, let place = fix.coordinate, let truth = track.moments[time.millisecondsOfDay] else { return nil }
            return Pair(fix: fix, truth: truth, difference: LocalPlane(origin: truth.coordinate).offset(of: place))
        }
        let fixed = pairs.filter { $0.fix.quality == .rtkFixed && $0.truth.speed ?? 0 > Drive.fastEnough }
        let seen = fixed.compactMap { pair in pair.truth.course.map { Drive.turn(pair.difference, by: $0) } }
        leverEpochs = seen.count
        let count = Double(seen.count)
        lever = seen.isEmpty ? nil : (seen.reduce(0) { $0 + $1.north } / count, seen.reduce(0) { $0 + $1.east } / count)
    }

    /// By quality: with the lever taken out of carrier phase, or with all as it is.
    func compare(withoutLever: Bool) -> [FixQuality: Comparison] {
        var classes: [FixQuality: Comparison] = [:]
        for pair in pairs {
            var error = pair.difference
            if withoutLever, let lever, let course = pair.truth.course, pair.fix.quality == .rtkFixed || pair.fix.quality == .rtkFloat {
                let arm = Drive.turn(LocalPlane.Offset(east: lever.right, north: lever.ahead), by: -course)
                error = LocalPlane.Offset(east: error.east - arm.east, north: error.north - arm.north)
            }
            classes[pair.fix.quality, default: Comparison()].count(
                pair.fix, east: error.east, north: error.north, trueSpeed: pair.truth.speed)
        }
        return classes
    }

    /// What a difference is in a frame whose north points along a bearing.
    private static func turn(_ offset: LocalPlane.Offset, by bearing: Double) -> LocalPlane.Offset {
        LocalPlane.Offset(distance: offset.length, bearing: offset.bearing - bearing)
    }
}
