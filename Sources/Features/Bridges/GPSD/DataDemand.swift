import Chronology

/// What the clients of ``GPSDServer`` need from the daemon; each includes the previous ones.
package enum DataDemand: Comparable {
    case nothing
    /// The list of receivers.
    case devices
    /// The location from time to time.
    case polls
    /// Every epoch.
    case stream
}

extension ClientDemand.Part {
    /// What the clients need now of their position.
    func demand(at now: Instant) -> DataDemand {
        if streaming > 0 { return .stream }
        if let pollEnd, now < pollEnd { return .polls }
        return .nothing
    }
}

/// The receivers whose positions clients need.
extension DaemonState {
    /// The maximum number of receivers other than that of the position whose positions are
    /// requested, as many as gpsd has devices (MAX_DEVICES).
    private static let maxSelected = 6

    /// What clients need of the position of the device.
    func demand(of clients: ClientDemand, at now: Instant) -> DataDemand {
        let demand = clients[nil].demand(at: now)
        guard clients.hasSelections, let device else { return demand }
        return max(demand, clients[device].demand(at: now))
    }

    /// What clients need of the positions of other receivers.
    func selectedDemand(of clients: ClientDemand, at now: Instant) -> [String: DataDemand] {
        guard !others.isEmpty else { return [:] }
        return others.reduce(into: [:]) { result, entry in
            let demand = clients[entry.key].demand(at: now)
            if demand != .nothing { result[entry.key] = demand }
        }
    }

    /// Begins and ends the states of receivers as clients select them.
    mutating func select(by clients: ClientDemand, at now: Instant) {
        guard clients.hasSelections || !others.isEmpty else { return }
        var paths: Set<String> = []
        for path in devices.lazy.map(\.path) where path != device && paths.count < DaemonState.maxSelected {
            if clients[path] != ClientDemand.Part() { paths.insert(path) }
        }
        for path in Array(others.keys) where !paths.contains(path) { others[path] = nil }
        for path in paths where others[path] == nil {
            others[path] = LocationState()
            others[path]?.lastReport = now
        }
    }

    /// Whether there is a position of each receiver that clients need.
    func hasPositions(for clients: ClientDemand) -> Bool {
        let isMainSelected = [nil, device].contains { clients[$0] != ClientDemand.Part() }
        let needsMain = !clients.hasSelections || isMainSelected
        return (!needsMain || main.location != nil) && others.values.allSatisfy { $0.location != nil }
    }
}
