import Chronology
import DaemonSupport
import Systemd
import Testing

extension EventLoop {
    /// Runs the loop until the condition holds, at most for the default timeout.
    ///
    /// - Parameter step: Done every few milliseconds, such as the work at a deadline.
    func run(until condition: @escaping () -> Bool, step: @escaping (Instant) -> Void = { _ in }) throws {
        let limit = Deadline(timeout)
        onDeadline = { [unowned self] now in
            step(now)
            if condition() || limit.isPast { exit(0) } else { try? setDeadline(now + .milliseconds(3)) }
        }
        try setDeadline(now)
        _ = try run()
        onDeadline = { _ in }
        #expect(condition())
    }
}
