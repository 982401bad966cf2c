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
