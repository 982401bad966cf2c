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
    /// The tag of the latest sentence of the epoch.
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
