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

/// The recent accuracy of one receiver, as ``ReceiverSelector`` uses it.
struct ReceiverScore: Sendable {
    /// The time constant in seconds of the exponential smoothing of R68. The mean is weighted by
    /// time, so a rate of ten fixes per second has no more weight than one.
    static let smoothingTime = 5.0
    /// The tolerance for the end of a burst relative to the previous one.
    static let burstTolerance = Instant.Span.milliseconds(100)
    /// The assumed period in milliseconds while the receiver's period is unknown.
    static let defaultPeriod = 1000
    /// The assumed R68 in metres of a fix without an accuracy.
    static let defaultAccuracy = 1e5

    let id: ReceiverID
    /// The smoothed R68 in metres.
    private(set) var accuracy: Double
    /// When the receiver counts as lost, two of its periods after its last fix.
    private(set) var fixExpires: Instant
    private var lastFixAt: Instant
    /// When it became clearly better than the primary receiver.
    var betterSince: Instant?
    /// When it became clearly worse than the primary receiver. ``isStandby`` is set after
    /// ``ReceiverSelector/standbyDelay``.
    private(set) var worseSince: Instant?
    private(set) var isStandby = false

    init(_ id: ReceiverID, accuracy: Double?, period: Int?, at now: Instant) {
        self.id = id
        self.accuracy = ReceiverScore.metres(accuracy)
        lastFixAt = now
        fixExpires = now + ReceiverScore.fixLifetime(period)
    }

    /// Returns whether its last fix is recent enough for the primary receiver.
    func hasCurrentFix(at now: Instant) -> Bool { now < fixExpires }

    /// Records a fix. After a gap, the accuracy history is discarded.
    mutating func record(accuracy reported: Double?, period: Int?, at now: Instant) {
        let reported = ReceiverScore.metres(reported)
        if hasCurrentFix(at: now) {
            let elapsed = (now - lastFixAt).seconds
            accuracy += elapsed / (ReceiverScore.smoothingTime + elapsed) * (reported - accuracy)
        } else {
            (accuracy, betterSince) = (reported, nil)
        }
        lastFixAt = now
        fixExpires = now + ReceiverScore.fixLifetime(period)
    }

    /// Records the comparison with the primary receiver; nil if there is none.
    mutating func recordComparison(isWorse: Bool?, at now: Instant) {
        guard isWorse == true else { return (worseSince, isStandby) = (nil, false) }
        let since = worseSince ?? now
        (worseSince, isStandby) = (since, now - since >= ReceiverSelector.standbyDelay)
    }

    private static func metres(_ reported: Double?) -> Double {
        guard let reported, reported.isFinite, reported >= 0 else { return defaultAccuracy }
        return reported
    }

    private static func fixLifetime(_ period: Int?) -> Instant.Span {
        .milliseconds(Int64(period ?? defaultPeriod) * 2) + burstTolerance
    }
}

/// The receivers that a request uses.
public enum ReceiverSelection: Sendable, Hashable {
    /// The best receiver. All receivers run for the comparison.
    case best
    /// The only receiver with this name or port.
    case named(String)

    /// Creates a selection from the receiver that a request names; nil selects the best one.
    public init(_ receiver: String?) { self = receiver.map(ReceiverSelection.named) ?? .best }

    /// Returns whether a receiver with this name and port may provide the location.
    public func includes(name: String, port: String) -> Bool {
        switch self {
        case .best: true
        case .named(let required): required == name || required == port
        }
    }
}

/// The selections that one receiver serves.
enum ServedSelections: Sendable {
    /// Only the selection of the best receiver.
    case best
    /// Only selections of this receiver.
    case named(name: String, port: String)
    /// Both.
    case bestAndNamed(name: String, port: String)

    func contains(_ selection: ReceiverSelection) -> Bool {
        switch (self, selection) {
        case (.best, .best), (.bestAndNamed, .best): true
        case (.best, .named), (.named, .best): false
        case (.named(let name, let port), .named), (.bestAndNamed(let name, let port), .named):
            selection.includes(name: name, port: port)
        }
    }
}
