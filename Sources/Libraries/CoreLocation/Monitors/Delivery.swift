internal import Chronology
internal import Dispatch
import Foundation
internal import SextantAPI
internal import VarlinkClient

/// Why a condition is not monitored or not saved.
struct ConditionProblems: OptionSet, Sendable {
    let rawValue: UInt8

    static let unsupported = ConditionProblems(rawValue: 1)
    static let limitExceeded = ConditionProblems(rawValue: 2)
    static let notPersistent = ConditionProblems(rawValue: 4)

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init(_ record: ConditionRecord) {
        self = []
        if record.conditionLimitExceeded { insert(.limitExceeded) }
        if record.persistenceUnavailable { insert(.notPersistent) }
        if record.conditionUnsupported != nil { insert(.unsupported) }
    }

    /// The problem of a condition that the daemon refuses with this error.
    init(refusal name: String) {
        switch name.split(separator: ".").last {
        case "TooManyConditions", "TooManyMonitors", "TooMuchData": self = .limitExceeded
        case "PersistenceUnavailable": self = .notPersistent
        default: self = .unsupported
        }
    }
}

/// An event for the program: from the daemon, or made here to report flags.
struct Delivery: Sendable {
    /// What identifies it; nil for an event that was made here.
    let key: EventID?
    /// The kind; nil for an event that was made here.
    let kind: ConditionEventKind?
    let event: CLMonitor.Event

    /// An event that was made here.
    init(_ event: CLMonitor.Event) {
        key = nil
        kind = nil
        self.event = event
    }

    init(_ event: Event) {
        key = EventID(number: Int64(event.id), condition: event.identifier, recorded: event.recorded.milliseconds)
        kind = event.kind
        self.event = CLMonitor.Event(event)
    }
}

extension CLMonitor.Event {
    init(_ event: Event, flags: PermissionFlags = [], problems: ConditionProblems = []) {
        self.init(
            identifier: event.identifier, state: State(event.state), date: Date(event.date ?? event.recorded),
            flags: flags, problems: problems,
            refinement: event.beacon.flatMap { CLMonitor.BeaconIdentityCondition($0) })
    }
}

extension CLMonitor.Event.State {
    init(_ state: ConditionState) {
        self =
            switch state {
            case .satisfied: .satisfied
            case .unsatisfied: .unsatisfied
            case .unmonitored: .unmonitored
            case .unknown: .unknown
            }
    }

    /// The state as an assumption; nil for one that cannot be assumed.
    var assumption: ConditionState? {
        switch self {
        case .satisfied: .satisfied
        case .unsatisfied: .unsatisfied
        case .unknown, .unmonitored: nil
        }
    }
}

/// A serial queue on which calls may block. It is the executor of a ``CLMonitor``.
final class BlockingQueue: SerialExecutor {
    /// The queue itself.
    let queue = DispatchQueue(label: "io.sextant.CoreLocation.calls")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
