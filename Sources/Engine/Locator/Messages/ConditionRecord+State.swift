import Geofencing
import Permission
import SextantAPI

extension ConditionRecord {
    /// Creates the record of a condition in a state.
    package init(condition: Condition, state: ConditionState) {
        self.init(
            condition: condition, state: state, isMorePending: false, radiusTooSmall: false,
            conditionLimitExceeded: false, persistenceUnavailable: false)
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

extension MonitorMessage {
    /// Creates an empty monitor.
    package init(name: String, program: String) {
        self.init(
            name: name, program: program, isOpen: false, conditions: 0, unmonitored: 0, pending: 0,
            persistenceUnavailable: false)
    }
}
