import Chronology

/// The running accounts: what each receiver does now, what has been spent since the start, and what is not on the disk yet.
///
/// It is told when something changes, and reckons the time since the last change then; so it needs no clock and no timer of its own.
public struct PowerAccounts: Sendable {
    private struct Open {
        var conduct: ReceiverConduct
        /// Since when it is in this state.
        var began: Instant
        /// Up to when it has been reckoned.
        var reckoned: Instant
    }

    /// Spent since the start.
    public private(set) var total = PowerPeriod()
    /// Spent since it was last saved.
    public private(set) var unsaved = PowerLedger()
    private var open: [Open] = []
    private var noted: Instant
    private var wakeups = UInt64(0)

    /// Accounts that begin.
    public init(at now: Instant) { noted = now }

    /// What the receivers do now. One that is not named is not reckoned: nothing is known of it.
    public var conducts: [ReceiverConduct] { open.map(\.conduct) }

    /// Since when a receiver does what it does; nil for one that is not reckoned.
    public func since(_ receiver: String) -> Instant? { open.first { $0.conduct.receiver == receiver }?.began }

    /// Takes note of what the receivers do from now on, and reckons what has changed.
    ///
    /// - Parameters:
    ///   - wakeups: Times the process has woken since its start.
    ///   - clock: The host's UTC; it says which day it is.
    ///   - all: Reckons what goes on as well, as before a report.
    public mutating func note(_ conducts: [ReceiverConduct], wakeups: UInt64, at now: Instant, _ clock: UTCTime, all: Bool = false) {
        var next: [Open] = []
        var isChanged = all
        for old in open {
            guard let new = conducts.first(where: { $0.receiver == old.conduct.receiver }), old.conduct.goesOn(as: new), !all else {
                isChanged = true
                continue
            }
            next.append(Open(conduct: new, began: old.began, reckoned: old.reckoned))
        }
        for old in open where !next.contains(where: { $0.conduct.receiver == old.conduct.receiver }) {
            close(old, chip: conducts.first { $0.receiver == old.conduct.receiver }?.chip, at: now, clock)
        }
        for new in conducts where !next.contains(where: { $0.conduct.receiver == new.receiver }) {
            let before = open.first { $0.conduct.receiver == new.receiver && $0.conduct.state == new.state }
            next.append(Open(conduct: new, began: before?.began ?? now, reckoned: now))
            isChanged = true
        }
        open = next
        if isChanged { note(wakeups, at: now, clock) }
    }

    /// It has been saved.
    public mutating func saved() { unsaved = PowerLedger() }

    private mutating func close(_ old: Open, chip: ReceiverChip?, at now: Instant, _ clock: UTCTime) {
        guard now > old.reckoned else { return }
        var stretch = PowerStretch(old.conduct, now - old.reckoned)
        if let chip, chip != .generic { stretch.conduct.chip = chip }
        total.add(stretch)
        unsaved.add(stretch, endingAt: clock)
    }

    private mutating func note(_ wakeups: UInt64, at now: Instant, _ clock: UTCTime) {
        guard wakeups > self.wakeups else { return }
        let count = Double(wakeups - self.wakeups)
        total.wakeups += count
        unsaved.add(wakeups: count, over: max(now - noted, .milliseconds(1)), endingAt: clock)
        (self.wakeups, noted) = (wakeups, now)
    }
}
