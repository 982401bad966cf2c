import Chronology
import NMEA

/// Counts seconds from epoch to epoch: by the receiver's own times where both state one, else by when they arrived.
struct EpochSeconds: Sendable {
    /// Seconds a receiver's clock may step forward; more is a clock that was set, and arrival tells.
    private static let longestStep = 3600.0

    /// Seconds since the first epoch.
    private(set) var now = 0.0
    private var last: (time: TimeOfDay?, arrived: Instant)?

    /// The next epoch; returns its ``now``.
    mutating func advance(to epoch: Epoch) -> Double {
        defer { last = (epoch.time, epoch.closed) }
        guard let last else { return now }
        let byArrival = max(0, (epoch.closed - last.arrived).seconds)
        now += stated(from: last.time, to: epoch.time) ?? byArrival
        return now
    }

    /// Midnight lies between two times of which the later is the smaller by more than half a day.
    private func stated(from earlier: TimeOfDay?, to later: TimeOfDay?) -> Double? {
        guard let earlier, let later else { return nil }
        let day = Int(UTCTime.day)
        var milliseconds = later.milliseconds - earlier.milliseconds
        if milliseconds < -day / 2 { milliseconds += day }
        let seconds = Double(milliseconds) / 1000
        return seconds > 0 && seconds <= EpochSeconds.longestStep ? seconds : nil
    }
}
