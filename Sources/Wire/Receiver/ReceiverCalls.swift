/// Parameters of `io.sextant.Receiver.Watch`.
public struct WatchParameters: Codable, Sendable, Equatable {
    /// This one alone, by its name or port; absent: all.
    public var receiver: String?

    /// All receivers, or the one of that name or port.
    public init(receiver: String? = nil) {
        self.receiver = receiver
    }
}

/// The replies to `io.sextant.Receiver.List` and `Watch`.
public struct ReceiversReply: Codable, Sendable, Equatable {
    /// Every receiver asked for.
    public var receivers: [ReceiverMessage]

    /// A list.
    public init(receivers: [ReceiverMessage]) {
        self.receivers = receivers
    }
}
