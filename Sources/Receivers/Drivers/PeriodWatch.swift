import Chronology

/// What a receiver does, as far as its sentences tell: how often it fixes, what it sends, how much.
struct PeriodWatch: Sendable {
    /// Formatters of the GNSS sentences heard.
    private(set) var formatters: HeardSentences = []
    /// The last difference between two epochs, milliseconds.
    private(set) var period: Int?
    /// How many differences in a row have been the same.
    private(set) var agreeing = 0
    /// Bytes of the largest epoch so far, line ends and all.
    private(set) var epochBytes = 0

    /// `$`, `*`, two digits and the line's end.
    private static let frame = 6

    private var lastTime: Int?
    private var bytes = 0

    /// A watch that has seen nothing.
    init() {}

    /// A sentence that belongs to no fix was heard.
    mutating func hear(_ body: String) {
        bytes += body.utf8.count + PeriodWatch.frame
        if body.hasPrefix("PUBX,00") { formatters.insert("PUBX00") }
    }

    /// A sentence of a fix was heard.
    mutating func hear(_ sentence: FixSentence) {
        bytes += sentence.count + PeriodWatch.frame
        if formatters.count < 32 { formatters.insert(String(sentence.address.suffix(3))) }
        guard let time = sentence.milliseconds else { return }
        guard let last = lastTime, last != time else {
            if lastTime == nil { bytes = 0 }
            lastTime = time
            return
        }
        // Past midnight the difference is taken on the clock's face.
        let difference = (time - last + 86_400_000) % 86_400_000
        agreeing = difference == period ? agreeing + 1 : 1
        (period, lastTime) = (difference, time)
        (epochBytes, bytes) = (max(epochBytes, bytes), 0)
    }

    /// Forgets the period and the sentences: the receiver has just been told others. How long an epoch can be is still true.
    mutating func restart() {
        (period, agreeing, lastTime, bytes) = (nil, 0, nil, 0)
        formatters.removeAll()
    }
}
