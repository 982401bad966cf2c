import Varlink
import Wire

/// Fences for people, a fact a line.
enum FenceText {
    private static let labelWidth = 12

    /// One fence among those around the device.
    static func line(_ neighbour: NeighbourMessage) -> String {
        let name = Columns.harmless(neighbour.condition.identifier)
        return "\(name): \(FenceWords.state(neighbour.state)), \(FenceWords.distance(neighbour.distance))"
    }

    /// All that is known of a fence.
    static func lines(_ record: RecordMessage, monitor: String) -> [String] {
        let condition = record.condition
        var rows = [
            ("fence", Columns.harmless(condition.identifier)), ("monitor", monitor), ("place", FenceWords.shape(condition)),
            ("state", FenceWords.state(record.state) + (record.since.map { " since \(TimeText.moment($0))" } ?? "")),
        ]
        if let distance = record.distance { rows.append(("device", FenceWords.distance(distance))) }
        if let evaluated = record.evaluated { rows.append(("looked at", TimeText.moment(evaluated))) }
        if let last = record.lastEvent { rows.append(("last event", FenceWords.event(last))) }
        if let pending = record.pending {
            rows.append(("pending", FenceWords.event(pending) + (record.isMorePending ? ", and more behind it" : "")))
        }
        if let dwell = condition.dwell { rows.append(("dwell", "told after \(TimeText.span(dwell)) inside")) }
        if let expires = condition.expiry { rows.append(("expires", TimeText.moment(expires))) }
        for (key, value) in (condition.metadata ?? [:]).sorted(by: { $0.key < $1.key }) {
            rows.append((Columns.harmless(key), Columns.harmless(value.string ?? String(decoding: value.bytes, as: UTF8.self))))
        }
        return rows.map { Columns.fit($0.0, to: labelWidth) + $0.1 }
    }
}
