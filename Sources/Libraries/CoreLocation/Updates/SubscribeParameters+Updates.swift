import Foundation
internal import SextantAPI
internal import VarlinkClient

extension SubscribeParameters {
    /// Connects and returns the updates that ``UpdateGate`` reports. A newer update replaces an
    /// unread one. The connection lasts until the stream or its iterator is dropped.
    func updates(of transport: Transport) -> AsyncThrowingStream<CLLocationUpdate, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let output = GatedOutput(continuation)
            let call = transport.stream(LocationMethods.subscribe, self, delivery: .latest)
            let task = Task {
                do {
                    while let arrival = try await call.next() {
                        output.take(CLLocationUpdate(try arrival.reply(to: LocationMethods.subscribe)))
                    }
                    output.finish(throwing: nil)
                } catch {
                    output.finish(throwing: CLError(reporting: error))
                }
            }
            // Cancellation calls this with a lock of the reading task, for which an update may wait
            // with the lock of the output: nothing here takes that.
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// Passes updates through a gate, and releases a held one in time.
private final class GatedOutput: Sendable {
    private struct State {
        var gate: UpdateGate
        var timer: Task<Void, Never>?
    }

    private let state: Locked<State>
    private let continuation: AsyncThrowingStream<CLLocationUpdate, any Error>.Continuation

    init(_ continuation: AsyncThrowingStream<CLLocationUpdate, any Error>.Continuation) {
        state = Locked(State(gate: UpdateGate(at: .now)))
        self.continuation = continuation
    }

    func take(_ update: CLLocationUpdate) {
        state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
            if let reported = state.gate.pass(update, at: .now) {
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

/// Decides which updates of the daemon a stream reports.
///
/// Programs stop at the first update without a location. A receiver that has slept first reports
/// that it starts, and for a while that it has no fix: these updates are held back.
struct UpdateGate {
    /// How long `noFix` is held back after the start of the stream or of the receiver. A cold start
    /// of a receiver takes about half a minute.
    static let warmUpTime = Duration.seconds(45)

    private var end: ContinuousClock.Instant
    private var isWarm = false
    private var held: CLLocationUpdate?

    /// A gate of a stream that begins at this time.
    init(at now: ContinuousClock.Instant) {
        end = now + Self.warmUpTime
    }

    /// When ``release(at:)`` has something to report.
    var deadline: ContinuousClock.Instant? { held == nil ? nil : end }

    /// Returns the update if it is reported now.
    mutating func pass(_ update: CLLocationUpdate, at now: ContinuousClock.Instant) -> CLLocationUpdate? {
        held = nil
        guard update.locationUnavailable, update.flags.isDisjoint(with: .blocking) else {
            if update.location != nil { isWarm = true }
            return update.hasContent ? update : nil
        }
        switch update.reply.cause {
        case .starting:
            isWarm = false
            end = now + Self.warmUpTime
        case .noFix where !isWarm && now < end:
            held = update
        default:
            return update
        }
        return nil
    }

    /// Returns the held update if its time has come.
    mutating func release(at now: ContinuousClock.Instant) -> CLLocationUpdate? {
        guard let held, now >= end else { return nil }
        self.held = nil
        return held
    }
}
