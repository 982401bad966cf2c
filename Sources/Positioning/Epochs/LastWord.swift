import NMEA

/// The latest sentence of an epoch.
public struct LastWord: Sendable {
    /// Which one it is.
    public let tag: SentenceTag
    /// Whether it may say that there is no position after all, or tells of satellites: nothing is settled before it.
    public let isWeighty: Bool

    init(_ address: Address, _ sentence: Sentence, in epoch: Epoch) {
        tag = SentenceTag(address, sentence)
        isWeighty =
            switch sentence {
            case .gsv, .gsa: true
            // Beside an RMC that has a fix the status of GLL counts for nothing, and a mode letter only where RMC has none (``Epoch/quality``).
            case .gll(let gll): epoch.rmc?.isValid != true || epoch.rmc?.mode == nil && gll.mode != nil
            case .vtg(let vtg): epoch.rmc?.mode == nil && epoch.gll?.mode == nil && vtg.mode != nil
            default: sentence.timing?.isCore ?? false
            }
    }
}
