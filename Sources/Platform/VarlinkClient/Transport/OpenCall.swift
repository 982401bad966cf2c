/// A call that is open until this object is closed or released.
///
/// It connects at the first ``next(isolation:)``. If the connection is lost, the call is made again
/// on a new one, and the replies continue. The sequence of replies does not show that, except for
/// ``Arrival/connection``.
package final class OpenCall: Sendable {
    /// What happens to replies that the caller does not take.
    package enum Delivery: Sendable, Hashable {
        /// The newest one replaces the others.
        case latest
        /// None is dropped: with `limit` of them waiting, nothing more is read from the socket.
        case all(limit: Int)

        /// Every reply, at most 64 in memory.
        package static let all = Delivery.all(limit: 64)
    }

    private enum Progress {
        case unused
        case open(TransportThread.CallID)
        case closed
    }

    private let request: CallRequest
    let queue: ReplyQueue
    private let progress = Locked(Progress.unused)

    init(_ request: CallRequest, delivery: Delivery) {
        self.request = request
        queue = ReplyQueue(delivery)
    }

    deinit { close() }

    /// Returns the next reply. Returns nil after the last one, after ``close()``, and at once if
    /// the task is cancelled. Cancellation does not close the call.
    ///
    /// - Throws: `TransportError`: an error reply to the first call, or if no daemon answers.
    package func next(isolation: isolated (any Actor)? = #isolation) async throws(TransportError) -> Arrival? {
        if Task.isCancelled { return nil }
        open()
        let number = queue.newWaiter()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if queue.take(number, continuation) { resumeReading() }
            }
        } onCancel: {
            queue.cancel(number)
        }
        switch outcome {
        case .arrival(let arrival): return arrival
        case .end(let error?): throw error
        case .end(nil): return nil
        }
    }

    /// Whether the call has ended. A call that persists ends too if this process has no descriptor
    /// or thread for it.
    package var hasEnded: Bool { queue.hasEnded }

    /// Closes the connection and ends all waits. Replies that were not taken are dropped.
    package func close() {
        let id = progress.withLock { progress -> TransportThread.CallID? in
            defer { progress = .closed }
            if case .open(let id) = progress { return id }
            return nil
        }
        if let id { TransportThread.shared.close(id) }
        queue.close()
    }

    /// Ends the call, which is never made, with an error.
    func fail(_ error: TransportError) {
        queue.finish(error)
        close()
    }

    /// Connects, if the call is new. ``next(isolation:)`` does so by itself.
    package func open() {
        progress.withLock { progress in
            guard case .unused = progress else { return }
            progress = .open(TransportThread.shared.open(request, queue))
        }
    }

    private func resumeReading() {
        let id = progress.withLock { progress -> TransportThread.CallID? in
            if case .open(let id) = progress { return id }
            return nil
        }
        if let id { TransportThread.shared.resumeReading(id) }
    }
}
