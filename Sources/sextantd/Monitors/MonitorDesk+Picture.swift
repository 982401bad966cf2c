import Chronology
import Delivery
import Geodesy
import Geofencing
import Locator
import Logging
import Positioning
import Store
import Systemd
import Wire

/// How conditions stand now, and how the device lies to them.
extension Daemon {
    /// A position so old does not say where the device is; at rest receivers are looked at every five minutes.
    private static let present = Instant.Span.seconds(330)

    /// All that is known of a condition: what is kept, and what the core knows of it.
    func live(_ record: ConditionRecord, of key: MonitorKey) -> RecordMessage {
        var message = RecordMessage(record)
        message.persistenceUnavailable = monitors.trouble != nil
        if record.standing.state != .unmonitored, monitors.exceedsLimit(record.id, of: key.owner) {
            (message.state, message.conditionLimitExceeded) = (.unmonitored, true)
            return message
        }
        guard let state = locator.fences.state(of: record.id) else { return message }
        if state != message.state { (message.state, message.since) = (state, nil) }
        if let seen = locator.fences.lastEvaluation { message.evaluated = HostTime.now.advanced(by: seen - loop.now).description }
        guard let position else { return message }
        if let near = locator.fences.nearness(of: record.id, to: position.coordinate) { message.distance = near.margin.rounded(to: 1000) }
        message.radiusTooSmall = record.added.condition.shape.isUndecidable(at: position.radius)
        return message
    }

    /// The conditions nearest to the present position.
    func neighbours(of key: MonitorKey, named name: String?, _ count: Int) throws(MonitorRefusal) -> NearestReply {
        if name != nil { _ = try refusing { () throws(MonitorError) in try monitors.existing(key, at: loop.now) } }
        guard let position, let store = try refusing({ () throws(MonitorError) in try monitors.store(at: loop.now) }) else {
            return NearestReply()
        }
        // Other programs' conditions may lie between: so many are looked at as it takes.
        var looked = 0
        var found: [NeighbourMessage] = []
        var wanted = 4 * count
        while found.count < count {
            let near = locator.fences.nearest(to: position.coordinate, count: wanted)
            for one in near.dropFirst(looked) where found.count < count {
                let neighbour = try refusing { () throws(MonitorError) -> NeighbourMessage? in
                    try self.neighbour(one, of: key, named: name, in: store)
                }
                if let neighbour { found.append(neighbour) }
            }
            if near.count < wanted { break }
            (looked, wanted) = (near.count, wanted * 8)
        }
        return NearestReply(location: position.message, neighbours: found)
    }

    private func neighbour(
        _ near: FenceWatch.Nearness, of key: MonitorKey, named name: String?, in store: MonitorStore
    ) throws(MonitorError) -> NeighbourMessage? {
        try monitors.attempt(at: loop.now) { () throws(StoreError) -> NeighbourMessage? in
            guard let found = try store.name(of: near.condition), let owner = try monitors.key(of: found.monitor) else { return nil }
            guard owner.owner == key.owner, name == nil || owner.name == name else { return nil }
            guard let record = try store.record(for: found.identifier, of: found.monitor) else { return nil }
            return NeighbourMessage(monitor: owner.name, condition: record.added.message, state: near.state, distance: near.margin)
        }
    }

    private var position: (coordinate: Coordinate, radius: Double, message: PlaceMessage)? {
        guard let last = locator.position(at: loop.now), loop.now - last.at <= Daemon.present else { return nil }
        let fix = last.location.fix
        guard let coordinate = fix.coordinate, let radius = fix.horizontalAccuracy else { return nil }
        return PlaceMessage(fix, receiver: last.location.receiver).map { (coordinate, radius, $0) }
    }
}

extension Double {
    /// Without digits beyond the given part of a unit.
    fileprivate func rounded(to parts: Double) -> Double { (self * parts).rounded() / parts }
}
