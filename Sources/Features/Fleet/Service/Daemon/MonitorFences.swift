import Chronology
import Geodesy
import ServiceRuntime
import SextantAPI
import VarlinkClient

/// The fences of the monitors whose events are reported, as servers get them.
final class MonitorFences {
    /// A fence with the condition that it was made of.
    private struct Known {
        var condition: Condition
        var fence: ReportedFence
    }

    private let monitors: [String]
    private let calls: DaemonCalls
    private var known: [FenceName: Known] = [:]

    /// - Parameter monitors: Without that of the fences that servers set.
    init(of monitors: [String], calls: DaemonCalls) {
        self.monitors = monitors
        self.calls = calls
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

    /// Reads the conditions of the monitors. Those of a monitor that cannot be read stay.
    ///
    /// - Parameter completion: Gets the fences that are new or have changed.
    func refresh(completion: @escaping ([ReportedFence]) -> Void) {
        refresh(monitors[...], changed: [], completion)
    }

    private func refresh(
        _ monitors: ArraySlice<String>, changed: [ReportedFence], _ completion: @escaping ([ReportedFence]) -> Void
    ) {
        guard let monitor = monitors.first else { return completion(changed) }
        read(monitor, after: nil, records: []) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let records):
                refresh(monitors.dropFirst(), changed: changed + update(monitor, with: records), completion)
            case .failure(.failed): refresh(monitors.dropFirst(), changed: changed, completion)
            // The daemon does not answer: it would not for the others either.
            case .failure: completion(changed)
            }
        }
    }

    private func update(_ monitor: String, with records: [ConditionRecord]) -> [ReportedFence] {
        var present: [FenceName: Known] = [:]
        for record in records {
            let name = FenceName(record.condition.identifier, of: monitor)
            let created = record.added?.wholeSeconds ?? 0
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

    /// Reads all records of a monitor, page by page.
    private func read(
        _ monitor: String, after: String?, records: [ConditionRecord],
        _ completion: @escaping (Result<[ConditionRecord], ClientError>) -> Void
    ) {
        calls.call(MonitorMethods.list, with: PageParameters(name: monitor, after: after)) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let page) where page.next == nil: completion(.success(records + page.records))
            case .success(let page): read(monitor, after: page.next, records: records + page.records, completion)
            }
        }
    }
}

/// A fence as servers get it.
struct ReportedFence: Equatable {
    var waypoint: Waypoint
    /// The exact shape; nil for a circle.
    var geometry: FenceGeometry?

    /// Creates the fence of a condition; nil if it has no area.
    init?(_ condition: Condition, of monitor: String, created: Int64) {
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
    fileprivate init?(_ point: Point) { self.init(latitude: point.latitude, longitude: point.longitude) }
}
