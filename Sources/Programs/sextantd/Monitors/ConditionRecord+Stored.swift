import Chronology
import Geofencing
import Locator
import SQLite
import SextantAPI
import StateStore

extension ConditionRecord {
    /// Creates a message from the stored record of a condition.
    init(_ record: StoredCondition) {
        self.init(condition: record.added.message, state: record.snapshot.state)
        added = record.date
        since = record.snapshot.since
        lastEvent = record.lastAcknowledged.map { Event($0, metadata: record.added.metadata) }
        pending = record.nextEvent.map { Event($0, metadata: record.added.metadata) }
        isMorePending = record.furtherPending > 0
    }
}

extension StoredCondition {
    /// The approximate size of its message in bytes.
    var approximateSize: Int {
        let points =
            switch added.condition.shape {
            case .circle: 1
            case .polygon(let polygon): polygon.holes.reduce(polygon.ring.count) { $0 + $1.count }
            case .corridor(let path, _): path.count
            case nil: 0
            }
        return 1000 + 64 * points + 3 * (added.metadata?.utf8.count ?? 0)
    }
}

extension Event {
    /// Creates the message of an event from its stored form and the metadata of its condition.
    init(_ stored: StoredEvent, metadata: String?) {
        let event = stored.event
        self.init(
            id: Int(stored.sequence), identifier: stored.identifier, kind: event.kind, state: event.state,
            recorded: stored.recorded, folded: stored.folded)
        date = event.date
        location = event.location.flatMap { EventPlace($0) }
        margin = event.margin
        self.metadata = NewCondition.members(of: metadata)
    }
}
