/// What came of the bytes of one read; lets the edge learn the receiver's rhythm.
public struct Reception: Sendable, Hashable {
    /// Good sentences.
    public var sentences = 0
    /// Epochs that were closed, those included that the silence before had ended.
    public var closed = 0
    /// Whether an epoch has been begun and is not over.
    public var isOpen = false

    /// Nothing came of them but these.
    public init(sentences: Int = 0, closed: Int = 0) { (self.sentences, self.closed) = (sentences, closed) }
}
