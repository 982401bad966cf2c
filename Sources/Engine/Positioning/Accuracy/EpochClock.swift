import Chronology
import NMEA

/// Counts seconds between epochs: by the receiver's times if both epochs have one, otherwise by
/// arrival times.
struct EpochClock: Sendable {
    /// The largest forward step of a receiver's clock, in seconds. A larger step means that the
    /// clock was set, and the arrival times count.
    private static let maxStep = 3600.0

    /// Seconds since the first epoch.
    private(set) var now = 0.0
    /// Whether the receiver's clock went back because the receiver or a recording restarted. The
    /// displacement between two such epochs is not motion.
    private(set) var didReset = false
    private var last: (time: TimeOfDay?, arrived: Instant)?

    /// Advances to the next epoch and returns ``now``.
    mutating func advance(to epoch: Epoch) -> Double {
        defer { last = (epoch.time, epoch.closed) }
        guard let last else { return now }
        let byArrival = max(0, (epoch.closed - last.arrived).seconds)
        let reported = step(from: last.time, to: epoch.time)
        didReset = reported.map { $0 < 0 } ?? false
        now += reported.flatMap { $0 > 0 && $0 <= EpochClock.maxStep ? $0 : nil } ?? byArrival
        return now
    }

    /// Returns the seconds between two reported times. If the later time is smaller by more than
    /// half a day, midnight lies between them.
    private func step(from earlier: TimeOfDay?, to later: TimeOfDay?) -> Double? {
        guard let earlier, let later else { return nil }
        let day = Int(UTCTime.millisecondsPerDay)
        var milliseconds = later.milliseconds - earlier.milliseconds
        if milliseconds < -day / 2 { milliseconds += day }
        return Double(milliseconds) / 1000
    }
}
