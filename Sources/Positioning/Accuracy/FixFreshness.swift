/// Whether the receiver has only just found its position, or found it again.
struct FixFreshness: Sendable {
    private var heardNone = false
    private var lastFix: Double?
    /// Seconds between the last two fixes.
    private var interval = 0.0
    /// When the first fix after none came.
    private var began: Double?

    /// An epoch without a position, or with one that was only reckoned.
    mutating func without() { heardNone = true }

    /// An epoch with a position from satellites; returns by how much its radius is larger for being fresh, 1 or more.
    ///
    /// A fix that was there when the receiver was first heard is not taken for a first one: it may be days old.
    mutating func factor(at now: Double) -> Double {
        if let lastFix {
            let gap = now - lastFix
            let isGap = gap > AccuracyConstants.longestGap && gap > AccuracyConstants.longestGapInIntervals * interval
            if isGap { began = now }
            interval = isGap && heardNone ? interval : gap
        } else if heardNone {
            began = now
        }
        (lastFix, heardNone) = (now, false)
        guard let began, now - began < AccuracyConstants.freshSpan else { return 1 }
        return 1 + AccuracyConstants.freshFactor * (1 - (now - began) / AccuracyConstants.freshSpan)
    }
}
