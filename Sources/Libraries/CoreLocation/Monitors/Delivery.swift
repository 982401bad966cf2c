internal import Chronology
import Foundation
internal import Varlink
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

    /// The problems of a record of the daemon.
    init(_ record: [String: JSONValue]) {
        self = []
        if record["conditionLimitExceeded"]?.bool == true { insert(.limitExceeded) }
        if record["persistenceUnavailable"]?.bool == true { insert(.notPersistent) }
        if record["conditionUnsupported"]?.bool == true { insert(.unsupported) }
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
    /// The kind on the socket, such as `entered`; empty for an event that was made here.
    let kind: String
    /// The metadata of the condition.
    let metadata: [String: JSONValue]
    let event: CLMonitor.Event

    /// An event that was made here.
    init(_ event: CLMonitor.Event) {
        key = nil
        kind = ""
        metadata = [:]
        self.event = event
    }

    /// An event of the daemon; nil without an identifier.
    init?(_ members: [String: JSONValue]) {
        guard let event = CLMonitor.Event(members), let id = members["id"]?.int else { return nil }
        let recorded = members["recorded"]?.string.flatMap { UTCTime(rfc3339: $0) }
        key = EventID(number: id, condition: event.identifier, recorded: recorded?.milliseconds ?? 0)
        kind = members["kind"]?.string ?? ""
        metadata = members["metadata"]?.object ?? [:]
        self.event = event
    }
}

extension CLMonitor.Event {
    /// An event of the daemon; nil without an identifier.
    init?(_ members: [String: JSONValue], flags: PermissionFlags = [], problems: ConditionProblems = []) {
        guard let identifier = members["identifier"]?.string else { return nil }
        self.init(
            identifier: identifier, state: State(wireName: members["state"]?.string),
            date: Date(rfc3339: members["date"]?.string) ?? Date(rfc3339: members["recorded"]?.string) ?? Date(),
            flags: flags, problems: problems)
    }
}

extension CLMonitor.Event.State {
    /// The state with this name on the socket. Names of later versions are unknown.
    init(wireName: String?) {
        self =
            switch wireName {
            case "satisfied": .satisfied
            case "unsatisfied": .unsatisfied
            case "unmonitored": .unmonitored
            default: .unknown
            }
    }

    /// The name on the socket of an assumed state; nil for a state that cannot be assumed.
    var assumption: String? {
        switch self {
        case .satisfied: "satisfied"
        case .unsatisfied: "unsatisfied"
        case .unknown, .unmonitored: nil
        }
    }
}
