/// Detects after which sentence of a burst the fix is final, so that low-latency clients need not
/// wait for the rest.
///
/// Bursts end with redundant data: GLL the position (u-blox), VTG the speed of RMC (MediaTek, SiRF,
/// SkyTraq), ZDA its date, GBS the errors of GST. At 9,600 baud such a line takes 40 ms. A sentence
/// counts as final if the fix after it was equal to the fix at the end of the epoch, in enough
/// consecutive epochs. An epoch with a different final fix revokes this, and each revocation
/// doubles the number of epochs that must agree.
///
/// Two kinds of sentences must always arrive first, although they rarely change the fix. The first
/// kind may revoke the position, as RMC does one sentence after GGA with a position (ET-332). The
/// second kind lists satellites, since one more satellite may change the accuracy.
public struct EarlyFixDetector: Sendable {
    /// The number of consecutive epochs that must agree.
    static let requiredMatches = 8
    /// The upper limit after many errors: over a quarter of an hour at one epoch per second.
    static let maxRequiredMatches = 1024

    /// The current fix of the open epoch, and the sentence that last changed it.
    private var current: (fix: Fix, tag: SentenceTag)?
    private var candidate: SentenceTag?
    private var matchesSeen = 0
    private var matchesNeeded = EarlyFixDetector.requiredMatches
    /// Whether the fix of the open epoch is final.
    public private(set) var isFinal = false
    /// Whether a sentence that may change the fix arrived after the final one.
    private var hasLateChange = false

    /// Creates a detector without any history.
    public init() {}

    /// The latest fix of the open epoch while it may still change.
    public var provisionalFix: Fix? { isFinal ? nil : current?.fix }

    /// Records the fix of the open epoch after a sentence.
    ///
    /// - Returns: Whether the fix is final now; true once per epoch.
    public mutating func record(_ fix: Fix, after sentence: TrailingSentence) -> Bool {
        guard !isFinal else { return false }
        if sentence.canChangeFix || current?.fix != fix { current = (fix, sentence.tag) }
        guard sentence.tag == candidate, matchesSeen >= matchesNeeded, fix.coordinate != nil else { return false }
        isFinal = true
        return true
    }

    /// Records a sentence that arrived after the fix became final.
    public mutating func recordTrailing(_ sentence: TrailingSentence) {
        if sentence.canChangeFix { hasLateChange = true }
    }

    /// Records the end of the epoch.
    ///
    /// - Parameters:
    ///   - fix: The fix of the complete epoch.
    ///   - last: The last sentence of the epoch, which may have arrived at its end.
    /// - Returns: Whether the fix was already reported as final.
    public mutating func endEpoch(_ fix: Fix, last: TrailingSentence?) -> Bool {
        defer { (current, isFinal, hasLateChange) = (nil, false, false) }
        guard let current else { return false }
        if let last, last.tag != current.tag { recordTrailing(last) }
        if hasLateChange || current.fix != fix {
            if isFinal, current.fix != fix {
                matchesNeeded = min(matchesNeeded * 2, EarlyFixDetector.maxRequiredMatches)
            }
            (candidate, matchesSeen) = (nil, 0)
        } else if current.tag == candidate {
            matchesSeen = min(matchesSeen + 1, EarlyFixDetector.maxRequiredMatches)
        } else {
            (candidate, matchesSeen) = (current.tag, 1)
        }
        return isFinal
    }
}
