import Chronology

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
