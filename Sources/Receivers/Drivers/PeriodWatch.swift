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

    private var lastTime: Int?
    private var bytes = 0

    /// A watch that has seen nothing.
    init() {}

    /// A sentence was heard.
    mutating func hear(_ body: String) {
        bytes += body.utf8.count + 6
        let fields = body.split(separator: ",", maxSplits: 7, omittingEmptySubsequences: false)
        guard let address = fields.first, address.utf8.count == 5, !address.hasPrefix("P") else {
            if body.hasPrefix("PUBX,00") { formatters.insert("PUBX00") }
            return
        }
        let formatter = String(address.suffix(3))
        if formatters.count < 32 { formatters.insert(formatter) }
        // Two of the three kinds that every receiver sends at each fix; their time is that of the epoch.
        guard formatter == "RMC" || formatter == "GGA", fields.count > 1, let time = PeriodWatch.milliseconds(fields[1]) else { return }
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

    /// `hhmmss.sss` as milliseconds of the day.
    private static func milliseconds(_ field: Substring) -> Int? {
        guard field.utf8.count >= 6, let number = Double(field), number >= 0, number < 240_000 else { return nil }
        let whole = Int(number)
        let seconds = whole / 10_000 * 3600 + whole / 100 % 100 * 60 + whole % 100
        return seconds * 1000 + Int(((number - Double(whole)) * 1000).rounded())
    }
}
