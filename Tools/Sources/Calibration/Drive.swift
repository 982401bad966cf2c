import Chronology
import Geodesy
import Positioning

/// A drive with a reference receiver: every error is known, except for the lever arm between the
/// two antennas.
///
/// The lever arm is constant in the vehicle's frame. Its estimate is the mean difference of
/// fixed-integer RTK fixes above 3 m/s in that frame. It is removed from carrier-phase fixes, whose
/// errors are smaller than the lever arm.
struct Drive {
    /// The speed in metres per second above which the course equals the heading.
    private static let fastEnough = 3.0

    /// A fix with its difference from the reference.
    private struct Pair {
        var fix: Fix
        var truth: ReferenceTrack.Moment
        /// The offset from the reference to the fix, in metres.
        var difference: LocalPlane.Offset
    }

    private let pairs: [Pair]
    /// The lever arm from the reference antenna to the receiver antenna, in metres ahead and to the
    /// right. Nil if it cannot be estimated.
    let lever: (ahead: Double, right: Double)?
    /// The number of fixes from which the lever arm was estimated.
    let leverEpochs: Int

    init(_ fixes: [Fix], reference track: ReferenceTrack) {
        pairs = fixes.compactMap { fix in
            guard let time = fix.time, let place = fix.coordinate, let truth = track.moments[time.millisecondsOfDay]
            else { return nil }
            return Pair(fix: fix, truth: truth, difference: LocalPlane(origin: truth.coordinate).offset(of: place))
        }
        let fixed = pairs.filter { $0.fix.quality == .rtkFixed && $0.truth.speed ?? 0 > Drive.fastEnough }
        let differences = fixed.compactMap { pair in pair.truth.course.map { Drive.turn(pair.difference, by: $0) } }
        leverEpochs = differences.count
        let count = Double(differences.count)
        lever =
            differences.isEmpty
            ? nil : (differences.reduce(0) { $0 + $1.north } / count, differences.reduce(0) { $0 + $1.east } / count)
    }

    /// Returns a comparison for each fix quality, with or without the lever arm removed from
    /// carrier-phase fixes.
    func compare(withoutLever: Bool) -> [FixQuality: ClaimComparison] {
        var classes: [FixQuality: ClaimComparison] = [:]
        for pair in pairs {
            var error = pair.difference
            if withoutLever, let lever, let course = pair.truth.course,
                pair.fix.quality == .rtkFixed || pair.fix.quality == .rtkFloat
            {
                let arm = Drive.turn(LocalPlane.Offset(east: lever.right, north: lever.ahead), by: -course)
                error = LocalPlane.Offset(east: error.east - arm.east, north: error.north - arm.north)
            }
            classes[pair.fix.quality, default: ClaimComparison()].count(
                pair.fix, east: error.east, north: error.north, trueSpeed: pair.truth.speed)
        }
        return classes
    }

    /// Returns an offset in a frame whose north axis points along a bearing.
    private static func turn(_ offset: LocalPlane.Offset, by bearing: Double) -> LocalPlane.Offset {
        LocalPlane.Offset(distance: offset.length, bearing: offset.bearing - bearing)
    }
}
