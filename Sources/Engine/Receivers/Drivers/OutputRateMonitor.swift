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

/// The parts of a periodic standard sentence that a driver needs: its type, its length and its
/// epoch. It allocates no memory.
struct StandardSentence: Sendable, Equatable {
    /// The talker and formatter, five letters.
    var address: String
    /// The number of bytes between `$` and `*`.
    var byteCount: Int
    /// The epoch in milliseconds of the day, for RMC and GGA. Both begin with the time, and are two
    /// of the three sentences that every receiver sends.
    var milliseconds: Int?

    /// Parses a sentence; nil for a proprietary sentence or a text, which may contain other
    /// information.
    init?(_ body: some RandomAccessCollection<UInt8>) {
        let address = body.prefix(5)
        let end = body.dropFirst(5).first
        guard address.count == 5, end == nil || end == UInt8(ascii: ","), address.first != UInt8(ascii: "P"),
            !address.contains(UInt8(ascii: ",")), !address.suffix(3).elementsEqual("TXT".utf8)
        else { return nil }
        self.address = String(decoding: address, as: UTF8.self)
        byteCount = body.count
        let formatter = address.suffix(3)
        if formatter.elementsEqual("RMC".utf8) || formatter.elementsEqual("GGA".utf8) {
            milliseconds = StandardSentence.milliseconds(body.dropFirst(6).prefix { $0 != UInt8(ascii: ",") })
        }
    }

    /// Parses `hhmmss.sss` into milliseconds of the day.
    private static func milliseconds(_ field: some Collection<UInt8>) -> Int? {
        var whole = 0
        var fraction = 0
        var unit = 0
        var digits = 0
        for byte in field {
            if byte == UInt8(ascii: "."), digits == 6, unit == 0 {
                unit = 1000
                continue
            }
            guard (48...57).contains(byte) else { return nil }
            if unit > 0 {
                unit /= 10
                fraction += Int(byte - 48) * unit
            } else {
                digits += 1
                whole = whole * 10 + Int(byte - 48)
                guard digits <= 6 else { return nil }
            }
            if unit == 1 { break }
        }
        guard digits == 6, whole < 240_000 else { return nil }
        return (whole / 10_000 * 3600 + whole / 100 % 100 * 60 + whole % 100) * 1000 + fraction
    }
}
