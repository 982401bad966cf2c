import Chronology
import NMEA

/// Counts seconds from epoch to epoch: by the receiver's own times where both state one, else by when they arrived.
struct EpochSeconds: Sendable {
    /// Seconds a receiver's clock may step forward; more is a clock that was set, and arrival tells.
    private static let longestStep = 3600.0

    /// Seconds since the first epoch.
    private(set) var now = 0.0
    /// The receiver's clock has gone back: it was started anew, or a recording of it was. What lies between two such epochs is no way.
    private(set) var hasGoneBack = false
    private var last: (time: TimeOfDay?, arrived: Instant)?

    /// The next epoch; returns its ``now``.
    mutating func advance(to epoch: Epoch) -> Double {
        defer { last = (epoch.time, epoch.closed) }
        guard let last else { return now }
        let byArrival = max(0, (epoch.closed - last.arrived).seconds)
        let stated = step(from: last.time, to: epoch.time)
        hasGoneBack = stated.map { $0 < 0 } ?? false
        now += stated.flatMap { $0 > 0 && $0 <= EpochSeconds.longestStep ? $0 : nil } ?? byArrival
        return now
    }

    /// Seconds between two stated times. Midnight lies between two of which the later is the smaller by more than half a day.
    private func step(from earlier: TimeOfDay?, to later: TimeOfDay?) -> Double? {
        guard let earlier, let later else { return nil }
        let day = Int(UTCTime.day)
        var milliseconds = later.milliseconds - earlier.milliseconds
        if milliseconds < -day / 2 { milliseconds += day }
        return Double(milliseconds) / 1000
    }
}
