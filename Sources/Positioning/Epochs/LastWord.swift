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
            // Its status counts for nothing beside an RMC that has a fix (``Epoch/quality``).
            case .gll: epoch.rmc?.isValid != true
            default: sentence.timing?.isCore ?? false
            }
    }
}
