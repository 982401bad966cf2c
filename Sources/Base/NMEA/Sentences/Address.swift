/// The sender and type of a sentence: `GN` and `RMC`, or the vendor's letters for proprietary
/// sentences.
public struct Address: Sendable, Hashable {
    /// The two letters of the talker, the first in the high byte; 0 for proprietary sentences.
    public var talker: UInt16
    /// The formatter: the last letters of the address, at most eight, packed.
    public var formatter: UInt64

    /// Creates an address from its letters: `Address("GN", "RMC")`. Longer texts are cut.
    public init(talker: StaticString, formatter: StaticString) {
        self.talker = UInt16(truncatingIfNeeded: Address.pack(talker))
        self.formatter = Address.pack(formatter)
    }

    /// Parses the address at the start of a body; nil if there is none. Sets `after` to the offset
    /// of the first field.
    @inline(__always)
    init?(_ body: RawSpan, after: inout Int) {
        // Fast path: two letters, three letters, a comma. The checksum already guarantees the
        // letters.
        if body.byteCount > 8, body.byte(at: 5) == UInt8(ascii: ","), body.byte(at: 0) != UInt8(ascii: "P") {
            let letters = body.word(at: 0).byteSwapped
            talker = UInt16(truncatingIfNeeded: letters >> 48)
            formatter = letters >> 24 & 0xFF_FFFF
            after = 6
            return
        }
        var end = 0
        // Proprietary addresses may be long; ST uses the longest, such as PSTMGEOFENCESTATUS.
        let longest = body.byteCount > 0 && body.byte(at: 0) == UInt8(ascii: "P") ? 24 : 16
        while end < body.byteCount, body.byte(at: end).isCapitalOrDigit, end < longest { end += 1 }
        guard end >= 3, end == body.byteCount || body.byte(at: end) == UInt8(ascii: ",") else { return nil }
        after = end + 1
        // "P" begins a proprietary address. The exceptions are Quectel's PQGSV and PQGSA: standard
        // sentences with the talker PQ (EG25 manual).
        let proprietary = body.byte(at: 0) == UInt8(ascii: "P") && !Address.isQuectelTalker(body, end: end)
        let head = proprietary || end < 5 ? 0 : 2
        talker = head == 0 ? 0 : UInt16(body.byte(at: 0)) << 8 | UInt16(body.byte(at: 1))
        formatter = 0
        for index in head..<end { formatter = formatter << 8 | UInt64(body.byte(at: index)) }
    }

    private static func isQuectelTalker(_ body: RawSpan, end: Int) -> Bool {
        end == 5 && body.byte(at: 1) == UInt8(ascii: "Q") && body.byte(at: 2) == UInt8(ascii: "G")
            && body.byte(at: 3) == UInt8(ascii: "S")
    }

    private static func pack(_ letters: StaticString) -> UInt64 {
        guard letters.hasPointerRepresentation else { return 0 }
        return UnsafeBufferPointer(start: letters.utf8Start, count: letters.utf8CodeUnitCount).reduce(0) {
            $0 << 8 | UInt64($1)
        }
    }

    /// Whether the talker is a GNSS receiver: `G?`, `BD`, `QZ`, `PQ`.
    public var isGNSS: Bool {
        talker >> 8 == 0x47 || talker == Talker.legacyBeidou || talker == Talker.legacyQZSS || talker == Talker.quectel
    }

    /// Whether the sentence is a message of AIS, from another ship (VDM) or from this one (VDO).
    public var isAIS: Bool {
        formatter == Address(talker: "", formatter: "VDM").formatter
            || formatter == Address(talker: "", formatter: "VDO").formatter
    }

    /// The letters of the address as in the sentence.
    public var description: String {
        var letters: [UInt8] = []
        for shift in stride(from: 56, through: 0, by: -8) {
            letters.append(UInt8(truncatingIfNeeded: formatter >> UInt64(shift)))
        }
        let tail = letters.drop { $0 == 0 }
        let head = talker == 0 ? [] : [UInt8(talker >> 8), UInt8(talker & 0xFF)]
        return String(decoding: head + tail, as: UTF8.self)
    }
}

extension Address: CustomStringConvertible {}
