import Chronology

/// Accumulates energy use: the current state of each receiver, the total since the start, and the
/// part that is not saved yet.
///
/// The caller reports each change. The accumulator then adds the time since the last change, so it
/// needs no clock and no timer.
package struct EnergyAccumulator: Sendable {
    private struct Open {
        var sample: ReceiverPowerSample
        /// When the receiver entered this state.
        var began: Instant
        var accountedThrough: Instant
    }

    /// The energy use since the start.
    package private(set) var total = EnergyUse()
    /// The energy use since the last save.
    package private(set) var unsaved = EnergyHistory()
    /// The instant at which the host's clock was last found to be set to another day; nil if it was
    /// not.
    package private(set) var clockSetAt: Instant?
    private var open: [Open] = []
    private var lastUpdate: Instant
    /// The host's UTC at the last update.
    private var lastClock: (time: UTCTime, at: Instant)?
    /// The largest deviation of the host's clock between two updates that is not a new setting.
    private static let maxDeviation = Instant.Span.seconds(60)
    private var wakeups = UInt64(0)

    /// Creates an accumulator that starts at `now`.
    package init(at now: Instant) { lastUpdate = now }

    /// The current states of the receivers. A receiver that is not listed is not accounted for,
    /// because nothing is known about it.
    package var samples: [ReceiverPowerSample] { open.map(\.sample) }

    /// Returns when a receiver entered its current state; nil if it is not accounted for.
    package func since(_ receiver: String) -> Instant? { open.first { $0.sample.receiver == receiver }?.began }

    /// Records the states of the receivers from `now` on, and accounts for the intervals that
    /// ended.
    ///
    /// - Parameters:
    ///   - wakeups: The number of wakeups of the process since its start.
    ///   - clock: The host's UTC, which determines the day.
    ///   - all: Whether to account for unchanged states too, as before a report.
    package mutating func update(
        _ samples: [ReceiverPowerSample], wakeups: UInt64, at now: Instant, date clock: UTCTime, all: Bool = false
    ) {
        followClock(clock, at: now)
        var next: [Open] = []
        var isChanged = all
        for old in open {
            guard let new = samples.first(where: { $0.receiver == old.sample.receiver }),
                old.sample.isContinued(as: new), !all
            else {
                isChanged = true
                continue
            }
            next.append(Open(sample: new, began: old.began, accountedThrough: old.accountedThrough))
        }
        for old in open where !next.contains(where: { $0.sample.receiver == old.sample.receiver }) {
            close(old, chip: samples.first { $0.receiver == old.sample.receiver }?.chip, at: now, date: clock)
        }
        for new in samples where !next.contains(where: { $0.sample.receiver == new.receiver }) {
            let before = open.first { $0.sample.receiver == new.receiver && $0.sample.state == new.state }
            next.append(Open(sample: new, began: before?.began ?? now, accountedThrough: now))
            isChanged = true
        }
        open = next
        if isChanged { update(wakeups, at: now, date: clock) }
    }

    package mutating func markSaved() { unsaved = EnergyHistory() }

    /// Moves the unsaved energy use by as many days as the host's clock was set forward or back. A
    /// clock that was wrong for a while thus leaves no trace in the days.
    private mutating func followClock(_ clock: UTCTime, at now: Instant) {
        defer { lastClock = (clock, now) }
        guard let lastClock else { return }
        let expected = lastClock.time.advanced(by: now - lastClock.at)
        let days = clock.date.daysSince1970 - expected.date.daysSince1970
        let deviation = max(clock.span(since: expected), expected.span(since: clock))
        guard days != 0, deviation > EnergyAccumulator.maxDeviation else { return }
        clockSetAt = now
        unsaved.move(by: days)
    }

    private mutating func close(_ old: Open, chip: ReceiverChip?, at now: Instant, date clock: UTCTime) {
        guard now > old.accountedThrough else { return }
        var interval = PowerInterval(old.sample, lasting: now - old.accountedThrough)
        if let chip, chip != .generic { interval.sample.chip = chip }
        total.add(interval)
        unsaved.add(interval, endingAt: clock)
    }

    private mutating func update(_ wakeups: UInt64, at now: Instant, date clock: UTCTime) {
        guard wakeups > self.wakeups else { return }
        let count = Double(wakeups - self.wakeups)
        total.wakeups += count
        unsaved.add(wakeups: count, over: max(now - lastUpdate, .milliseconds(1)), endingAt: clock)
        (self.wakeups, lastUpdate) = (wakeups, now)
    }
}
