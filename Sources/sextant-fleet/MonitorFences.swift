import Chronology
import Fleet
import Geodesy
import Varlink
import Wire

/// The fences of the monitors whose events are reported, as servers get them.
final class MonitorFences {
    /// A fence with the condition that it was made of.
    private struct Known {
        var condition: ConditionMessage
        var fence: ReportedFence
    }

    private let monitors: [String]
    private let socket: String
    private var known: [FenceName: Known] = [:]

    /// - Parameter monitors: Without that of the fences that servers set.
    init(of monitors: [String], socket: String) {
        self.monitors = monitors
        self.socket = socket
    }

    /// The fences, sorted by monitor and identifier.
    var all: [ReportedFence] {
        known.values.map(\.fence).sorted {
            ($0.waypoint.monitor, $0.waypoint.identifier) < ($1.waypoint.monitor, $1.waypoint.identifier)
        }
    }

    /// Returns the time at which a fence was created; nil if it is not known.
    func created(_ identifier: String, of monitor: String) -> Int64? {
        known[FenceName(identifier, of: monitor)]?.fence.waypoint.created
    }

    /// Reads the conditions of the monitors. Returns the fences that are new or have changed. Those
    /// of a monitor that cannot be read stay.
    func refresh() -> [ReportedFence] {
        var changed: [ReportedFence] = []
        for monitor in monitors {
            guard let records = records(of: monitor) else { continue }
            changed += update(monitor, with: records)
        }
        return changed
    }

    private func update(_ monitor: String, with records: [RecordMessage]) -> [ReportedFence] {
        var present: [FenceName: Known] = [:]
        for record in records {
            let name = FenceName(record.condition.identifier, of: monitor)
            let created = record.added.flatMap { UTCTime(rfc3339: $0) }?.wholeSeconds ?? 0
            guard let fence = ReportedFence(record.condition, of: monitor, created: created) else { continue }
            present[name] = Known(condition: record.condition, fence: fence)
        }
        for waypoint in Waypoint.withUniqueTimes(present.values.map(\.fence.waypoint)) {
            present[FenceName(waypoint.identifier, of: monitor)]?.fence.waypoint.created = waypoint.created
        }
        let changed = present.filter { known[$0.key]?.fence != $0.value.fence }.map(\.value.fence)
        known = known.filter { $0.key.monitor != monitor }
        known.merge(present) { $1 }
        return changed.sorted { $0.waypoint.identifier < $1.waypoint.identifier }
    }

    /// All records of a monitor; nil if the daemon does not answer.
    private func records(of monitor: String) -> [RecordMessage]? {
        guard let client = try? Client.connect(path: socket, timeout: .milliseconds(500)) else { return nil }
        var records: [RecordMessage] = []
        var after: String?
        repeat {
            let page = PageParameters(name: monitor, after: after)
            guard let reply = try? client.call(MonitorMethods.list, with: page, timeout: .seconds(2)) else {
                return nil
            }
            records += reply.records
            after = reply.next
        } while after != nil
        return records
    }
}

/// A fence as servers get it.
struct ReportedFence: Equatable {
    var waypoint: Waypoint
    /// The exact shape; nil for a circle.
    var geometry: FenceGeometry?

    /// Creates the fence of a condition; nil if it has no area.
    init?(_ condition: ConditionMessage, of monitor: String, created: Int64) {
        let identifier = condition.identifier
        if let circle = condition.circle, let center = Coordinate(circle.center) {
            waypoint = Waypoint(
                identifier, of: monitor, created: created, center: center,
                radius: Int64(max(circle.radius.rounded(.up), 1)))
            return
        }
        let geometry: FenceGeometry
        if let polygon = condition.polygon {
            geometry = FenceGeometry(
                rings: ([polygon.ring] + (polygon.holes ?? [])).map { $0.compactMap(Coordinate.init) })
        } else if let corridor = condition.corridor {
            geometry = FenceGeometry(path: corridor.path.compactMap(Coordinate.init), width: corridor.width)
        } else {
            return nil
        }
        guard let outline = geometry.rings.first,
            let waypoint = Waypoint(
                identifier, of: monitor, created: created, around: outline, margin: (geometry.width ?? 0) / 2)
        else { return nil }
        self.waypoint = waypoint
        self.geometry = geometry
    }
}

extension ReportedFence {
    /// Returns a hash of fences, which shows whether a server has them.
    static func hash(of fences: [ReportedFence]) -> Int64 {
        let lines = fences.map { fence in
            let waypoint = fence.waypoint
            let points = (fence.geometry?.rings.joined()).map { Array($0) } ?? []
            let numbers = ([waypoint.center] + points).map { "\($0.latitude) \($0.longitude)" }
            return "\(waypoint.regionID) \(waypoint.created) \(waypoint.radius) \(numbers.joined(separator: " "))\n"
        }
        return Int64(bitPattern: UInt64(FenceHash.text(of: lines.joined()), radix: 16) ?? 0)
    }
}

extension Coordinate {
    fileprivate init?(_ point: PointMessage) { self.init(latitude: point.latitude, longitude: point.longitude) }
}
