import Positioning

/// The result of ``Locator/receive(_:from:at:onFrame:)``.
public struct ReadResult: Sendable, Equatable {
    /// What the bytes contained.
    public var summary: ReadSummary
    /// The updates that the bytes caused, in order. The caller sends them before it performs any
    /// effect.
    public var updates: [StreamUpdate]

    /// Creates a result; by default nothing was read.
    public init(_ summary: ReadSummary = ReadSummary(), updates: [StreamUpdate] = []) {
        self.summary = summary
        self.updates = updates
    }
}

/// An update and the streams that receive it.
public struct StreamUpdate: Sendable, Equatable {
    /// The update.
    public var update: Update
    /// The streams, in the order in which they were opened; not empty.
    public var streams: [RequestID]

    /// Creates an update for these streams.
    public init(_ update: Update, for streams: [RequestID]) {
        self.update = update
        self.streams = streams
    }
}
