/// Tracks whether the receiver has only recently obtained its first fix or regained it.
struct FirstFixPenalty: Sendable {
    private var hadNoFix = false
    private var lastFix: Double?
    /// Seconds between the last two fixes.
    private var interval = 0.0
    /// The time of the first fix after none.
    private var began: Double?

    /// Records an epoch without a position, or with an estimated one.
    mutating func recordEpochWithoutFix() { hadNoFix = true }

    /// Records an epoch with a position from satellites and returns the factor on its radius, 1 or
    /// more.
    ///
    /// A fix that exists in the receiver's first epoch does not count as a first fix: the receiver
    /// may have had it for days.
    mutating func factor(at seconds: Double) -> Double {
        if let lastFix {
            let gap = seconds - lastFix
            let isGap = gap > AccuracyConstants.maxGap && gap > AccuracyConstants.maxGapInIntervals * interval
            if isGap { began = seconds }
            interval = isGap && hadNoFix ? interval : gap
        } else if hadNoFix {
            began = seconds
        }
        (lastFix, hadNoFix) = (seconds, false)
        guard let began, seconds - began < AccuracyConstants.firstFixSpan else { return 1 }
        return 1 + AccuracyConstants.firstFixExcess * (1 - (seconds - began) / AccuracyConstants.firstFixSpan)
    }
}
