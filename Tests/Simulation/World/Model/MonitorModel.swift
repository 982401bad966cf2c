import Chronology
import SextantAPI

/// What the world knows of one monitor: what was asked, what was confirmed, what was sent.
///
/// It holds facts, not the daemon's rules. A call without a reply has two allowed outcomes.
struct MonitorModel {
    /// What the daemon has said about a condition.
    enum Existence {
        /// A call to add it was sent, and not answered yet or not at all.
        case possible
        case confirmed
        /// A call to remove it was sent, and not answered yet or not at all.
        case leaving
        case removed
    }

    /// What became of an event.
    enum Acknowledgement {
        case none
        /// A call was sent, and not answered yet or not at all.
        case attempted
        case confirmed
    }

    /// An event as it was first sent.
    struct Known {
        var event: Event
        var acknowledgement = Acknowledgement.none
        /// The opening in which it was last sent.
        var opening: Int
        /// When it was last sent.
        var sent: Instant
        var timesSent = 1
    }

    /// A condition that was ever added.
    struct KnownCondition {
        var condition: Condition
        var existence = Existence.possible
        /// Whether a call about it is under way.
        var isInFlight = true
        /// Whether a one-way call to add it was sent to a daemon that did not end since.
        var mustExist = false
        /// When a one-way call to add it was sent: other connections may be served before.
        var sentOnce: Instant?
        /// How often it was replaced: its events begin again then.
        var generation = 0
        /// The state after the last event that was sent for the first time.
        var lastState: ConditionState?
        var lastEvent = 0
    }

    let name: String
    /// The conditions before the last restart, with the times at which they were added.
    var remembered: [String: ConditionRecord] = [:]
    /// The conditions of calls of Add that were not answered.
    var openBatches: [[String]] = []
    var conditions: [String: KnownCondition] = [:]
    var events: [Int: Known] = [:]
    /// The number of the present opening, from 1; 0 before the first.
    var opening = 0
    /// When the present opening got its first reply; nil while the monitor is not open.
    var openSince: Instant?
    /// The events of the present opening, in their order.
    var sentInOpening: Set<Int> = []
    /// The sum of `folded` of all events.
    var folded = 0
    /// Whether events may have been lost with a record in the log: the disk failed while they were
    /// held in memory.
    var mayHaveLost = false

    init(name: String) { self.name = name }

    /// Whether a condition is known to exist, and no call about it is under way.
    func exists(_ identifier: String) -> Bool {
        conditions[identifier].map { $0.existence == .confirmed && !$0.isInFlight } ?? false
    }
}
