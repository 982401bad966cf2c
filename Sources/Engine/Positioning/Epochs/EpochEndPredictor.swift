/// Predicts the last sentence of a receiver's bursts, so that an epoch can be closed as soon as it
/// is complete.
///
/// A tag counts as the last one if it ended three epochs in a row and appeared nowhere else in
/// them. The first epoch that continues after it revokes the prediction. Each revocation doubles
/// the number of epochs that must agree. Otherwise a receiver that adds GGA to every fifth burst
/// would repeatedly cause the same wrong prediction and lose its GGA.
///
/// Until the first wrong prediction, two epochs suffice if a long silence follows the tag. One does
/// not: the second burst of many receivers is longer than the first.
struct EpochEndPredictor: Sendable {
    /// The number of consecutive epochs that must end with the same tag.
    static let requiredMatches = 3
    /// The number of consecutive epochs that suffice if a long silence follows the last of them.
    static let requiredMatchesAfterSilence = 2
    /// The upper limit after many errors. It exceeds the number of epochs between two RMC of a
    /// receiver that sends RMC every ten seconds and GGA ten times per second.
    static let maxRequiredMatches = 1024

    private var candidate: SentenceTag?
    private var matchesSeen = 0
    private var matchesNeeded = EpochEndPredictor.requiredMatches
    private var latestTag: SentenceTag?
    private var candidateCount = 0
    /// Whether nothing of the last epoch arrived after its end.
    private var isComplete = false

    /// Records a sentence of the epoch. Returns true if it ends the burst.
    mutating func record(_ tag: SentenceTag) -> Bool {
        latestTag = tag
        guard tag == candidate else { return false }
        candidateCount += 1
        return matchesSeen >= matchesNeeded
    }

    /// Records that a sentence of the epoch arrived after its predicted last one.
    mutating func recordMisprediction() {
        guard candidate != nil else { return }
        matchesSeen = 0
        isComplete = false
        matchesNeeded = min(matchesNeeded * 2, EpochEndPredictor.maxRequiredMatches)
        candidate = nil
    }

    /// Records that a sentence of the epoch arrived after the silence that closed it.
    mutating func recordLateSentence() {
        isComplete = false
    }

    /// Records that the line has been silent for a long time since the latest sentence.
    mutating func recordSilence() {
        guard isComplete, latestTag == nil, matchesSeen >= EpochEndPredictor.requiredMatchesAfterSilence,
            matchesNeeded == EpochEndPredictor.requiredMatches
        else { return }
        matchesSeen = max(matchesSeen, matchesNeeded)
    }

    /// Records the end of the epoch, after all its sentences.
    mutating func endEpoch() {
        defer {
            (latestTag, candidateCount) = (nil, 0)
        }
        guard let latestTag else { return }
        isComplete = true
        if latestTag == candidate && candidateCount == 1 {
            matchesSeen = min(matchesSeen + 1, EpochEndPredictor.maxRequiredMatches)
        } else {
            // A tag that appeared twice does not identify the end of a burst.
            candidate = candidateCount > 1 && latestTag == candidate ? nil : latestTag
            matchesSeen = candidate == nil ? 0 : 1
        }
    }
}

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
