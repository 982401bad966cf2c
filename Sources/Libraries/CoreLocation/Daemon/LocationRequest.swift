import Foundation
internal import Varlink
internal import VarlinkClient

/// The parameters of `io.sextant.Location.Subscribe`, and the stream of its replies.
struct LocationRequest: Sendable, Equatable {
    var configuration = "default"
    var desiredAccuracy: String?
    /// Metres; nil: none.
    var distanceFilter: Double?
    var isSignificantChange = false
    var pausesWhenStationary = true

    private var parameters: [String: JSONValue] {
        var parameters: [String: JSONValue] = ["configuration": .string(configuration)]
        if let desiredAccuracy { parameters["desiredAccuracy"] = .string(desiredAccuracy) }
        if let distanceFilter { parameters["distanceFilter"] = .double(distanceFilter) }
        if isSignificantChange { parameters["significantChange"] = true }
        if !pausesWhenStationary { parameters["pausesWhenStationary"] = false }
        return parameters
    }

    /// Connects and returns the replies that ``UpdateGate`` reports. A newer reply replaces an
    /// unread one. The connection lasts until the stream or its iterator is dropped.
    func replies(of transport: Transport) -> AsyncThrowingStream<LocationReply, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let output = GatedOutput(continuation)
            let call = transport.stream("io.sextant.Location.Subscribe", parameters, delivery: .latest)
            let task = Task {
                do {
                    while let arrival = try await call.next() {
                        output.take(LocationReply(arrival.parameters))
                    }
                    output.finish(throwing: nil)
                } catch {
                    output.finish(throwing: CLError(reporting: error))
                }
            }
            // Cancellation calls this with a lock of the reading task, for which a reply may wait
            // with the lock of the output: nothing here takes that.
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// Passes replies through a gate, and releases a held one in time.
private final class GatedOutput: Sendable {
    private struct State {
        var gate: UpdateGate
        var timer: Task<Void, Never>?
    }

    private let state: Locked<State>
    private let continuation: AsyncThrowingStream<LocationReply, any Error>.Continuation

    init(_ continuation: AsyncThrowingStream<LocationReply, any Error>.Continuation) {
        state = Locked(State(gate: UpdateGate(at: .now)))
        self.continuation = continuation
    }

    func take(_ reply: LocationReply) {
        state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
            if let reported = state.gate.pass(reply, at: .now) {
                continuation.yield(reported)
            } else if let deadline = state.gate.deadline {
                state.timer = Task { [weak self] in
                    guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return }
                    self?.release()
                }
            }
        }
    }

    private func release() {
        state.withLock { state in
            if let reported = state.gate.release(at: .now) { continuation.yield(reported) }
        }
    }

    func finish(throwing error: (any Error)?) {
        state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
        }
        continuation.finish(throwing: error)
    }
}
