import Chronology
import SextantAPI
import SystemCalls

/// The preconditions of a fence's next event, in processing order.
struct FenceDiagnosis {
    let record: ConditionRecord
    /// The monitor of the fence; nil if the daemon does not list it.
    let monitor: MonitorState?
    /// The horizontal accuracy of the current position in metres; nil if there is none.
    let accuracy: Double?
    /// The current time by the host's clock.
    let now: UTCTime
    /// The problem of the daemon's state; nil without one, or if it is not reported.
    var stateProblem: StateProblem?
    /// The motion sources; nil if this program may not know them.
    var motion: MotionSourcesReply?

    /// All checks. They are independent; the first failed one is the reason.
    var checks: [Check] {
        let promise = MotionDiagnosis.promise(motion, hasPosition: accuracy != nil)
        return [fence, watched, store, position, size, distance, pending, promise, follower]
    }

    private var name: String { record.condition.identifier }

    private var fence: Check {
        let since = record.since.map { " since \(TimeText.moment($0))" } ?? ""
        return .ok(
            .fence,
            finding:
                "\(name), a \(FenceFormatter.shape(record.condition)): \(FenceFormatter.state(record.state))\(since)")
    }

    private var watched: Check {
        if record.conditionLimitExceeded {
            let limit = monitor?.conditionLimit.map { " of \(DecimalText.grouped($0))" } ?? ""
            return .wrong(
                .watched, finding: "it is not monitored: the program has more fences than its limit\(limit)",
                remedy: "remove some, or raise max_conditions_per_program under [monitors]",
                command: "sextant fence list"
            )
        }
        if let expires = record.condition.expiry, let end = UTCTime(rfc3339: expires), end <= now {
            let remedy = "add it again with a later --expires, or without"
            return .wrong(
                .watched, finding: "it expired: \(TimeText.moment(expires))", remedy: remedy,
                command: "sextant fence add --help"
            )
        }
        guard record.permission.isEmpty else {
            return .wrong(
                .watched, finding: "it is not monitored: fences need the full location",
                remedy: "find out what decides about its program",
                command: "sextant doctor program" + (monitor.map { " " + ShellText.quoted($0.program) } ?? ""))
        }
        if let reason = record.conditionUnsupported {
            return .wrong(
                .watched, finding: "it is not monitored: \(reason)", remedy: "find out why no beacons are received",
                command: "systemctl status sextant-beacons.path")
        }
        guard record.state != .unmonitored else {
            return .wrong(.watched, finding: "it is not monitored", remedy: "add it again")
        }
        return .ok(.watched, finding: "it is monitored")
    }

    private var store: Check {
        if let problem = stateProblem {
            return .wrong(
                .store, finding: "\(problem.reason): events cannot be recorded, and changes of fences fail",
                remedy: problem.remedy, command: "sextant doctor")
        }
        guard !record.persistenceUnavailable, monitor?.persistenceUnavailable != true else {
            return .wrong(
                .store, finding: "the daemon cannot record events; it keeps them in memory",
                remedy: "see the daemon's log; a common cause is a full disk",
                command: "journalctl -u sextantd -n 50; df -h \(StateDirectory.standard)")
        }
        return .ok(.store, finding: "events are recorded before they are published")
    }

    private var position: Check {
        guard let accuracy else {
            return .wrong(
                .position, finding: "there is no current position, so nothing can be determined",
                remedy: "find the cause",
                command: "sextant doctor")
        }
        let evaluation = record.evaluated.map { "; last evaluated: \(TimeText.moment($0))" } ?? "; not evaluated yet"
        return .ok(.position, finding: "known with an accuracy of \(LengthText.metres(accuracy))\(evaluation)")
    }

    private var size: Check {
        guard record.radiusTooSmall else { return .ok(.size, finding: "large enough for the current accuracy") }
        return .wrong(
            .size, finding: FenceFormatter.tooSmall(forAccuracy: accuracy), remedy: FenceFormatter.sizeRemedy,
            command: "sextant fence add \(ShellText.quoted(name)) --help")
    }

    private var distance: Check {
        guard let distance = record.distance else {
            return .skipped(.distance, reason: "there is no position, or the fence is not monitored")
        }
        let far = "the device is \(FenceFormatter.distance(distance))"
        guard let accuracy, distance.magnitude < max(accuracy, 10) else { return .ok(.distance, finding: far) }
        return .ok(
            .distance, finding: "\(far): too close to the boundary to determine the side; the last state stays valid")
    }

    private var pending: Check {
        guard let pending = record.pending else { return .ok(.pending, finding: "no event is pending") }
        guard record.isMorePending else {
            return .ok(.pending, finding: "one event is pending: \(FenceFormatter.event(pending))")
        }
        return .wrong(
            .pending,
            finding: "events wait for the acknowledgement of an earlier one: \(FenceFormatter.event(pending))",
            remedy:
                "the program that follows the monitor must acknowledge it; a command of --exec must exit with status 0",
            command: monitor.map { "sextant fence watch \(ShellText.quoted($0.name))" })
    }

    private var follower: Check {
        guard let monitor else { return .skipped(.listener, reason: "the monitor is unknown") }
        guard monitor.isOpen else {
            let waiting = monitor.pending > 0 ? "; \(DecimalText.grouped(monitor.pending)) pending" : ""
            return .wrong(
                .listener,
                finding: "no program follows the monitor \(monitor.name): events stay pending until one does\(waiting)",
                remedy: "follow the monitor",
                command: "sextant fence watch \(ShellText.quoted(monitor.name))")
        }
        return .ok(
            .listener,
            finding: "the monitor \(monitor.name) is followed" + (monitor.process.map { " by process \($0)" } ?? ""))
    }
}
