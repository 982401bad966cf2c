import Chronology

/// Selects the primary receiver, which provides the device's position.
///
/// A better receiver takes over slowly, and a successor replaces a lost one immediately. A
/// challenger takes over when its smoothed R68 has been below ``margin`` times the primary
/// receiver's for ``takeoverDelay``. There is at most one such change per ``minTakeoverInterval``.
///
/// A primary receiver without a fix for two of its periods, or without its port, is replaced by the
/// best other receiver. When it returns, it must win like any other.
///
/// Only R68 counts, because it already includes the effects of the fix type and of dead reckoning.
/// The distance between the receivers' positions is ignored: if two disagree, it does not show
/// which one is wrong.
struct ReceiverSelector: Sendable {
    /// The maximum ratio of a challenger's R68 to the primary receiver's. Smaller differences
    /// result from random differences in reception between the antennas.
    static let margin = 0.7
    /// How long a challenger must stay below ``margin``.
    static let takeoverDelay = Instant.Span.seconds(10)
    /// The minimum time between two changes to a better receiver.
    static let minTakeoverInterval = Instant.Span.seconds(30)

    /// The ratio to the primary receiver's R68 from which a receiver becomes a standby receiver,
    /// after ``standbyDelay``.
    static let standbyFactor = 2.0
    static let standbyDelay = Instant.Span.seconds(180)

    private(set) var primary: ReceiverID?
    /// When the primary receiver counts as lost; nil without a possible successor or once
    /// ``tick(at:)`` has processed it.
    private(set) var deadline: Instant?
    private var changedAt: Instant?
    /// The scores of all receivers that have had a fix since their port was opened.
    private var scores: [ReceiverScore] = []

    /// Processes a fix with a position.
    ///
    /// - Returns: The receiver whose newest fix becomes the device's position. This is `id`, or a
    ///   better receiver that replaces a lost primary receiver; nil if the device's position does
    ///   not change.
    mutating func recordFix(accuracy: Double?, from id: ReceiverID, period: Int?, at now: Instant) -> ReceiverID? {
        let index = record(accuracy, from: id, period: period, at: now)
        defer { updateDeadline() }
        guard let current = scores.firstIndex(where: { $0.id == primary }), scores[current].hasCurrentFix(at: now)
        else {
            return selectSuccessor(at: now)
        }
        if current == index {
            if scores.count > 1 { resetLeads(over: scores[index].accuracy) }
            return id
        }
        scores[index].recordComparison(
            isWorse: scores[index].accuracy >= scores[current].accuracy * ReceiverSelector.standbyFactor, at: now)
        guard hasWon(index, against: scores[current].accuracy, at: now) else { return nil }
        change(to: id, at: now)
        return id
    }

    /// Removes a receiver whose port was closed or that was detached.
    ///
    /// - Returns: The new primary receiver if it changes.
    mutating func remove(_ id: ReceiverID, at now: Instant) -> ReceiverID? {
        scores.removeAll { $0.id == id }
        defer { updateDeadline() }
        guard primary == id else { return nil }
        let successor = selectSuccessor(at: now)
        if successor == nil { primary = nil }
        for index in scores.indices { scores[index].recordComparison(isWorse: nil, at: now) }
        return successor
    }

    /// Replaces a primary receiver that is lost at `now`.
    ///
    /// - Returns: The new primary receiver if it changes.
    mutating func tick(at now: Instant) -> ReceiverID? {
        guard let due = deadline, due <= now else { return nil }
        deadline = nil
        // The standby receivers are needed again.
        for index in scores.indices { scores[index].recordComparison(isWorse: nil, at: now) }
        guard let successor = selectSuccessor(at: now) else { return nil }
        updateDeadline()
        return successor
    }

    /// The standby receivers, which sleep except for occasional check fixes.
    var standbyReceivers: [ReceiverID] {
        scores.count > 1 ? scores.filter { $0.isStandby && $0.id != primary }.map(\.id) : []
    }

    /// Returns the smoothed R68 in metres used for the comparison, or nil if the receiver has no
    /// fix.
    func accuracy(of id: ReceiverID, at now: Instant) -> Double? {
        scores.first { $0.id == id && $0.hasCurrentFix(at: now) }?.accuracy
    }
}

extension ReceiverSelector {
    /// Records a fix in its receiver's score and returns the index of the score.
    private mutating func record(_ accuracy: Double?, from id: ReceiverID, period: Int?, at now: Instant) -> Int {
        if let index = scores.firstIndex(where: { $0.id == id }) {
            scores[index].record(accuracy: accuracy, period: period, at: now)
            return index
        }
        scores.append(ReceiverScore(id, accuracy: accuracy, period: period, at: now))
        return scores.count - 1
    }

    /// Makes the best receiver with a current fix the primary one. Returns it, or nil if nothing
    /// changes.
    private mutating func selectSuccessor(at now: Instant) -> ReceiverID? {
        let best = scores.lazy.filter { $0.hasCurrentFix(at: now) }.min { $0.accuracy < $1.accuracy }
        guard let best, best.id != primary else { return nil }
        change(to: best.id, at: now)
        return best.id
    }

    private mutating func change(to id: ReceiverID, at now: Instant) {
        // The first receiver is selected for lack of an alternative, so ``minTakeoverInterval``
        // does not protect it.
        if primary != nil { changedAt = now }
        primary = id
        for index in scores.indices {
            scores[index].betterSince = nil
            scores[index].recordComparison(isWorse: nil, at: now)
        }
    }

    /// Returns whether a challenger has been better by ``margin`` for long enough.
    private mutating func hasWon(_ index: Int, against current: Double, at now: Instant) -> Bool {
        guard scores[index].accuracy < current * ReceiverSelector.margin else {
            scores[index].betterSince = nil
            return false
        }
        let since = scores[index].betterSince ?? now
        scores[index].betterSince = since
        guard now - since >= ReceiverSelector.takeoverDelay,
            changedAt.map({ now - $0 >= ReceiverSelector.minTakeoverInterval }) ?? true
        else { return false }
        let accuracy = scores[index].accuracy
        return scores.allSatisfy { $0.accuracy >= accuracy || !$0.hasCurrentFix(at: now) }
    }

    private mutating func resetLeads(over current: Double) {
        for index in scores.indices where scores[index].accuracy >= current * ReceiverSelector.margin {
            scores[index].betterSince = nil
        }
    }

    private mutating func updateDeadline() {
        deadline = scores.count > 1 ? scores.first { $0.id == primary }?.fixExpires : nil
    }
}
