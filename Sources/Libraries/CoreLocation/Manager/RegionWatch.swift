internal import Chronology
import Foundation
internal import SextantAPI
internal import Varlink
internal import VarlinkClient

/// The regions of a program: one monitor, which all managers share.
final class RegionWatch: Sendable {
    private struct State {
        var managers: [WeakCore] = []
        var task: Task<Void, Never>?
        /// Whether the monitor was asked for while it was open, perhaps about to be closed.
        var opensAgain = false
    }

    private struct WeakCore: Sendable {
        weak var core: ManagerCore?
    }

    private static let all = Locked<[Transport: RegionWatch]>([:])

    static func shared(of transport: Transport) -> RegionWatch {
        all.withLock { all in
            let watch = all[transport] ?? RegionWatch(transport)
            all[transport] = watch
            return watch
        }
    }

    private let store: ConditionStore
    private let transport: Transport
    private let state = Locked(State())
    /// The longest time after which a failed attempt is repeated. It begins with that of the
    /// transport and doubles.
    private static let longestDelay = Duration.seconds(60)
    private var firstDelay: Duration { .nanoseconds(transport.limits.firstDelay.nanoseconds) }

    private init(_ transport: Transport) {
        store = ConditionStore(wireName: HeldMonitorName.regions, transport)
        self.transport = transport
    }

    /// Delivers events to the delegate of a manager from now on. The monitor is opened if regions
    /// were added by an earlier run.
    func add(_ core: ManagerCore) {
        state.withLock { state in
            state.managers.removeAll { $0.core == nil || $0.core === core }
            state.managers.append(WeakCore(core: core))
        }
        let core = WeakCore(core: core)
        Task {
            let records = await answer(while: { core.core != nil }) { store throws(ClientError) in
                try store.allRecords()
            }
            if records?.isEmpty == false { open() }
        }
    }

    /// Delivers no more events to a manager. Without a manager the monitor is closed, and events
    /// wait.
    func remove(_ core: ManagerCore) {
        let task = state.withLock { state in
            state.managers.removeAll { $0.core == nil || $0.core === core }
            defer { if state.managers.isEmpty { state.task = nil } }
            return state.managers.isEmpty ? state.task : nil
        }
        task?.cancel()
    }

    var monitored: Set<CLRegion> {
        store.queue.queue.sync { Set(store.records().compactMap { CLRegion.region($0) }) }
    }

    /// Monitors a region, and informs the delegate of the manager.
    func start(_ region: CLRegion, for core: ManagerCore) {
        guard let condition = region.condition else {
            let error = CLError(.regionMonitoringFailure, because: "only circles and beacons can be monitored")
            return core.delegates.deliver { $1.locationManager($0, monitoringDidFailFor: region, withError: error) }
        }
        store.queue.queue.async { [self] in
            do throws(ClientError) {
                let addition = try store.addRegion(region, condition)
                open()
                core.delegates.deliver { $1.locationManager($0, didStartMonitoringFor: region) }
                guard !addition.unmonitored.isEmpty else { return }
                let error = CLError(
                    .regionMonitoringFailure, because: "the program has more conditions than its limit")
                core.delegates.deliver { $1.locationManager($0, monitoringDidFailFor: region, withError: error) }
            } catch {
                let error = CLError(reporting: error)
                core.delegates.deliver { $1.locationManager($0, monitoringDidFailFor: region, withError: error) }
            }
        }
    }

    func stop(_ region: CLRegion) {
        store.queue.queue.async { [self] in store.remove(region.identifier) }
    }

    /// Informs the delegate of the state of a region.
    func requestState(of region: CLRegion, for core: ManagerCore) {
        store.queue.queue.async { [self] in
            let record = store.records().first { $0.condition.identifier == region.identifier }
            let state = CLRegionState(CLMonitor.Event.State(record?.state ?? .unknown))
            core.delegates.deliver { $1.locationManager($0, didDetermineState: state, for: region) }
        }
    }

    private func open() {
        state.withLock { state in
            state.opensAgain = state.task != nil
            guard state.task == nil, !state.managers.isEmpty else { return }
            state.task = Task { await self.deliver() }
        }
    }

    /// Records that the monitor is closed. It is opened again if that was asked for meanwhile.
    private func closed() {
        state.withLock { state in
            guard !Task.isCancelled else { return }
            state.task = nil
            defer { state.opensAgain = false }
            guard state.opensAgain, !state.managers.isEmpty else { return }
            state.task = Task { await self.deliver() }
        }
    }

