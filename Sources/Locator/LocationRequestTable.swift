import Chronology
import Delivery

/// A pending request for one location.
struct LocationRequest: Sendable {
    let id: StreamID
    let receiver: ReceiverSelection
    let deadline: Instant
}

/// All pending location requests.
struct LocationRequestTable: Sendable {
    /// The demand of a location request: an immediate fix, also while stationary.
    static let demand = Demand(interval: .seconds(1), isLowLatency: true, stationaryCheckInterval: nil)

    private var pending: [LocationRequest] = []

    /// When the next request times out.
    var deadline: Instant? { pending.lazy.map(\.deadline).min() }
    var demands: [StreamDemand] {
        pending.map {
            StreamDemand(id: $0.id, receiver: $0.receiver, demand: LocationRequestTable.demand, isPaused: false)
        }
    }

    mutating func add(_ request: LocationRequest) { pending.append(request) }
    mutating func remove(_ id: StreamID) { pending.removeAll { $0.id == id } }

    /// Removes and returns the requests that a new location answers.
    mutating func takeAnswered(servedBy served: ServedSelections) -> [StreamID] {
        guard !pending.isEmpty else { return [] }
        let answered = pending.filter { served.contains($0.receiver) }.map(\.id)
        pending.removeAll { served.contains($0.receiver) }
        return answered
    }

    /// Returns whether a receiver serves one of the requests.
    func hasRequest(servedBy served: ServedSelections) -> Bool { pending.contains { served.contains($0.receiver) } }

    /// Removes and returns the requests that have timed out.
    mutating func takeExpired(at now: Instant) -> [LocationRequest] {
        guard let deadline, deadline <= now else { return [] }
        let expired = pending.filter { $0.deadline <= now }
        pending.removeAll { $0.deadline <= now }
        return expired
    }
}
