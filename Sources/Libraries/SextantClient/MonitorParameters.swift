// The parameters and replies of io.sextant.Monitor that are not public.

/// The parameters of every method of a monitor; each method uses its part.
struct MonitorParameters: Encodable {
    var name: String?
    var conditions: [Condition]?
    var identifiers: [String]?
    var identifier: String?
    var events: [Int]?
    var geojson: JSONValue?
    var after: String?
    var limit: Int?
    var count: Int?
    var deliver: Bool?
    var latestOnly: Bool?
    var application: String?

    init(_ monitor: Monitor) {
        name = monitor.name
        application = monitor.application
    }
}

/// A reply of `Open`.
struct OpenReply: Decodable {
    var monitor: MonitorState?
    var event: MonitorEvent?
    var record: ConditionRecord?
}

/// A reply of `List`.
struct ConditionPage: Decodable {
    var records: [ConditionRecord]
    var next: String?
}

/// A reply of `GetRecord`.
struct RecordReply: Decodable {
    var record: ConditionRecord
}

/// A reply of `Remove`.
struct RemoveReply: Decodable {
    var removed: Int
}

/// A reply of `Acknowledge`.
struct AcknowledgeReply: Decodable {
    var acknowledged: Int
}

/// A reply of `Export`.
struct ExportReply: Decodable {
    var geojson: JSONValue
    var next: String?
}

/// A reply of `ListMonitors`.
struct MonitorList: Decodable {
    var monitors: [MonitorState]
    var isTruncated: Bool?
}

/// A reply without members.
struct EmptyReply: Decodable {}
