/// Parameters of `io.sextant.Manager.GetPower`.
public struct GetPowerParameters: Codable, Sendable, Equatable {
    /// How many days, the present one counted, 1 to 60; absent: 7.
    public var days: Int?
    /// Of this receiver alone; absent: of all.
    public var receiver: String?

    /// A question.
    public init(days: Int? = nil, receiver: String? = nil) {
        (self.days, self.receiver) = (days, receiver)
    }
}

/// The reply to `io.sextant.Manager.GetPower`.
public struct GetPowerReply: Codable, Sendable, Equatable {
    /// Since the daemon started.
    public var start: SpendingMessage
    /// Each day, the newest first.
    public var spent: [SpendingMessage]
    /// By which figures it is estimated.
    public var estimates: [EstimateMessage]

    /// What was spent.
    public init(start: SpendingMessage, spent: [SpendingMessage], estimates: [EstimateMessage]) {
        (self.start, self.spent, self.estimates) = (start, spent, estimates)
    }
}

/// The reply to `io.sextant.Manager.GetConsumers`.
public struct GetConsumersReply: Codable, Sendable, Equatable {
    /// Who asks for what.
    public var consumers: [ConsumerMessage]
    /// What the receivers do.
    public var doing: [DoingMessage]
    /// Whether receivers are let rest at all.
    public var rests: Bool

    /// Who asks, and what comes of it.
    public init(consumers: [ConsumerMessage], doing: [DoingMessage], rests: Bool) {
        (self.consumers, self.doing, self.rests) = (consumers, doing, rests)
    }
}
