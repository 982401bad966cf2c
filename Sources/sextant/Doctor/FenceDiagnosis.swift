import Chronology
import Geofencing
import Wire

/// What stands between a fence and its next event, in the order in which an event is made.
struct FenceDiagnosis {
    let record: RecordMessage
    /// The monitor that it is in; nil where the daemon does not list it.
    let monitor: MonitorMessage?
    /// Metres, of the present position; nil while there is none.
    let accuracy: Double?
    /// By the host's clock.
    let now: UTCTime

    /// Each of them is looked at: they do not hang on each other, and the first that is wrong is the reason.
    var checks: [Check] { [fence, watched, store, position, size, distance, pending, listener] }

    /// Whether nothing stands in the way.
    var isHealthy: Bool { !checks.contains { $0.state == .wrong } }

    private var name: String { Columns.harmless(record.condition.identifier) }

    private var fence: Check {
        let since = record.since.map { " since \(TimeText.moment($0))" } ?? ""
        return .ok(.fence, "\(name), a \(FenceWords.shape(record.condition)): \(FenceWords.state(record.state))\(since)")
    }

    private var watched: Check {
        if record.conditionLimitExceeded {
            let limit = monitor?.conditionLimit.map { ", which is \(Fixed.grouped($0))" } ?? ""
            return .wrong(
                .watched, "it is not watched: the program has more fences than its limit\(limit)",
                mend: "remove some, or raise max_conditions_per_program under [monitors]", command: "sextant fence list")
        }
        if let expires = record.condition.expiry, let end = UTCTime(rfc3339: expires), end <= now {
            let mend = "add it again with a later --expires, or none"
            return .wrong(.watched, "it expired: \(TimeText.moment(expires))", mend: mend, command: "sextant fence add --help")
        }
        guard record.state != .unmonitored else { return .wrong(.watched, "it is not watched", mend: "add it again") }
        return .ok(.watched, "it is watched")
    }

    private var store: Check {
        guard !record.persistenceUnavailable, monitor?.persistenceUnavailable != true else {
            return .wrong(
                .store, "what happens cannot be written down, and waits until it can",
                mend: "see what the daemon says; often a disk is full", command: "journalctl -u sextantd -n 50; df -h /var/lib/sextant")
        }
        return .ok(.store, "what happens is written down before it is told")
    }

    private var position: Check {
        guard let accuracy else {
            return .wrong(.position, "there is no position now: nothing can be decided", mend: "find out why", command: "sextant doctor")
        }
        let seen = record.evaluated.map { "; last looked at: \(TimeText.moment($0))" } ?? "; not looked at yet"
        return .ok(.position, "known within \(LengthText.metres(accuracy))\(seen)")
    }

    private var size: Check {
        guard record.radiusTooSmall else { return .ok(.size, "large enough for the present accuracy") }
        let now = accuracy.map { " of \(LengthText.metres($0))" } ?? ""
        return .wrong(
            .size, "too small for the present accuracy\(now): the device may never be found inside",
            mend: "make it larger, about four times the accuracy and more", command: "sextant fence add \(name) --help")
    }

    private var distance: Check {
        guard let distance = record.distance else { return .skipped(.distance, "there is no position, or it is not watched") }
        let far = "the device is \(FenceWords.distance(distance))"
        guard let accuracy, distance.magnitude < max(accuracy, 10) else { return .ok(.distance, far) }
        return .ok(.distance, "\(far): too near to the boundary to be decided; what was known before holds")
    }

    private var pending: Check {
        guard let pending = record.pending else { return .ok(.pending, "no event waits") }
        guard record.isMorePending else { return .ok(.pending, "one event waits to be acknowledged: \(FenceWords.event(pending))") }
        return .wrong(
            .pending, "events wait behind one that was not acknowledged: \(FenceWords.event(pending))",
            mend: "whoever follows the monitor has to acknowledge it, or to end with 0 when run by --exec",
            command: monitor.map { "sextant fence watch \($0.name)" })
    }

    private var listener: Check {
        guard let monitor else { return .skipped(.listener, "the monitor is not known") }
        guard monitor.isOpen else {
            let waiting = monitor.pending > 0 ? "; \(Fixed.grouped(monitor.pending)) wait" : ""
            return .wrong(
                .listener, "nobody follows the monitor \(monitor.name): events wait until somebody does\(waiting)", mend: "follow it",
                command: "sextant fence watch \(monitor.name)")
        }
        return .ok(.listener, "the monitor \(monitor.name) is followed" + (monitor.process.map { " by process \($0)" } ?? ""))
    }
}
