internal import Dispatch
import Foundation

/// A serial queue on which calls may block. It is the executor of a ``CLMonitor``.
final class BlockingQueue: SerialExecutor {
    /// The queue itself.
    let queue = DispatchQueue(label: "io.sextant.CoreLocation.calls")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
