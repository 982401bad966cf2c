internal import Dispatch
import Foundation
internal import VarlinkClient

/// The delegate of a ``CLLocationManager``, and the calls that wait for its queue.
final class DelegateQueue: Sendable {
    private struct Waiting {
        var locations: [CLLocation] = []
        var heading: CLHeading?
        var permission: ManagerCore.Permission?
        var callCount = 0
        var reportedPermission = ManagerCore.Permission()
    }

    /// The maximum number of locations and of other calls that wait for a queue that does not run,
    /// or is blocked. The newest locations, heading and permission remain; further other calls are
    /// lost.
    private static let maxWaiting = 256

    /// A manager and its delegate, which a closure on its queue may use.
    private struct Manager: @unchecked Sendable {
        weak var object: CLLocationManager?
        weak var delegate: (any CLLocationManagerDelegate)?
    }

    private struct DelegateCall<Value>: @unchecked Sendable {
        let perform: (Value, CLLocationManager, any CLLocationManagerDelegate) -> Void
    }

    private let queue: DispatchQueue
    private let waiting = Locked(Waiting())
    private let manager = Locked(Manager())

    init(_ queue: DispatchQueue) { self.queue = queue }

    func attach(_ object: CLLocationManager) {
        let new = Manager(object: object)
        manager.withLock { $0 = new }
    }

    /// The delegate. Any thread may set it while another one calls it.
    var delegate: (any CLLocationManagerDelegate)? {
        get { manager.withLock { $0 }.delegate }
        set {
            var new = manager.withLock { $0 }
            new.delegate = newValue
            manager.withLock { [new] in $0 = new }
        }
    }

    var reportedPermission: ManagerCore.Permission { waiting.withLock { $0.reportedPermission } }

    /// Calls the delegate, unless the manager or the delegate is gone.
    func deliver(_ call: @escaping (CLLocationManager, any CLLocationManagerDelegate) -> Void) {
        let mayWait = waiting.withLock { waiting in
            guard waiting.callCount < Self.maxWaiting else { return false }
            waiting.callCount += 1
            return true
        }
        guard mayWait else { return }
        enqueue({ $0.callCount -= 1 }) { call($1, $2) }
    }

    /// Passes a location to the delegate, together with others that wait.
    func deliver(_ location: CLLocation) {
        let isFirst = waiting.withLock { waiting in
            waiting.locations.append(location)
            if waiting.locations.count > Self.maxWaiting { waiting.locations.removeFirst() }
            return waiting.locations.count == 1
        }
        guard isFirst else { return }
        enqueue({ waiting in
            defer { waiting.locations = [] }
            return waiting.locations
        }) { $2.locationManager($1, didUpdateLocations: $0) }
    }

    /// Passes a heading to the delegate, in place of one that waits.
    func deliver(_ heading: CLHeading) {
        let isFirst = waiting.withLock { waiting in
            defer { waiting.heading = heading }
            return waiting.heading == nil
        }
        guard isFirst else { return }
        enqueue({ $0.heading.take() }) { heading, manager, delegate in
            if let heading { delegate.locationManager(manager, didUpdateHeading: heading) }
        }
    }

    /// Reports a permission to the delegate, in place of one that waits.
    func deliver(_ permission: ManagerCore.Permission) {
        let isFirst = waiting.withLock { waiting in
            defer { waiting.permission = permission }
            return waiting.permission == nil
        }
        guard isFirst else { return }
        enqueue({ waiting in
            if let permission = waiting.permission.take() { waiting.reportedPermission = permission }
        }) { $2.locationManagerDidChangeAuthorization($1) }
    }

    /// Calls the delegate as ``deliver(_:)`` does. Returns after that whether there was one.
    func delivered(_ call: @escaping (CLLocationManager, any CLLocationManagerDelegate) -> Void) async -> Bool {
        let (manager, call) = (manager.withLock { $0 }, DelegateCall<Void> { call($1, $2) })
        return await withCheckedContinuation { continuation in
            queue.async { [self] in
                guard let object = manager.object, let delegate = self.delegate else {
                    return continuation.resume(returning: false)
                }
                // The delegate may release its manager.
                call.perform((), object, delegate)
                continuation.resume(returning: true)
            }
        }
    }

    /// Takes a value on the queue, and passes it to the delegate, unless the manager or the
    /// delegate is gone.
    private func enqueue<Value: Sendable>(
        _ take: @escaping @Sendable (inout Waiting) -> Value,
        _ call: @escaping (Value, CLLocationManager, any CLLocationManagerDelegate) -> Void
    ) {
        let (manager, call) = (manager.withLock { $0 }, DelegateCall(perform: call))
        queue.async { [self] in
            let value = waiting.withLock { take(&$0) }
            guard let object = manager.object, let delegate = self.delegate else { return }
            call.perform(value, object, delegate)
        }
    }
}
