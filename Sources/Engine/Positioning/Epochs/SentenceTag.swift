import NMEA

/// The identity of a sentence within a burst: its address, and for numbered sentences their
/// position.
public struct SentenceTag: Sendable, Hashable {
    private var address: Address
    /// Signal and system of GSV, system of GSA, ordinal of a proprietary sentence; otherwise 0.
    private var part: Int
    /// Whether the sentence is the last of its round (GSV).
    private var isLast: Bool

    /// Creates the tag of a sentence.
    package init(_ sentence: Sentence, from address: Address) {
        self.address = address
        switch sentence {
        case .gsv(let gsv):
            part = Int(gsv.signalID ?? 0) << 8 | Int(gsv.systemID ?? 0)
            isLast = gsv.sentenceIndex >= gsv.sentenceCount
        case .gsa(let gsa):
            part = Int(gsa.systemID ?? 0)
            isLast = true
        case .proprietary(let proprietary):
            // `PSTI,030` and `PSTI,032` share an address, as do `PUBX,00` and `PUBX,04`.
            part = proprietary.typeNumber
            isLast = true
        default:
            part = 0
            isLast = true
        }
    }
}

/// The latest sentence of an epoch.
public struct TrailingSentence: Sendable {
    /// The tag of the sentence.
    public let tag: SentenceTag
    /// Whether the sentence may revoke the position or concerns satellites. The fix is not final
    /// before such a sentence.
    public let canChangeFix: Bool

    init(_ sentence: Sentence, from address: Address, in epoch: Epoch) {
        tag = SentenceTag(sentence, from: address)
        canChangeFix =
            switch sentence {
            case .gsv, .gsa: true
            // If an RMC reports a fix, the status of GLL is ignored, and its mode letter counts
            // only if RMC has none (``Epoch/quality``).
            case .gll(let gll): epoch.rmc?.isValid != true || epoch.rmc?.mode == nil && gll.mode != nil
            case .vtg(let vtg): epoch.rmc?.mode == nil && epoch.gll?.mode == nil && vtg.mode != nil
            default: sentence.epochRole?.isCore ?? false
            }
    }
}
