/// The result of one read, from which the caller learns the timing of the receiver's bursts.
public struct ReadSummary: Sendable, Hashable {
    /// The number of valid sentences.
    public var sentences = 0
    /// The number of epochs that ended, including those that the idle line before the read ended.
    public var closed = 0
    /// Whether an epoch is open.
    public var isOpen = false

    /// Creates a result without an open epoch.
    public init(sentences: Int = 0, closed: Int = 0) { (self.sentences, self.closed) = (sentences, closed) }
}
