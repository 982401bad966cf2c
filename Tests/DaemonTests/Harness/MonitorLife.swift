import Chronology
import Geodesy
import Geofencing
import Logging
import Permission
import SextantAPI
import StateStore
import Testing

@testable import sextantd

/// The monitor of one program while its disk may fail: a client that repeats what was not
/// confirmed, and the conditions that the core monitors. There is a turn every five seconds.
final class MonitorLife {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    /// Longer than all pauses after an error.
    private static let patience = 140

    let key: MonitorKey
    private let registry: MonitorRegistry
    private var now = Instant.zero + .seconds(100)
    private var isOpen = false
    /// The conditions that the core monitors, by identifier.
    private(set) var monitored: Set<ConditionID> = []
    /// The events that were sent, by number, and those whose acknowledgement was confirmed.
    private(set) var sent: [Int: Event] = [:]
    private(set) var acknowledged: Set<Int> = []
    /// Events that were sent although their acknowledgement was confirmed.
    private(set) var sentAgain: [Int] = []
    /// Whether the client lost its monitor.
    private(set) var isLost = false

    init(in directory: String, limit: Int = 20) throws {
        key = MonitorKey(owner: try #require(ProgramID(stored: "1000")), name: "home")
        registry = MonitorRegistry(
            database: StateDatabase(directory: directory, log: MonitorLife.log), limits: MonitorLife.limits(limit),
            log: MonitorLife.log)
        registry.start(at: now)
        turn()
    }

    private static func limits(_ count: Int) -> MonitorLimits {
        var settings = Settings()
        settings.maxConditionsPerProgram = count
        return MonitorLimits(settings)
    }

    /// Lets the daemon do what is due, as its turn does.
    func turn() {
        now = now + .seconds(5)
        if let deadline = registry.deadline, deadline <= now { registry.tick(at: now) }
        if let changes = registry.takeChanges(at: now) {
            if changes.resetsAll { monitored = [] }
            monitored.subtract(changes.removed)
            monitored.formUnion(changes.added.map(\.id))
        }
        for _ in 0..<registry.subscriptions.notifiedCount { deliver() }
    }

    private func deliver() {
        guard let subscription = registry.subscriptions.takeNotified() else { return }
        isLost = isLost || subscription.isInvalidated
        if subscription.needsStatus { _ = registry.takeStatus(of: key, at: now) }
        guard let events = try? registry.takeEvents(of: key, limit: 2, at: now), !events.isEmpty else { return }
        for event in events {
            if acknowledged.contains(event.id) { sentAgain.append(event.id) }
            sent[event.id] = event
        }
        registry.subscriptions.notify(key)
    }

    /// Lets turns follow until `isTrue`, or until all pauses have passed.
    func wait(until isTrue: () -> Bool) {
        for _ in 0..<MonitorLife.patience {
            guard !isTrue() else { return }
            turn()
        }
    }

    /// Lets turns follow until nothing is left to do.
    func settle() {
        turn()
        wait { registry.deadline == nil && registry.subscriptions.notifiedCount == 0 }
    }

    /// Makes a call until it is confirmed.
    private func call(_ body: () throws -> Void) {
        for _ in 0..<MonitorLife.patience {
            let isDone = (try? body()) != nil
            if registry.database.saveCalls(at: now), isDone { return turn() }
            turn()
        }
        Issue.record("a call was never confirmed")
    }

    func open() {
        call {
            if self.isOpen { self.registry.subscriptions.close(self.key, session: 1) }
            self.isOpen = true
            let subscription = MonitorSubscriptions.Subscription(session: 1, process: 7)
            _ = try self.registry.open(self.key, subscription, at: self.now)
        }
    }

    func add(_ identifier: String, radius: Double = 100) throws {
        let center = try #require(Coordinate(latitude: 48, longitude: 11))
        let new = NewCondition(identifier, FenceCondition(shape: .circle(center: center, radius: radius)))
        call { _ = try self.registry.add([new], to: self.key, at: self.now) }
    }

    func remove(_ identifier: String) {
        call { _ = try self.registry.remove([identifier], from: self.key, at: self.now) }
    }

    /// Acknowledges the sent events, once the first is there.
    func acknowledge(_ count: Int = 1) {
        wait { self.outstanding.count >= count }
        let numbers = outstanding
        if numbers.count != count { Issue.record("\(numbers.count) of \(count) events were sent") }
        call { _ = try self.registry.acknowledge(numbers, of: self.key, at: self.now) }
        acknowledged.formUnion(numbers)
    }

    /// The numbers of sent events that are not acknowledged.
    var outstanding: [Int] { sent.keys.filter { !acknowledged.contains($0) }.sorted() }

    func setLimit(_ count: Int) {
        registry.apply(MonitorLife.limits(count), at: now)
        turn()
    }

    /// Lets the device cross the boundary of a condition, once that is monitored.
    func cross(_ identifier: String, _ kind: ConditionEvent.Kind) {
        var id: ConditionID?
        wait {
            id = self.id(of: identifier)
            guard let id else { return false }
            return self.monitored.contains(id)
        }
        guard let id else {
            Issue.record("\(identifier) is not monitored")
            return
        }
        registry.record(
            [ConditionEvent(id, kind: kind, state: kind == .entered ? .satisfied : .unsatisfied)], at: now)
        turn()
    }

    private func id(of identifier: String) -> ConditionID? {
        try? registry.record(identifier, of: key, at: now).id
    }

    /// The identifiers of the stored conditions, and the number of events to acknowledge.
    func stored() throws -> (conditions: [ConditionID: String], pending: Int) {
        let page = try registry.page(PageParameters(name: key.name), of: key, at: now)
        let conditions = page.records.map { ($0.id, $0.added.identifier) }
        let pending = page.records.reduce(0) { $0 + ($1.nextEvent == nil ? 0 : 1) + $1.furtherPending }
        return (Dictionary(uniqueKeysWithValues: conditions), pending)
    }
}
