import Varlink

/// A reply as the caller of ``OpenCall/next(isolation:)`` gets it.
package struct Arrival: Sendable, Equatable {
    package let parameters: [String: JSONValue]
    /// The number of replies that this one replaced because the caller had not taken them.
    package internal(set) var replaced: Int
    /// The number of the connection on which the reply arrived, from 1. It increases when the call
    /// was made again.
    package let connection: Int

    /// Returns the reply to a call of `method`. Unknown members are ignored.
    package func reply<Parameters, Output>(
        to method: Method<Parameters, Output>
    ) throws(TransportError) -> Output {
        do { return try Reply(parameters: parameters).parameters(of: method) } catch {
            throw .unexpectedReply(method: method.name, reason: error.description)
        }
    }
}

/// The replies of one call between the thread that reads them and the task that takes them.
final class ReplyQueue: Sendable {
    /// What a waiting task gets.
    enum Outcome: Sendable {
        case arrival(Arrival)
        case end(TransportError?)
    }

    private struct State {
        var arrivals: [Arrival] = []
        var waiters: [(number: Int, continuation: CheckedContinuation<Outcome, Never>)] = []
        var waiterCount = 0
        /// An error after which the call continues, until one caller has it.
        var failure: TransportError?
        /// The result after the last reply; nil while the call is open.
        var end: TransportError??
        var isPaused = false
    }

    private let delivery: OpenCall.Delivery
    private let state = Locked(State())

    init(_ delivery: OpenCall.Delivery) { self.delivery = delivery }

    /// Whether the call has ended. Replies that were not taken may be left.
    var hasEnded: Bool { state.withLock { $0.end != nil } }

    /// Adds a reply. Returns false if no more replies are accepted until ``take()`` requests them.
    func put(_ arrival: Arrival) -> Bool {
        let (waiter, isReading) = state.withLock { state -> (CheckedContinuation<Outcome, Never>?, Bool) in
            guard state.end == nil else { return (nil, true) }
            state.failure = nil
            if !state.waiters.isEmpty { return (state.waiters.removeFirst().continuation, true) }
            switch delivery {
            case .latest:
                let replaced = state.arrivals.last.map { $0.replaced + 1 } ?? 0
                state.arrivals = [arrival]
                state.arrivals[0].replaced = replaced
            case .all(let limit):
                state.arrivals.append(arrival)
                state.isPaused = state.arrivals.count >= limit
            }
            return (nil, !state.isPaused)
        }
        waiter?.resume(returning: .arrival(arrival))
        return isReading
    }

    /// Reports an error to all who wait, or to the next one. The call continues.
    func report(_ error: TransportError) {
        let waiters = state.withLock { state in
            if state.waiters.isEmpty, state.end == nil { state.failure = error }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: .end(error)) }
    }

    /// Ends the call after the replies that are already here.
    func finish(_ error: TransportError?) { finish(error, dropsArrivals: false) }

    /// Ends the call at once: replies that nobody took are dropped.
    func close() { finish(nil, dropsArrivals: true) }

    private func finish(_ error: TransportError?, dropsArrivals: Bool) {
        let waiters = state.withLock { state in
            if dropsArrivals { state.arrivals = [] }
            state.failure = nil
            if state.end == nil { state.end = .some(error) }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: .end(error)) }
    }

    /// Returns a number with which ``cancel(_:)`` finds the waiter.
    func newWaiter() -> Int {
        state.withLock { state in
            state.waiterCount += 1
            return state.waiterCount
        }
    }

    /// Passes the next reply or the end to `continuation`, at once or later. Returns whether
    /// reading must be resumed.
    func take(_ number: Int, _ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
        let (outcome, resumesReading) = state.withLock { state -> (Outcome?, Bool) in
            // The task is marked as cancelled before `cancel` is called, which waits for this lock.
            if Task.isCancelled { return (.end(nil), false) }
            if !state.arrivals.isEmpty {
                let arrival = state.arrivals.removeFirst()
                let resumes = state.isPaused && state.arrivals.isEmpty
                if resumes { state.isPaused = false }
                return (.arrival(arrival), resumes)
            }
            if let failure = state.failure.take() { return (.end(failure), false) }
            if let end = state.end { return (.end(end), false) }
            state.waiters.append((number, continuation))
            return (nil, false)
        }
        if let outcome { continuation.resume(returning: outcome) }
        return resumesReading
    }

    /// Ends the wait of a cancelled task.
    func cancel(_ number: Int) {
        let continuation = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard let index = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiters.remove(at: index).continuation
        }
        continuation?.resume(returning: .end(nil))
    }
}
