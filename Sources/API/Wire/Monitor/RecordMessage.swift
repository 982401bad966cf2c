import Geofencing
import Permission

/// The type `Record` of `io.sextant.Monitor`.
package struct RecordMessage: Codable, Sendable, Equatable, PermissionFlagsMessage {
    /// The condition as added.
    package var condition: ConditionMessage
    /// When the condition was added or replaced. Absent if an earlier version stored it.
    package var added: String?
    /// The current state.
    package var state: ConditionState
    /// The time at which this state began.
    package var since: String?
    /// The last acknowledged event.
    package var lastEvent: EventMessage?
    /// The pending event.
    package var pending: EventMessage?
    /// Whether further events are pending behind that one.
    package var isMorePending = false
    /// The distance from the current position to the boundary in metres, positive inside.
    package var distance: Double?
    /// The time of the last evaluation against a position, by the host's clock.
    package var evaluated: String?
    /// Whether the area is too small for the current accuracy.
    package var radiusTooSmall = false
    /// Whether the condition is not monitored because its program exceeds its limit.
    package var conditionLimitExceeded = false
    /// Whether the daemon could not save the state of the condition.
    package var persistenceUnavailable = false
    /// See ``PermissionFlags/authorizationDenied``.
    package var authorizationDenied: Bool?
    /// See ``PermissionFlags/authorizationDeniedGlobally``.
    package var authorizationDeniedGlobally: Bool?
    /// See ``PermissionFlags/authorizationRestricted``.
    package var authorizationRestricted: Bool?
    /// See ``PermissionFlags/authorizationRequestInProgress``.
    package var authorizationRequestInProgress: Bool?
    /// See ``PermissionFlags/insufficientlyInUse``.
    package var insufficientlyInUse: Bool?
    /// See ``PermissionFlags/accuracyLimited``.
    package var accuracyLimited: Bool?
    /// See ``PermissionFlags/serviceSessionRequired``.
    package var serviceSessionRequired: Bool?

    /// Creates the record of a condition in a state.
    package init(condition: ConditionMessage, state: ConditionState) {
        (self.condition, self.state) = (condition, state)
    }

    /// Removes what depends on the position of the device, and sets the reason.
    package mutating func withhold(_ flags: PermissionFlags) {
        state = .unmonitored
        since = nil
        lastEvent = nil
        pending = nil
        distance = nil
        evaluated = nil
        radiusTooSmall = false
        permission = flags
    }
}

/// The type `Monitor` of `io.sextant.Monitor`.
package struct MonitorMessage: Codable, Sendable, Equatable, PermissionFlagsMessage {
    /// The name of the monitor.
    package var name: String
    /// The program that owns the monitor.
    package var program: String
    /// Whether a client has the monitor open.
    package var isOpen = false
    /// The process ID of that client.
    package var process: Int?
    /// The number of conditions.
    package var conditions = 0
    /// The number of conditions that are not monitored.
    package var unmonitored = 0
    /// The number of pending events.
    package var pending = 0
    /// The maximum number of monitored conditions of its program. Absent: no limit.
    package var conditionLimit: Int?
    /// Whether the daemon cannot save events because the disk is full or read-only.
    package var persistenceUnavailable = false
    /// See ``PermissionFlags/authorizationDenied``.
    package var authorizationDenied: Bool?
    /// See ``PermissionFlags/authorizationDeniedGlobally``.
    package var authorizationDeniedGlobally: Bool?
    /// See ``PermissionFlags/authorizationRestricted``.
    package var authorizationRestricted: Bool?
    /// See ``PermissionFlags/authorizationRequestInProgress``.
    package var authorizationRequestInProgress: Bool?
    /// See ``PermissionFlags/insufficientlyInUse``.
    package var insufficientlyInUse: Bool?
    /// See ``PermissionFlags/accuracyLimited``.
    package var accuracyLimited: Bool?
    /// See ``PermissionFlags/serviceSessionRequired``.
    package var serviceSessionRequired: Bool?

    /// Creates an empty monitor.
    package init(name: String, program: String) {
        (self.name, self.program) = (name, program)
    }
}

/// The type `Neighbour` of `io.sextant.Monitor`.
package struct NeighbourMessage: Codable, Sendable, Equatable {
    /// The name of the monitor that contains the condition.
    package var monitor: String
    /// The condition as added.
    package var condition: ConditionMessage
    /// The current state.
    package var state: ConditionState
    /// The distance from the current position to the boundary in metres, positive inside.
    package var distance: Double

    /// Creates a condition with its distance.
    package init(monitor: String, condition: ConditionMessage, state: ConditionState, distance: Double) {
        self.monitor = monitor
        self.condition = condition
        self.state = state
        self.distance = WireRounding.thousandths(distance)
    }
}
