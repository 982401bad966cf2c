import Varlink

/// The methods of `io.sextant.Monitor`.
package enum MonitorMethods {
    /// Opens a monitor and starts a stream of its events. Requires `more`.
    package static let open = Method<OpenParameters, OpenReply>("Open", of: .monitor)
    /// Adds conditions.
    package static let add = Method<AddParameters, AddReply>("Add", of: .monitor)
    /// Adds conditions from GeoJSON.
    package static let importConditions = Method<ImportParameters, AddReply>("Import", of: .monitor)
    /// Removes conditions.
    package static let remove = Method<RemoveParameters, RemoveReply>("Remove", of: .monitor)
    /// Acknowledges events.
    package static let acknowledge = Method<AcknowledgeParameters, AcknowledgeReply>("Acknowledge", of: .monitor)
    /// Returns a page of conditions with their states.
    package static let list = Method<PageParameters, ListReply>("List", of: .monitor)
    /// Returns a page of conditions as GeoJSON.
    package static let exportConditions = Method<PageParameters, ExportReply>("Export", of: .monitor)
    /// Returns one condition with its state.
    package static let getRecord = Method<GetRecordParameters, GetRecordReply>("GetRecord", of: .monitor)
    /// Returns the monitors of the caller's user.
    package static let listMonitors = Method<NoParameters, ListMonitorsReply>("ListMonitors", of: .monitor)
    /// Deletes a monitor.
    package static let delete = Method<DeleteParameters, NoParameters>("Delete", of: .monitor)
    /// Returns the conditions with the nearest boundaries.
    package static let nearest = Method<NearestParameters, NearestReply>("Nearest", of: .monitor)
}

/// The parameters of a method of `io.sextant.Monitor`: whose monitor it applies to.
package protocol OwnerParameters {
    /// The program that owns the monitor, if it is not the caller's. Absent: the caller.
    var program: String? { get }
    /// The part of the program that owns the monitor; see ``ProgramID/application``.
    var application: String? { get }
}

/// The parameters of `io.sextant.Monitor.Open`.
package struct OpenParameters: Codable, Sendable, Equatable, OwnerParameters {
    /// The name of the monitor.
    package var name: String
    /// Whether events are sent. Absent: true. With false, the client only holds the name.
    package var deliver: Bool?
    /// Whether only the newest pending event of each condition is sent. Absent: all are sent.
    package var latestOnly: Bool?
    package var program: String?
    package var application: String?

    /// Creates the parameters for a monitor.
    package init(
        name: String, deliver: Bool? = nil, latestOnly: Bool? = nil, program: String? = nil, application: String? = nil
    ) {
        (self.name, self.deliver) = (name, deliver)
        self.latestOnly = latestOnly
        (self.program, self.application) = (program, application)
    }
}

/// The parameters of `io.sextant.Monitor.Delete`.
package struct DeleteParameters: Codable, Sendable, Equatable, OwnerParameters {
    /// The name of the monitor.
    package var name: String
    package var program: String?
    package var application: String?

    /// Creates the parameters for a monitor.
    package init(name: String, program: String? = nil, application: String? = nil) {
        self.name = name
        (self.program, self.application) = (program, application)
    }
}

/// A reply to `io.sextant.Monitor.Open`.
package struct OpenReply: Codable, Sendable, Equatable {
    /// The current state. Present in the first reply and after a change.
    package var monitor: MonitorMessage?
    /// An event of a condition.
    package var event: EventMessage?
    /// A condition whose ``RecordMessage/conditionLimitExceeded`` has changed.
    package var record: RecordMessage?

    /// Creates a reply with the state, an event or a condition.
    package init(monitor: MonitorMessage? = nil, event: EventMessage? = nil, record: RecordMessage? = nil) {
        (self.monitor, self.event) = (monitor, event)
        self.record = record
    }
}

/// The parameters of `io.sextant.Monitor.Add`.
package struct AddParameters: Codable, Sendable, Equatable, OwnerParameters {
    /// The name of the monitor, which is created if necessary.
    package var name: String
    /// The conditions to add. The daemon adds all or none.
    package var conditions: [ConditionMessage]
    package var program: String?
    package var application: String?

    /// Creates the parameters for adding conditions.
    package init(name: String, conditions: [ConditionMessage], program: String? = nil, application: String? = nil) {
        self.name = name
        self.conditions = conditions
        (self.program, self.application) = (program, application)
    }
}

/// The reply to `io.sextant.Monitor.Add` and `Import`.
package struct AddReply: Codable, Sendable, Equatable {
    /// The number of new conditions.
    package var added: Int
    /// The number of conditions that already existed.
    package var replaced: Int
    /// The identifiers of conditions that are not monitored because the program exceeds its limit.
    package var unmonitored: [String]

    /// Creates a reply with the result.
    package init(added: Int, replaced: Int, unmonitored: [String] = []) {
        self.added = added
        self.replaced = replaced
        self.unmonitored = unmonitored
    }
}

/// The parameters of `io.sextant.Monitor.Remove`.
package struct RemoveParameters: Codable, Sendable, Equatable, OwnerParameters {
    /// The name of the monitor.
    package var name: String
    /// The identifiers of the conditions to remove.
    package var identifiers: [String]
    package var program: String?
    package var application: String?

    /// Creates the parameters for removing conditions.
    package init(name: String, identifiers: [String], program: String? = nil, application: String? = nil) {
        self.name = name
        self.identifiers = identifiers
        (self.program, self.application) = (program, application)
    }
}

