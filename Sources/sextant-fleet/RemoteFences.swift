import Fleet
import FleetStore
import Geodesy
import Store
import Varlink
import Wire

/// The fences that servers have set, as conditions of the monitor "fleet".
final class RemoteFences {
    private let socket: String
    private let outbox: FleetOutbox
    /// The fences, sorted by identifier.
    private(set) var current: [RemoteFence] = []

    init(socket: String, outbox: FleetOutbox) {
        self.socket = socket
        self.outbox = outbox
        current = (try? outbox.fences()) ?? []
    }

    /// Returns the time at which a server created a fence; nil if it did not.
    func created(_ identifier: String, of monitor: String) -> Int64? {
        guard monitor == FleetService.remoteMonitor else { return nil }
        return current.first { $0.identifier == identifier }?.created
    }

    /// Adds the fences of an earlier process to the daemon, which keeps those that it has.
    func restore(report: (String) -> Void) {
        guard !current.isEmpty, let problem = add(current) else { return }
        report(problem)
    }

    /// Carries out a command. Repeating it changes nothing.
    ///
    /// - Returns: Why it was not carried out, or nil.
    func apply(_ change: RemoteFenceChange) -> String? {
        let (fences, removed) = change.applied(to: current)
        if let problem = add(change.fences) ?? remove(removed) { return problem }
        do throws(StoreError) {
            try outbox.setFences(fences)
        } catch {
            return "\(error)"
        }
        current = fences
        return nil
    }

    private func add(_ fences: [RemoteFence]) -> String? {
        guard !fences.isEmpty else { return nil }
        let conditions = fences.map { fence in
            var condition = ConditionMessage(identifier: fence.identifier)
            let center = PointMessage(latitude: fence.center.latitude, longitude: fence.center.longitude)
            condition.circle = CircleMessage(center: center, radius: Double(fence.radius))
            return condition
        }
        // A call has at most 64 KiB.
        for start in stride(from: 0, to: conditions.count, by: 100) {
            let part = Array(conditions[start..<min(start + 100, conditions.count)])
            let parameters = AddParameters(name: FleetService.remoteMonitor, conditions: part)
            if let problem = call(MonitorMethods.add, parameters) { return problem }
        }
        return nil
    }

    private func remove(_ identifiers: [String]) -> String? {
        guard !identifiers.isEmpty else { return nil }
        return call(
            MonitorMethods.remove, RemoveParameters(name: FleetService.remoteMonitor, identifiers: identifiers))
    }

    private func call<P, R>(_ method: Method<P, R>, _ parameters: P) -> String? {
        do throws(ClientError) {
            let client = try Client.connect(path: socket, timeout: .milliseconds(500))
            _ = try client.call(method, with: parameters, timeout: .seconds(2))
            return nil
        } catch {
            return "\(error)"
        }
    }
}
