import Locator
import SextantAPI
import StateStore

extension MonitorState {
    /// Creates the message of a stored monitor.
    ///
    /// - Parameters:
    ///   - process: The process that has it open; nil if none has.
    ///   - unmonitored: The number of its conditions that are not monitored.
    ///   - limit: The maximum number of monitored conditions of its program; nil without a limit.
    ///   - isSaved: Whether events can be saved.
    init(_ stored: StoredMonitor, openIn process: Int32?, unmonitored: Int, limit: Int?, isSaved: Bool) {
        self.init(name: stored.name, program: stored.program)
        self.process = process.map { Int($0) }
        isOpen = process != nil
        conditions = stored.conditions
        pending = stored.pending
        self.unmonitored = unmonitored
        conditionLimit = limit
        persistenceUnavailable = !isSaved
    }

    /// Removes what a program without the full location may not know: whether an event is pending.
    mutating func withhold(_ flags: PermissionFlags) {
        permission = flags
        pending = 0
    }
}
