public import Geofencing

/// `io.sextant.Monitor`, type `Record`.
public struct RecordMessage: Codable, Sendable, Equatable {
    /// As it was added.
    public var condition: ConditionMessage
    /// How it stands.
    public var state: ConditionState
    /// Since when.
    public var since: String?
    /// The last event that was acknowledged.
    public var lastEvent: EventMessage?
    /// The event that waits to be acknowledged.
    public var pending: EventMessage?
    /// Whether more has happened behind that one.
    public var isMorePending = false
    /// Metres from the present position to the boundary, positive inside.
    public var distance: Double?
    /// When it was last held against a position, by the host's clock.
    public var evaluated: String?
    /// Whether its area is too small to be told apart with the present accuracy.
    public var radiusTooSmall = false
    /// Whether it is not watched because its program has more conditions than the limit.
    public var conditionLimitExceeded = false
    /// Whether its state could not be written down.
    public var persistenceUnavailable = false

    /// A condition that stands so.
    public init(condition: ConditionMessage, state: ConditionState) {
        (self.condition, self.state) = (condition, state)
    }
}

/// `io.sextant.Monitor`, type `Monitor`.
public struct MonitorMessage: Codable, Sendable, Equatable {
    /// Its name.
    public var name: String
    /// Whose it is.
    public var program: String
    /// Whether somebody has it open.
    public var isOpen = false
    /// Process of who has it open.
    public var process: Int?
    /// Conditions in it.
    public var conditions = 0
    /// Of these: those that are not watched.
    public var unmonitored = 0
    /// Events that wait to be acknowledged.
    public var pending = 0
    /// Conditions that are watched for its program at most; absent: any number.
    public var conditionLimit: Int?
    /// Whether there is no room or right to write.
    public var persistenceUnavailable = false

    /// An empty monitor.
    public init(name: String, program: String) {
        (self.name, self.program) = (name, program)
    }
}

/// `io.sextant.Monitor`, type `Neighbour`.
public struct NeighbourMessage: Codable, Sendable, Equatable {
    /// The monitor that it is in.
    public var monitor: String
    /// As it was added.
    public var condition: ConditionMessage
    /// How it stands.
    public var state: ConditionState
    /// Metres from the present position to the boundary, positive inside.
    public var distance: Double

    /// A condition and how far off it is.
    public init(monitor: String, condition: ConditionMessage, state: ConditionState, distance: Double) {
        (self.monitor, self.condition, self.state) = (monitor, condition, state)
        self.distance = Rounded.fine(distance)
    }
}
