import Chronology

/// Observes a receiver's output: the fix period, the sentence types and the size of an epoch.
struct OutputRateMonitor: Sendable {
    /// The formatters of the GNSS sentences received.
    private(set) var formatters: SentenceFormatters = []
    /// The last interval between two epochs, in milliseconds.
    private(set) var period: Int?
    /// The number of consecutive equal intervals.
    private(set) var equalIntervals = 0
    /// The size in bytes of the largest epoch so far, including line ends.
    private(set) var epochBytes = 0

    /// The bytes of `$`, `*`, two checksum digits and the line end.
    private static let sentenceOverhead = 6

    private var lastTime: Int?
    private var bytes = 0

    /// Creates a monitor without data.
    init() {}

    /// Processes a proprietary sentence or a text.
    mutating func process(_ body: String) {
        bytes += body.utf8.count + OutputRateMonitor.sentenceOverhead
        if body.hasPrefix("PUBX,00") { formatters.insert("PUBX00") }
    }

    /// Processes a standard sentence.
    mutating func process(_ sentence: StandardSentence) {
        bytes += sentence.byteCount + OutputRateMonitor.sentenceOverhead
        if formatters.count < 32 { formatters.insert(String(sentence.address.suffix(3))) }
        guard let time = sentence.milliseconds else { return }
        guard let last = lastTime, last != time else {
            if lastTime == nil { bytes = 0 }
            lastTime = time
            return
        }
        // The interval is modulo one day, for epochs before and after midnight.
        let difference = (time - last + 86_400_000) % 86_400_000
        equalIntervals = difference == period ? equalIntervals + 1 : 1
        (period, lastTime) = (difference, time)
        (epochBytes, bytes) = (max(epochBytes, bytes), 0)
    }

    /// Clears the period and the sentence types, because the receiver has new settings. Keeps the
    /// largest epoch size, which remains valid.
    mutating func restart() {
        period = nil
        equalIntervals = 0
        lastTime = nil
        bytes = 0
        formatters.removeAll()
    }
}
