/// Parameters of `io.sextant.Monitor.Open` and `Delete`.
public struct MonitorParameters: Codable, Sendable, Equatable {
    /// The monitor.
    public var name: String
    /// Another program's, for the administrator; absent: the caller's.
    public var program: String?

    /// A monitor.
    public init(name: String, program: String? = nil) {
        (self.name, self.program) = (name, program)
    }
}

/// A reply to `io.sextant.Monitor.Open`.
public struct OpenReply: Codable, Sendable, Equatable {
    /// The present state; on the first reply, and when it has changed.
    public var monitor: MonitorMessage?
    /// Something that has happened.
    public var event: EventMessage?

    /// The state, or an event.
    public init(monitor: MonitorMessage? = nil, event: EventMessage? = nil) {
        (self.monitor, self.event) = (monitor, event)
    }
}

/// Parameters of `io.sextant.Monitor.Add`.
public struct AddParameters: Codable, Sendable, Equatable {
    /// The monitor; made if it is new.
    public var name: String
    /// What is added, all or none.
    public var conditions: [ConditionMessage]
    /// Another program's, for the administrator; absent: the caller's.
    public var program: String?

    /// Conditions for a monitor.
    public init(name: String, conditions: [ConditionMessage], program: String? = nil) {
        (self.name, self.conditions, self.program) = (name, conditions, program)
    }
}

/// The reply to `io.sextant.Monitor.Add` and `Import`.
public struct AddReply: Codable, Sendable, Equatable {
    /// How many are new.
    public var added: Int
    /// How many were there already.
    public var replaced: Int
    /// Those that are not watched, because the program has more than the limit.
    public var unmonitored: [String]

    /// What became of them.
    public init(added: Int, replaced: Int, unmonitored: [String] = []) {
        (self.added, self.replaced, self.unmonitored) = (added, replaced, unmonitored)
    }
}

/// Parameters of `io.sextant.Monitor.Remove`.
public struct RemoveParameters: Codable, Sendable, Equatable {
    /// The monitor.
    public var name: String
    /// What is removed.
    public var identifiers: [String]
    /// Another program's, for the administrator; absent: the caller's.
    public var program: String?

    /// Conditions of a monitor.
    public init(name: String, identifiers: [String], program: String? = nil) {
        (self.name, self.identifiers, self.program) = (name, identifiers, program)
    }
}

/// The reply to `io.sextant.Monitor.Remove`.
public struct RemoveReply: Codable, Sendable, Equatable {
    /// How many there were.
    public var removed: Int

    /// So many there were.
    public init(removed: Int) { self.removed = removed }
}

/// Parameters of `io.sextant.Monitor.List` and `Export`.
public struct PageParameters: Codable, Sendable, Equatable {
    /// The monitor.
    public var name: String
    /// The identifier after which to begin; absent: at the first.
    public var after: String?
    /// How many at most; absent: 100.
    public var limit: Int?
    /// Another program's, for the administrator; absent: the caller's.
    public var program: String?

    /// A page of a monitor's conditions.
    public init(name: String, after: String? = nil, limit: Int? = nil, program: String? = nil) {
        (self.name, self.after, self.limit, self.program) = (name, after, limit, program)
    }
}

/// The reply to `io.sextant.Monitor.List`.
public struct ListReply: Codable, Sendable, Equatable {
    /// Conditions, by identifier.
    public var records: [RecordMessage]
    /// The `after` of the next call; absent: these were the last.
    public var next: String?

    /// A page.
    public init(records: [RecordMessage], next: String? = nil) {
        (self.records, self.next) = (records, next)
    }
}

/// Parameters of `io.sextant.Monitor.GetRecord`.
public struct GetRecordParameters: Codable, Sendable, Equatable {
    /// The monitor.
    public var name: String
    /// The condition.
    public var identifier: String
    /// Another program's, for the administrator; absent: the caller's.
    public var program: String?

    /// A condition of a monitor.
    public init(name: String, identifier: String, program: String? = nil) {
        (self.name, self.identifier, self.program) = (name, identifier, program)
    }
}

/// The reply to `io.sextant.Monitor.GetRecord`.
public struct GetRecordReply: Codable, Sendable, Equatable {
    /// All that is known of it.
    public var record: RecordMessage

    /// A record.
    public init(record: RecordMessage) { self.record = record }
}

/// Parameters of `io.sextant.Monitor.Acknowledge`.
public struct AcknowledgeParameters: Codable, Sendable, Equatable {
    /// The monitor.
    public var name: String
    /// Ids of the events.
    public var events: [Int]
    /// Another program's, for the administrator; absent: the caller's.
    public var program: String?

    /// Events of a monitor.
    public init(name: String, events: [Int], program: String? = nil) {
        (self.name, self.events, self.program) = (name, events, program)
    }
}

/// The reply to `io.sextant.Monitor.Acknowledge`.
public struct AcknowledgeReply: Codable, Sendable, Equatable {
    /// How many waited until now.
    public var acknowledged: Int

    /// So many waited.
    public init(acknowledged: Int) { self.acknowledged = acknowledged }
}
