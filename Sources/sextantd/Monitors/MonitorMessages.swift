import Chronology
import Geofencing
import Store
import Varlink
import Wire

extension NewCondition {
    /// A condition as a client tells it. Throws what is wrong with it.
    init(_ message: ConditionMessage) throws(MonitorError) {
        let metadata = message.metadata.flatMap { $0.isEmpty ? nil : String(decoding: JSONValue.object($0).bytes, as: UTF8.self) }
        self.init(message.identifier, try message.condition(), metadata: metadata)
    }

    /// The condition as clients are told it.
    var message: ConditionMessage { ConditionMessage(identifier: identifier, condition, metadata: NewCondition.members(of: metadata)) }

    /// Metadata as they were given.
    static func members(of metadata: String?) -> [String: JSONValue]? {
        guard let metadata, let value = try? JSONValue(parsing: Array(metadata.utf8)) else { return nil }
        return value.object
    }
}

extension EventMessage {
    /// The message of an event of a condition with this metadata.
    init(_ stored: StoredEvent, metadata: String?) {
        let event = stored.event
        self.init(
            id: Int(stored.sequence), identifier: stored.identifier, kind: event.kind, state: event.state,
            recorded: stored.recorded.description, folded: stored.folded)
        date = event.date?.description
        location = event.location.flatMap { PlaceMessage($0) }
        margin = event.margin.map { ($0 * 1000).rounded() / 1000 }
        self.metadata = NewCondition.members(of: metadata)
    }
}

extension RecordMessage {
    /// What is kept of a condition.
    init(_ record: ConditionRecord) {
        self.init(condition: record.added.message, state: record.standing.state)
        since = record.standing.since?.description
        lastEvent = record.lastHandled.map { EventMessage($0, metadata: record.added.metadata) }
        pending = record.outstanding.map { EventMessage($0, metadata: record.added.metadata) }
        isMorePending = record.waiting > 0
    }
}