    private func deliver() async {
        var delay = firstDelay
        attempts: while !Task.isCancelled {
            do {
                for try await delivery in store.deliveries() {
                    delay = firstDelay
                    // Without a delegate the event waits for the next one, which opens the monitor.
                    guard await report(delivery) else { break attempts }
                    if Task.isCancelled { return }
                    await store.acknowledge(delivery)
                }
                break
            } catch {
                for core in cores {
                    core.delegates.deliver { $1.locationManager($0, monitoringDidFailFor: nil, withError: error) }
                }
                try? await Task.sleep(for: delay)
                delay = min(delay * 2, Self.longestDelay)
            }
        }
        // The next region, or the next delegate, opens the monitor again.
        closed()
    }

    /// Returns the answer to a call, as soon as a daemon answers; nil if the task is cancelled or
    /// the answer is not wanted any more.
    private func answer<Answer: Sendable>(
        while isWanted: @Sendable () -> Bool = { true },
        _ call: @escaping @Sendable (ConditionStore) throws(ClientError) -> Answer
    ) async -> Answer? {
        var delay = firstDelay
        while !Task.isCancelled, isWanted() {
            let result = await withCheckedContinuation { continuation in
                store.queue.queue.async { [store] in
                    continuation.resume(returning: Result { () throws(ClientError) in try call(store) })
                }
            }
            if case .success(let answer) = result { return answer }
            try? await Task.sleep(for: delay)
            delay = min(delay * 2, Self.longestDelay)
        }
        return nil
    }

    private var cores: [ManagerCore] { state.withLock { $0.managers.compactMap(\.core) } }

    /// Informs all delegates of an event, and returns whether there are any. The first
    /// determination of a state is no crossing.
    private func report(_ delivery: Delivery) async -> Bool {
        let event = delivery.event
        guard delivery.key != nil || event.conditionUnsupported else { return true }
        let record = await answer { store throws(ClientError) in try store.record(of: event.identifier) }
        guard let region = CLRegion.region(record ?? nil) else { return true }
        guard delivery.key != nil else {
            let reason = (record ?? nil)?.conditionUnsupported ?? "the condition is not supported"
            let error = CLError(.regionMonitoringFailure, because: reason)
            for core in cores {
                core.delegates.deliver { $1.locationManager($0, monitoringDidFailFor: region, withError: error) }
            }
            return true
        }
        var hasDelegate = false
        for core in cores {
            let isDelivered = await core.delegates.delivered { manager, delegate in
                if delivery.kind == .entered, region.notifyOnEntry {
                    delegate.locationManager(manager, didEnterRegion: region)
                } else if delivery.kind == .left, region.notifyOnExit {
                    delegate.locationManager(manager, didExitRegion: region)
                }
                delegate.locationManager(manager, didDetermineState: CLRegionState(event.state), for: region)
            }
            if isDelivered { hasDelegate = true }
        }
        return hasDelegate
    }
}

extension CLRegionState {
    init(_ state: CLMonitor.Event.State) {
        self =
            switch state {
            case .satisfied: .inside
            case .unsatisfied: .outside
            case .unknown, .unmonitored: .unknown
            }
    }
}

extension CLRegion {
    /// The condition of the region; nil for one of another class.
    fileprivate var condition: (any DaemonCondition)? {
        switch self {
        case let circle as CLCircularRegion:
            return CLMonitor.CircularGeographicCondition(center: circle.center, radius: circle.radius)
        case let beacon as CLBeaconRegion: return CLMonitor.BeaconIdentityCondition(beacon.identity.message)
        default: return nil
        }
    }

    /// The region of a record of the daemon; nil if it is neither a circle nor beacons.
    static func region(_ record: ConditionRecord?) -> CLRegion? {
        guard let condition = record?.condition else { return nil }
        let region: CLRegion
        if let circle = CLMonitor.CircularGeographicCondition(condition) {
            region = CLCircularRegion(center: circle.center, radius: circle.radius, identifier: condition.identifier)
        } else if let identity = condition.beacon.flatMap({ CLBeaconIdentityConstraint.Identity($0) }) {
            region = CLBeaconRegion(identity: identity, identifier: condition.identifier)
        } else {
            return nil
        }
        region.notifyOnEntry = condition.metadata?["notifyOnEntry"]?.bool ?? true
        region.notifyOnExit = condition.metadata?["notifyOnExit"]?.bool ?? true
        return region
    }
}
