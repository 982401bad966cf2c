/// An event of a condition.
public struct MonitorEvent: Codable, Equatable, Sendable {
    /// Number of the event. Later events of the monitor have greater numbers.
    public var id: Int
    /// Identifier of the condition.
    public var identifier: String
    /// Kind of the event.
    public var kind: Kind
    /// State of the condition after the event.
    public var state: Condition.State
    /// Time of the event by the receiver's clock; for a crossing, the moment on the boundary. Nil
    /// if no receiver had reported the date.
    public var date: UTCTime?
    /// Time of detection by the host's clock.
    public var recorded: UTCTime
    /// Position that caused the event; nil if none did.
    public var location: Place?
    /// Distance from that position to the boundary in metres, positive inside.
    public var margin: Double?
    /// Number of directly preceding events of the condition that cancelled each other because too
    /// many were pending.
    public var folded: Int
    /// Metadata of the condition.
    public var metadata: [String: JSONValue]?

    /// The kind of an event.
    public struct Kind: OpenEnumeration {
        /// The value on the socket.
        public let rawValue: String
        /// Creates a value, which need not be one of ``allCases``.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The state is known for the first time and differs from the assumed state.
        public static let determined = Self(rawValue: "determined")
        /// The device has crossed the boundary to the inside.
        public static let entered = Self(rawValue: "entered")
        /// The device has crossed the boundary to the outside.
        public static let left = Self(rawValue: "left")
        /// The device has been inside for the dwell time.
        public static let dwelt = Self(rawValue: "dwelt")
        /// The last crossing did not happen: the position that indicated it was wrong.
        public static let retracted = Self(rawValue: "retracted")
        /// The condition is no longer monitored.
        public static let expired = Self(rawValue: "expired")
        /// The device has moved significantly.
        public static let moved = Self(rawValue: "moved")
        /// The values that this library knows.
        public static let allCases: [Self] = [determined, entered, left, dwelt, retracted, expired, moved]
    }
}

/// The position that caused an event, or the present one.
public struct Place: Codable, Hashable, Sendable {
    /// UTC of the position. Nil if the receiver had not reported the date.
    public var timestamp: UTCTime?
    /// Latitude in degrees north, WGS-84.
    public var latitude: Double
    /// Longitude in degrees east, WGS-84.
    public var longitude: Double
    /// The radius in metres that contains the true position with a probability of 68 %.
    public var horizontalAccuracy: Double
    /// True if the position is simulated, otherwise nil.
    public var simulated: Bool?
    /// Name of the receiver; nil in events.
    public var receiver: String?
}

/// A condition with its state and its events.
public struct ConditionRecord: Equatable, Sendable {
    /// The condition as added.
    public var condition: Condition
    /// Its state.
    public var state: Condition.State
    /// When it was added or replaced, by the host's clock. Nil if an earlier version stored it.
    public var added: UTCTime?
    /// When this state began; nil if unknown.
    public var since: UTCTime?
    /// The last acknowledged event.
    public var lastEvent: MonitorEvent?
    /// The pending event.
    public var pending: MonitorEvent?
    /// Whether further events are pending behind that one.
    public var isMorePending: Bool
    /// Distance from the present position to the boundary in metres, positive inside.
    public var distance: Double?
    /// Time of the last evaluation against a position, by the host's clock.
    public var evaluated: UTCTime?
    /// Whether the area is too small for the accuracy of the present position.
    public var radiusTooSmall: Bool
    /// Whether the condition is not monitored because its program has too many.
    public var conditionLimitExceeded: Bool
    /// Whether the daemon could not save the state.
    public var persistenceUnavailable: Bool
    /// Why the condition is not monitored: its program may not know the full location.
    public var permission: PermissionFlags
}

extension ConditionRecord: Decodable {
    private enum CodingKeys: String, CodingKey {
        case condition, state, added, since, lastEvent, pending, isMorePending, distance, evaluated, radiusTooSmall
        case conditionLimitExceeded, persistenceUnavailable
    }

    /// Decodes a record of `io.sextant.Monitor`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        condition = try members.decode(Condition.self, forKey: .condition)
        state = try members.decode(Condition.State.self, forKey: .state)
        added = try members.decodeIfPresent(UTCTime.self, forKey: .added)
        since = try members.decodeIfPresent(UTCTime.self, forKey: .since)
        lastEvent = try members.decodeIfPresent(MonitorEvent.self, forKey: .lastEvent)
        pending = try members.decodeIfPresent(MonitorEvent.self, forKey: .pending)
        isMorePending = try members.decode(Bool.self, forKey: .isMorePending)
        distance = try members.decodeIfPresent(Double.self, forKey: .distance)
        evaluated = try members.decodeIfPresent(UTCTime.self, forKey: .evaluated)
        radiusTooSmall = try members.decode(Bool.self, forKey: .radiusTooSmall)
        conditionLimitExceeded = try members.decode(Bool.self, forKey: .conditionLimitExceeded)
        persistenceUnavailable = try members.decode(Bool.self, forKey: .persistenceUnavailable)
        permission = try PermissionFlags(from: decoder)
    }
}

/// A monitor as a whole.
public struct MonitorState: Hashable, Sendable {
    /// Name of the monitor.
    public var name: String
    /// Program that owns it: user ID and, for a service, a colon and the service name.
    public var program: String
    /// Whether a client has it open.
    public var isOpen: Bool
    /// Process ID of that client.
    public var process: Int?
    /// Number of conditions.
    public var conditions: Int
    /// Number of conditions that are not monitored.
    public var unmonitored: Int
    /// Number of pending events.
    public var pending: Int
    /// Maximum number of monitored conditions of the program; nil: no limit.
    public var conditionLimit: Int?
    /// Whether the daemon cannot save events now.
    public var persistenceUnavailable: Bool
    /// Why the conditions are not monitored: the program may not know the full location.
    public var permission: PermissionFlags
}

extension MonitorState: Decodable {
    private enum CodingKeys: String, CodingKey {
        case name, program, isOpen, process, conditions, unmonitored, pending, conditionLimit, persistenceUnavailable
    }

    /// Decodes a monitor of `io.sextant.Monitor`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        name = try members.decode(String.self, forKey: .name)
        program = try members.decode(String.self, forKey: .program)
        isOpen = try members.decode(Bool.self, forKey: .isOpen)
        process = try members.decodeIfPresent(Int.self, forKey: .process)
        conditions = try members.decode(Int.self, forKey: .conditions)
        unmonitored = try members.decode(Int.self, forKey: .unmonitored)
        pending = try members.decode(Int.self, forKey: .pending)
        conditionLimit = try members.decodeIfPresent(Int.self, forKey: .conditionLimit)
        persistenceUnavailable = try members.decode(Bool.self, forKey: .persistenceUnavailable)
        permission = try PermissionFlags(from: decoder)
    }
}

/// A condition with its distance from the present position.
public struct Neighbour: Decodable, Equatable, Sendable {
    /// Name of the monitor that contains the condition.
    public var monitor: String
    /// The condition as added.
    public var condition: Condition
    /// Its state.
    public var state: Condition.State
    /// Distance from the present position to the boundary in metres, positive inside.
    public var distance: Double
}
