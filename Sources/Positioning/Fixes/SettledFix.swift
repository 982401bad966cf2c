/// Learns after which sentence of its bursts a receiver's fix is settled, so that who is in a hurry need not wait for what adds nothing.
///
/// Bursts end with what repeats: GLL the position (u-blox), VTG the speed of RMC (MediaTek, SiRF, SkyTraq), ZDA its date, GBS the errors of
/// GST. At 9,600 baud such a line takes 40 ms. A sentence is believed after which the fix stood as it was in the end, in epochs enough in a
/// row; an epoch that ends with another fix takes the belief back, and each time that happens twice as many must agree.
///
/// Two kinds are waited for though they seldom change anything: those that may say that there is no position, as RMC does a sentence after
/// GGA had one (ET-332), and those of the sky, of which one more satellite may change an accuracy.
public struct SettledFix: Sendable {
    /// Epochs in a row that must agree.
    static let lessons = 8
    /// And at the most, after many errors: over a quarter of an hour at one a second.
    static let mostLessons = 1024

    /// The fix of the open epoch as it stands, and the sentence that last changed it.
    private var standing: (fix: Fix, tag: SentenceTag)?
    private var candidate: SentenceTag?
    private var lessonsSeen = 0
    private var lessonsNeeded = SettledFix.lessons
    /// Whether the fix of the open epoch has been found settled.
    public private(set) var isFound = false
    /// A sentence came after that which is to be waited for.
    private var isSpoiled = false

    /// One that has learned nothing.
    public init() {}

    /// The fix of the open epoch as it was seen last, where it may still change.
    public var expected: Fix? { isFound ? nil : standing?.fix }

    /// Takes note of the open epoch's fix as it stands after a sentence.
    ///
    /// - Returns: whether it is settled now; true once for each epoch.
    public mutating func saw(_ fix: Fix, after word: LastWord) -> Bool {
        guard !isFound else { return false }
        if word.isWeighty || standing?.fix != fix { standing = (fix, word.tag) }
        guard word.tag == candidate, lessonsSeen >= lessonsNeeded, fix.coordinate != nil else { return false }
        isFound = true
        return true
    }

    /// A sentence has come after the fix was found settled.
    public mutating func passed(_ word: LastWord) {
        if word.isWeighty { isSpoiled = true }
    }

    /// The epoch is over.
    ///
    /// - Parameters:
    ///   - fix: What its fix turned out to be.
    ///   - last: Its last sentence, which may have come with its end.
    /// - Returns: whether it was found settled before.
    public mutating func close(_ fix: Fix, last: LastWord?) -> Bool {
        defer { (standing, isFound, isSpoiled) = (nil, false, false) }
        guard let standing else { return false }
        if let last, last.tag != standing.tag { passed(last) }
        if isSpoiled || standing.fix != fix {
            if isFound, standing.fix != fix { lessonsNeeded = min(lessonsNeeded * 2, SettledFix.mostLessons) }
            (candidate, lessonsSeen) = (nil, 0)
        } else if standing.tag == candidate {
            lessonsSeen = min(lessonsSeen + 1, SettledFix.mostLessons)
        } else {
            (candidate, lessonsSeen) = (standing.tag, 1)
        }
        return isFound
    }
}
