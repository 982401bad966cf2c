/// Learns which sentence a receiver's burst ends with, so that an epoch can be closed the moment it is complete.
///
/// A tag that has been the tail of three epochs in a row, and stood nowhere else in them, is believed; the first epoch that goes on after
/// it takes the belief back. Each time that happens twice as many epochs must agree: a receiver that adds GGA to every fifth burst would
/// else teach the same wrong lesson, and lose its GGA, over and over.
///
/// Until it has been wrong once, two epochs are enough where a long silence follows the tail. One is not: many a receiver's second burst
/// is longer than its first.
struct LastSentence: Sendable {
    /// Epochs in a row that must end alike.
    static let lessons = 3
    /// Epochs in a row that are enough where the line rested after the last of them.
    static let restedLessons = 2
    /// And at the most, after many errors: more than lie between two RMC of a receiver that sends it every ten seconds, and GGA ten times in
    /// each.
    static let mostLessons = 1024

    private var candidate: SentenceTag?
    private var lessonsSeen = 0
    private var lessonsNeeded = LastSentence.lessons
    /// The tag of the latest sentence, and whether it stood earlier in the same epoch.
    private var tail: SentenceTag?
    private var candidateSeen = 0
    /// One bit for each tag of the epoch; two tags that share theirs only make it learn more slowly.
    private var seen: UInt64 = 0
    private var tailStoodBefore = false
    /// Nothing speaks against the tail of the last epoch having been its last sentence.
    private var isSound = false

    /// A sentence of the epoch has come; true when it is the one that ends the burst.
    mutating func saw(_ tag: SentenceTag) -> Bool {
        tail = tag
        tailStoodBefore = seen & tag.bit != 0
        seen |= tag.bit
        guard tag == candidate else { return false }
        candidateSeen += 1
        return lessonsSeen >= lessonsNeeded
    }

    /// Something of the epoch came after the sentence that was believed to be its last.
    mutating func wasWrong() {
        guard candidate != nil else { return }
        lessonsSeen = 0
        isSound = false
        lessonsNeeded = min(lessonsNeeded * 2, LastSentence.mostLessons)
        candidate = nil
    }

    /// Something of the epoch came after the silence that closed it.
    mutating func cameLate() {
        isSound = false
    }

    /// The line has been silent for long since the latest sentence.
    mutating func rested() {
        guard isSound, tail == nil, lessonsSeen >= LastSentence.restedLessons, lessonsNeeded == LastSentence.lessons else { return }
        lessonsSeen = max(lessonsSeen, lessonsNeeded)
    }

    /// The epoch is over, and everything in it has been seen.
    mutating func closeEpoch() {
        defer {
            (tail, candidateSeen) = (nil, 0)
            (seen, tailStoodBefore) = (0, false)
        }
        guard let tail else { return }
        isSound = !tailStoodBefore
        if tail == candidate && candidateSeen == 1 {
            lessonsSeen = min(lessonsSeen + 1, LastSentence.mostLessons)
        } else {
            // A tag that stood twice cannot tell the end from the middle.
            candidate = candidateSeen > 1 && tail == candidate ? nil : tail
            lessonsSeen = candidate == nil ? 0 : 1
        }
    }
}
