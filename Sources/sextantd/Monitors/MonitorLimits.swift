import Store

/// The limits on monitors and conditions.
struct MonitorLimits: Equatable {
    /// The maximum number of monitors per program.
    static let maxMonitors = 64
    /// The ratio of stored to monitored conditions that a program may have.
    private static let storedPerMonitored = 10

    /// The maximum number of monitored conditions per program; `nil` for no limit.
    var monitoredPerProgram: Int?
    /// The maximum number of stored conditions of all programs.
    var storedInTotal: Int

    init(_ settings: Settings) {
        monitoredPerProgram = settings.maxConditionsPerProgram == 0 ? nil : settings.maxConditionsPerProgram
        storedInTotal = settings.maxConditions
    }

    /// The maximum number of stored conditions per program, monitored or not.
    var storedPerProgram: Int {
        monitoredPerProgram.map { min(storedInTotal, $0 * MonitorLimits.storedPerMonitored) } ?? storedInTotal
    }
}

extension MonitorLimits {
    /// Returns the limit of stored conditions that an addition would exceed; `nil` if it exceeds
    /// none.
    func exceeded(
        byAdding batch: [NewCondition], to key: MonitorKey, in store: MonitorStore
    ) throws(StoreError) -> Int? {
        let own = try store.conditionCount(of: key.owner.description)
        let all = try store.conditionCount()
        guard own + batch.count > storedPerProgram || all + batch.count > storedInTotal else { return nil }
        // Conditions that replace others need no extra capacity.
        var new = batch.count
        if let monitor = try store.monitor(key.name, of: key.owner.description) {
            for condition in batch where try store.record(for: condition.identifier, of: monitor) != nil { new -= 1 }
        }
        if new == 0 { return nil }
        if own + new > storedPerProgram { return storedPerProgram }
        return all + new > storedInTotal ? storedInTotal : nil
    }
}
