import NMEA

/// What tells one sentence of a burst from another: its address, and for the numbered ones their place.
public struct SentenceTag: Sendable, Hashable {
    private var address: Address
    /// Signal and system of GSV, system of GSA; 0 where there is none.
    private var part: Int
    /// Whether it is the last of its round (GSV).
    private var isLast: Bool

    init(_ address: Address, _ sentence: Sentence) {
        self.address = address
        switch sentence {
        case .gsv(let gsv):
            part = Int(gsv.signalID ?? 0) << 8 | Int(gsv.systemID ?? 0)
            isLast = gsv.index >= gsv.total
        case .gsa(let gsa):
            part = Int(gsa.systemID ?? 0)
            isLast = true
        case .proprietary(let proprietary):
            // `PSTI,030` and `PSTI,032` share an address, as do `PUBX,00` and `PUBX,04`.
            part = proprietary.ordinal
            isLast = true
        default:
            part = 0
            isLast = true
        }
    }

    /// One of 64 bits, by a multiplicative hash (Knuth, The Art of Computer Programming, 6.4).
    var bit: UInt64 {
        let key = address.formatter ^ UInt64(address.talker) << 40 ^ UInt64(truncatingIfNeeded: part) << 56 ^ (isLast ? 1 << 39 : 0)
        return 1 << (key &* 0x9E37_79B9_7F4A_7C15 >> 58)
    }
}