/// The reply to `io.sextant.Monitor.Remove`.
package struct RemoveReply: Codable, Sendable, Equatable {
    /// The number of removed conditions.
    package var removed: Int

    /// Creates a reply with the number of removed conditions.
    package init(removed: Int) { self.removed = removed }
}

/// The parameters of `io.sextant.Monitor.List` and `Export`.
package struct PageParameters: Codable, Sendable, Equatable, OwnerParameters {
    /// The name of the monitor.
    package var name: String
    /// The identifier after which the page starts. Absent: the page starts at the first condition.
    package var after: String?
    /// The maximum number of conditions. Absent: 100.
    package var limit: Int?
    package var program: String?
    package var application: String?

    /// Creates the parameters for one page of a monitor's conditions.
    package init(
        name: String, after: String? = nil, limit: Int? = nil, program: String? = nil, application: String? = nil
    ) {
        self.name = name
        self.after = after
        self.limit = limit
        (self.program, self.application) = (program, application)
    }
}

/// The reply to `io.sextant.Monitor.List`.
package struct ListReply: Codable, Sendable, Equatable {
    /// The conditions, sorted by identifier.
    package var records: [RecordMessage]
    /// The value of `after` for the next call. Absent on the last page.
    package var next: String?

    /// Creates a page.
    package init(records: [RecordMessage], next: String? = nil) {
        (self.records, self.next) = (records, next)
    }
}

/// The parameters of `io.sextant.Monitor.GetRecord`.
package struct GetRecordParameters: Codable, Sendable, Equatable, OwnerParameters {
    /// The name of the monitor.
    package var name: String
    /// The identifier of the condition.
    package var identifier: String
    package var program: String?
    package var application: String?

    /// Creates the parameters for one condition of a monitor.
    package init(name: String, identifier: String, program: String? = nil, application: String? = nil) {
        self.name = name
        self.identifier = identifier
        (self.program, self.application) = (program, application)
    }
}

/// The reply to `io.sextant.Monitor.GetRecord`.
package struct GetRecordReply: Codable, Sendable, Equatable {
    /// The condition with its state and events.
    package var record: RecordMessage

    /// Creates a reply with a record.
    package init(record: RecordMessage) { self.record = record }
}

/// The parameters of `io.sextant.Monitor.Acknowledge`.
package struct AcknowledgeParameters: Codable, Sendable, Equatable, OwnerParameters {
    /// The name of the monitor.
    package var name: String
    /// The IDs of the events.
    package var events: [Int]
    package var program: String?
    package var application: String?

    /// Creates the parameters for acknowledging events of a monitor.
    package init(name: String, events: [Int], program: String? = nil, application: String? = nil) {
        self.name = name
        self.events = events
        (self.program, self.application) = (program, application)
    }
}

/// The reply to `io.sextant.Monitor.Acknowledge`.
package struct AcknowledgeReply: Codable, Sendable, Equatable {
    /// The number of events that were pending until this call.
    package var acknowledged: Int

    /// Creates a reply with the number of acknowledged events.
    package init(acknowledged: Int) { self.acknowledged = acknowledged }
}

/// The parameters of `io.sextant.Monitor.Import`.
package struct ImportParameters: Codable, Sendable, Equatable, OwnerParameters {
    /// The name of the monitor, which is created if necessary.
    package var name: String
    /// A GeoJSON Feature or FeatureCollection.
    package var geojson: [String: JSONValue]
    package var program: String?
    package var application: String?

    /// Creates the parameters for importing conditions.
    package init(name: String, geojson: [String: JSONValue], program: String? = nil, application: String? = nil) {
        self.name = name
        self.geojson = geojson
        (self.program, self.application) = (program, application)
    }
}

/// The reply to `io.sextant.Monitor.Export`.
package struct ExportReply: Codable, Sendable, Equatable {
    /// A GeoJSON FeatureCollection.
    package var geojson: [String: JSONValue]
    /// The value of `after` for the next call. Absent on the last page.
    package var next: String?

    /// Creates a page.
    package init(geojson: [String: JSONValue], next: String? = nil) {
        (self.geojson, self.next) = (geojson, next)
    }
}

/// The reply to `io.sextant.Monitor.ListMonitors`.
package struct ListMonitorsReply: Codable, Sendable, Equatable {
    /// The monitors, sorted by program and name.
    package var monitors: [MonitorMessage]
    /// True if there are more monitors than a reply contains. Absent otherwise.
    package var isTruncated: Bool?

    /// Creates a reply with monitors.
    package init(monitors: [MonitorMessage], isTruncated: Bool? = nil) {
        self.monitors = monitors
        self.isTruncated = isTruncated
    }
}

/// The parameters of `io.sextant.Monitor.Nearest`.
package struct NearestParameters: Codable, Sendable, Equatable, OwnerParameters {
    /// The name of the monitor. Absent: all monitors of the program.
    package var name: String?
    /// The maximum number of conditions. Absent: 10.
    package var count: Int?
    package var program: String?
    package var application: String?

    /// Creates the parameters of a nearest-boundary query.
    package init(name: String? = nil, count: Int? = nil, program: String? = nil, application: String? = nil) {
        self.name = name
        self.count = count
        (self.program, self.application) = (program, application)
    }
}

/// The reply to `io.sextant.Monitor.Nearest`.
package struct NearestReply: Codable, Sendable, Equatable {
    /// The current position. Absent when there is none.
    package var location: PlaceMessage?
    /// The conditions with the nearest boundaries, nearest first.
    package var neighbours: [NeighbourMessage]

    /// Creates a reply with a position and the conditions near it.
    package init(location: PlaceMessage? = nil, neighbours: [NeighbourMessage] = []) {
        (self.location, self.neighbours) = (location, neighbours)
    }
}
