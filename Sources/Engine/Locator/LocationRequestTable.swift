import Chronology
import Positioning

/// A pending request for one location.
struct LocationRequest: Sendable {
    let id: RequestID
    let receiver: ReceiverSelection
    let deadline: Instant
    /// Whether the arrival of the first byte of the location's burst is needed.
    let timesBurst: Bool
    /// A location that may lack values or the time of its burst, because that was read in part, and
    /// when it arrived. It is the answer if no other location follows in time.
    var partial: (location: ReceiverFix, at: Instant)?

    init(_ id: RequestID, _ receiver: ReceiverSelection, deadline: Instant, timesBurst: Bool) {
        self.id = id
        self.receiver = receiver
        self.deadline = deadline
        self.timesBurst = timesBurst
    }

    /// Returns what ends the request when its time is up.
    ///
    /// - Parameter cause: Why there is no position; nil if there is one.
    func expired(_ cause: Unavailability?, at now: Instant) -> Effect {
        if let partial {
            return .request(.answer(id, partial.location, age: max(.zero, now - partial.at), burstAge: nil))
        }
        return .request(
            .reject(
                id, cause ?? Unavailability(.noFix, detail: "no new epoch arrived within the requested time")))
    }
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
    mutating func remove(_ ids: Set<RequestID>) { pending.removeAll { ids.contains($0.id) } }

    /// Removes and returns the requests that a new location answers.
    ///
    /// - Parameter epoch: The epoch of the location. If a part of its burst is missing, the request
    ///   waits for the next location, once.
    mutating func takeAnswered(
        by location: ReceiverFix, of epoch: EpochFix, servedBy served: ServedSelections, at now: Instant
    ) -> [RequestID] {
        guard !pending.isEmpty else { return [] }
        var answered: [RequestID] = []
        for index in pending.indices where served.contains(pending[index].receiver) {
            // The age of the burst needs its first byte.
            let isInsufficient = epoch.mayBePartial || pending[index].timesBurst && epoch.burstStart == nil
            if isInsufficient, pending[index].partial == nil {
                pending[index].partial = (location, now)
            } else {
                answered.append(pending[index].id)
            }
        }
        pending.removeAll { answered.contains($0.id) }
        return answered
    }

    /// Returns whether a receiver serves one of the requests.
    ///
    /// - Parameter isTimed: Whether it must need the time of the burst, or nil.
    func hasRequest(servedBy served: ServedSelections, isTimed: Bool? = nil) -> Bool {
        pending.contains { served.contains($0.receiver) && isTimed ?? $0.timesBurst == $0.timesBurst }
    }

    mutating func takeExpired(at now: Instant) -> [LocationRequest] {
        guard let deadline, deadline <= now else { return [] }
        let expired = pending.filter { $0.deadline <= now }
        pending.removeAll { $0.deadline <= now }
        return expired
    }
}
