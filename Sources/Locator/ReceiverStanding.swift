import Chronology

/// How one receiver has done lately, as ``ReceiverChoice`` sees it.
struct ReceiverStanding: Sendable {
    /// Seconds over which R68 is smoothed: an exponential mean by time, so that ten fixes a second weigh no more than one.
    static let smoothing = 5.0
    /// A burst may end this much later than the one before it.
    static let slack = Instant.Span.milliseconds(100)
    /// Milliseconds between epochs of a receiver whose period is not known yet.
    static let usualPeriod = 1000
    /// Metres, for a fix that says nothing of its accuracy.
    static let unknown = 1e5

    let id: ReceiverID
    /// Metres of R68, smoothed.
    private(set) var accuracy: Double
    /// When it counts as lost: two of its periods without a fix.
    private(set) var heldUntil: Instant
    private var lastFixAt: Instant
    /// Since when it has been clearly better than the chosen one.
    var leadsSince: Instant?
    /// Since when it has been clearly worse than the chosen one, and whether that is long enough for it to be let rest.
    private(set) var lagsSince: Instant?
    private(set) var isSpare = false

    init(_ id: ReceiverID, accuracy: Double?, period: Int?, at now: Instant) {
        self.id = id
        self.accuracy = ReceiverStanding.metres(accuracy)
        lastFixAt = now
        heldUntil = now + ReceiverStanding.patience(period)
    }

    /// Whether its last fix is recent enough to speak for the device.
    func holds(at now: Instant) -> Bool { now < heldUntil }

    /// A fix has come. After a gap its past says nothing.
    mutating func take(accuracy stated: Double?, period: Int?, at now: Instant) {
        let stated = ReceiverStanding.metres(stated)
        if holds(at: now) {
            let passed = (now - lastFixAt).seconds
            accuracy += passed / (ReceiverStanding.smoothing + passed) * (stated - accuracy)
        } else {
            (accuracy, leadsSince) = (stated, nil)
        }
        lastFixAt = now
        heldUntil = now + ReceiverStanding.patience(period)
    }

    /// Takes note of how it compares with the chosen one; nil where there is no comparison.
    mutating func lag(_ isWorse: Bool?, at now: Instant) {
        guard isWorse == true else { return (lagsSince, isSpare) = (nil, false) }
        let since = lagsSince ?? now
        (lagsSince, isSpare) = (since, now - since >= ReceiverChoice.spareProof)
    }

    private static func metres(_ stated: Double?) -> Double {
        guard let stated, stated.isFinite, stated >= 0 else { return unknown }
        return stated
    }

    private static func patience(_ period: Int?) -> Instant.Span {
        .milliseconds(Int64(period ?? usualPeriod) * 2) + slack
    }
}
