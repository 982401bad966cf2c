internal import Dispatch
import Foundation
internal import SextantAPI
internal import Varlink
internal import VarlinkClient

/// The conditions of one monitor: those of the daemon, and those that it does not have.
///
/// The daemon does not have conditions that it refuses or does not support, and conditions that
/// were added while it did not answer. The latter are sent with the next call that reaches it.
final class ConditionStore: Sendable {
    /// A condition that the daemon does not have.
    private struct Local {
        var condition: any CLCondition
        var assumed: CLMonitor.Event.State
        var added: Date
        var problems: ConditionProblems
        /// What remains to be sent; nil if the daemon does not support it.
        var unsent: Condition?
        /// Whether the daemon has refused it for lack of space. It is sent again when others are
        /// removed, and when the monitor is opened again.
        var waitsForSpace = false
    }

    private struct State {
        var local: [String: Local] = [:]
        /// Conditions that are to be removed when the daemon answers.
        var removed: Set<String> = []
        /// Events that report flags, by identifier, while no iterator exists.
        var notices: [String: CLMonitor.Event] = [:]
        /// Conditions that were reported as beyond the limit or not supported now.
        var beyondLimit: [String: ConditionProblems] = [:]
        var readers: [Int: AsyncThrowingStream<Delivery, any Error>.Continuation] = [:]
        var lastReader = 0
        /// The events that the program has handled, and those of them that the daemon does not know
        /// to be handled yet.
        var handled = DeliveredEvents()
        var unacknowledged: Set<EventID> = []
    }

    let queue = BlockingQueue()
    private let name: String
    private let transport: Transport
    private let state = Locked(State())

    /// Creates the conditions of the monitor with this name on the socket.
    init(wireName: String, _ transport: Transport) {
        name = wireName
        self.transport = transport
    }
}

// MARK: Conditions
extension ConditionStore {
    /// The identifiers of all conditions, sorted.
    var identifiers: [String] {
        send()
        let (local, removed) = state.withLock { (Set($0.local.keys), $0.removed) }
        let stored = Set(records().map(\.condition.identifier))
        return local.union(stored.subtracting(removed)).sorted()
    }

    /// The records of all conditions that the daemon has; none if it does not answer.
    func records() -> [ConditionRecord] { (try? allRecords()) ?? [] }

    /// The records of all conditions that the daemon has.
    ///
    /// - Throws: `ClientError` if they are not known, because no daemon answers.
    func allRecords() throws(ClientError) -> [ConditionRecord] {
        var records: [ConditionRecord] = []
        var parameters = PageParameters(name: name, limit: 1000)
        do throws(ClientError) {
            while true {
                let page = try transport.callBlocking(MonitorMethods.list, parameters)
                records += page.records
                guard let next = page.next else { return records }
                parameters.after = next
            }
        } catch {
            // The monitor does not exist.
            guard case .failed(_, let refusal) = error, !refusal.isTemporary else { throw error }
            return records
        }
    }

    /// Adds a condition. What prevents its monitoring becomes an event with a flag.
    func add(_ condition: any CLCondition, identifier: String, assuming assumed: CLMonitor.Event.State) {
        guard var unsent = (condition as? any DaemonCondition)?.message(identifier: identifier) else {
            remove(identifier)
            return keep(condition, identifier, assumed, [.unsupported], unsent: nil)
        }
        unsent.assuming = assumed.assumption
        keep(condition, identifier, assumed, [], unsent: unsent)
        send()
    }

    func remove(_ identifier: String) {
        state.withLock { state in
            state.local[identifier] = nil
            state.notices[identifier] = nil
            state.beyondLimit[identifier] = nil
            state.removed.insert(identifier)
        }
        send(afterChange: true)
    }

    func record(for identifier: String) -> CLMonitor.Record? {
        send()
        let (local, isRemoved) = state.withLock { ($0.local[identifier], $0.removed.contains(identifier)) }
        if let local {
            let event = CLMonitor.Event(
                identifier: identifier,
                state: local.unsent == nil || local.waitsForSpace ? .unmonitored : local.assumed, date: local.added,
                problems: local.problems)
            return CLMonitor.Record(condition: local.condition, lastEvent: event)
        }
        guard !isRemoved else { return nil }
        let parameters = GetRecordParameters(name: name, identifier: identifier)
        return (try? transport.callBlocking(MonitorMethods.getRecord, parameters)).map { CLMonitor.Record($0.record) }
    }

    private func keep(
        _ condition: any CLCondition, _ identifier: String, _ assumed: CLMonitor.Event.State,
        _ problems: ConditionProblems, unsent: Condition?
    ) {
        state.withLock { state in
            if unsent != nil { state.removed.remove(identifier) }
            state.local[identifier] = Local(
                condition: condition, assumed: assumed, added: Date(), problems: problems, unsent: unsent)
        }
        if !problems.isEmpty { report(identifier, problems) }
    }

    /// Sends what the daemon does not have yet.
    ///
    /// - Parameter afterChange: Whether there may be space again for conditions that had none.
    private func send(afterChange: Bool = false) {
        let unsent = state.withLock { state in
            state.local.filter { afterChange || !$0.value.waitsForSpace }.compactMapValues(\.unsent)
        }
        guard sendRemovals() else { return }
        for (identifier, condition) in unsent.sorted(by: { $0.key < $1.key }) where !send(identifier, condition) {
            return
        }
        // A condition that was refused does not keep the one that it replaces.
        _ = sendRemovals()
    }

    /// Removes what is to be removed. Returns false if no daemon answers.
    private func sendRemovals() -> Bool {
        let removed = state.withLock { $0.removed.sorted() }
        guard !removed.isEmpty else { return true }
        do throws(ClientError) {
            let parameters = RemoveParameters(name: name, identifiers: removed)
            _ = try transport.callBlocking(MonitorMethods.remove, parameters)
        } catch {
            guard case .failed(_, let refusal) = error, !refusal.isTemporary else { return false }
        }
        state.withLock { $0.removed.subtract(removed) }
        return true
    }

    /// Sends a condition. Returns false if no daemon answers.
    private func send(_ identifier: String, _ condition: Condition) -> Bool {
        do throws(ClientError) {
            let addition = try add(condition)
            state.withLock { $0.local[identifier] = nil }
            if addition.unmonitored.contains(identifier) {
                reportLimit(
                    of: CLMonitor.Event(
                        identifier: identifier, state: .unmonitored, date: Date(), problems: [.limitExceeded]))
            }
        } catch {
            guard case .failed(_, let refusal) = error, !refusal.isTemporary else {
                let isNew = state.withLock { $0.local[identifier]?.problems.insert(.notPersistent).inserted ?? false }
                if isNew { report(identifier, [.notPersistent], state: .unknown) }
                return false
            }
            let problems = ConditionProblems(refusal: refusal.name)
            let isNew = state.withLock { state in
                guard var local = state.local[identifier] else { return false }
                defer { state.local[identifier] = local }
                let isNew = local.problems != problems
                local.problems = problems
                local.waitsForSpace = problems == .limitExceeded
                if !local.waitsForSpace { local.unsent = nil }
                state.removed.insert(identifier)
                return isNew
            }
            if isNew { report(identifier, problems) }
        }
        return true
    }
}

// MARK: Events
extension ConditionStore {
    /// Opens the monitor and returns its events until the stream is dropped. The program is in a
    /// session meanwhile.
    func deliveries() -> AsyncThrowingStream<Delivery, any Error> {
        AsyncThrowingStream { continuation in
            let number = addReader(continuation)
            let session = SessionDeclaration(.whenInUse, isImplicit: true, of: transport)
            let task = Task { await self.deliver(to: continuation) }
            continuation.onTermination = { [weak self] _ in
                task.cancel()
                session.end()
                self?.removeReader(number)
            }
        }
    }

    /// Acknowledges an event. If that fails, it is tried again with the next event, and when the
    /// monitor is opened again or can be saved again.
    func acknowledge(_ delivery: Delivery) async {
        guard let event = delivery.key else { return }
        state.withLock { state in
            state.handled.insert(event)
            state.unacknowledged.insert(event)
        }
        await acknowledgeHandled()
    }

    private func acknowledgeHandled() async {
        let handled = state.withLock { $0.unacknowledged }
        guard !handled.isEmpty else { return }
        let parameters = AcknowledgeParameters(name: name, events: handled.map { Int($0.number) }.sorted())
        do {
            _ = try await transport.call(MonitorMethods.acknowledge, parameters)
        } catch TransportError.failed(_, let refusal) where !refusal.isTemporary {
            // The monitor does not exist any more.
        } catch {
            return
        }
        state.withLock { $0.unacknowledged.subtract(handled) }
    }

    /// Opens the monitor until its events end.
    private func deliver(to continuation: AsyncThrowingStream<Delivery, any Error>.Continuation) async {
        do {
            var delay = Duration.milliseconds(20)
            while try await openOnce(continuation) {
                // Another loop of this process may keep the monitor open.
                try await Task.sleep(for: delay)
                delay = min(delay * 2, .seconds(5))
            }
            continuation.finish()
        } catch {
            continuation.finish(throwing: CLError(reporting: error))
        }
    }

    /// Opens the monitor once. Returns whether it must be opened again.
    private func openOnce(
        _ continuation: AsyncThrowingStream<Delivery, any Error>.Continuation
    ) async throws -> Bool {
        let call = transport.stream(
            MonitorMethods.open, OpenParameters(name: name, latestOnly: true), delivery: .all)
        var reader = OpenMonitor()
        do {
            while let arrival = try await call.next() {
                if arrival.connection != reader.connection {
                    reader.connection = arrival.connection
                    // The daemon sends those again that it does not know to be handled. The monitor
                    // may have been created anew, and their numbers belong to other events then.
                    state.withLock { $0.unacknowledged = [] }
                }
                await take(try arrival.reply(to: MonitorMethods.open), &reader, continuation)
            }
            return false
        } catch {
            // An iterator of this process that was just dropped still has the monitor open.
            guard case .failed(_, let reply) = error, case .monitorInUse(_, Int(getpid()))? = MonitorError(reply) else {
                throw error
            }
            return true
        }
    }

    /// Handles a reply of an open monitor: its state or an event.
    private func take(
        _ reply: OpenReply, _ reader: inout OpenMonitor,
        _ continuation: AsyncThrowingStream<Delivery, any Error>.Continuation
    ) async {
        if let monitor = reply.monitor {
            queue.queue.async { self.send(afterChange: true) }
            await acknowledgeHandled()
            if monitor.permission != reader.flags, !monitor.permission.isEmpty { reportAll() }
            reader.flags = monitor.permission
        }
        if let record = reply.record { reportLimit(of: CLMonitor.Record(record).lastEvent) }
        guard let delivery = reply.event.map(Delivery.init), let event = delivery.key else { return }
        // After a restart of the daemon the same event comes again. One that is being handled is
        // acknowledged after that.
        guard !state.withLock({ $0.handled.contains(event) }) else { return await acknowledge(delivery) }
        guard !reader.delivered.contains(event) else { return }
        reader.delivered.insert(event)
        // A dwell repeats the state.
        if delivery.kind == .dwelt { return await acknowledge(delivery) }
        continuation.yield(delivery)
    }

    /// Reports once that a condition is beyond the limit, or not supported now. When it is
    /// monitored again, its next determination is an event. The state of one that is supported
    /// again was kept, and is reported.
    private func reportLimit(of event: CLMonitor.Event) {
        let problems = event.problems.intersection([.limitExceeded, .unsupported])
        let before = state.withLock { state in
            defer { state.beyondLimit[event.identifier] = problems.isEmpty ? nil : problems }
            return state.beyondLimit[event.identifier]
        }
        let isKept = before?.contains(.unsupported) == true && [.satisfied, .unsatisfied].contains(event.state)
        if problems.isEmpty ? isKept : problems != before { report(event) }
    }

    private func reportAll() {
        queue.queue.async { [self] in
            for record in records() { report(CLMonitor.Record(record).lastEvent) }
        }
    }

    private func report(
        _ identifier: String, _ problems: ConditionProblems, state: CLMonitor.Event.State = .unmonitored
    ) {
        report(CLMonitor.Event(identifier: identifier, state: state, date: Date(), problems: problems))
    }

    private func report(_ event: CLMonitor.Event) {
        let readers = state.withLock { state in
            if state.readers.isEmpty { state.notices[event.identifier] = event }
            return Array(state.readers.values)
        }
        for reader in readers { reader.yield(Delivery(event)) }
    }

    private func addReader(_ continuation: AsyncThrowingStream<Delivery, any Error>.Continuation) -> Int {
        let (number, notices) = state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = continuation
            defer { state.notices = [:] }
            return (state.lastReader, state.notices.values.sorted { $0.identifier < $1.identifier })
        }
        for notice in notices { continuation.yield(Delivery(notice)) }
        return number
    }

    private func removeReader(_ number: Int) {
        _ = state.withLock { $0.readers.removeValue(forKey: number) }
    }
}

/// What one call of `Open` has reported.
private struct OpenMonitor {
    var connection = 0
    var flags = PermissionFlags()
    /// The events that were passed on. Their numbers do not ascend: an event waits for the
    /// acknowledgement of an earlier one of its condition.
    var delivered = DeliveredEvents()
}

extension CLMonitor.Record {
    init(_ record: ConditionRecord) {
        let condition = record.condition
        let problems = ConditionProblems(record)
        let isUnmonitored = !problems.isDisjoint(with: [.limitExceeded, .unsupported])
        // One that is not supported now is no more in the state of its last event.
        let handled =
            problems.contains(.unsupported)
            ? nil : record.lastEvent.map { CLMonitor.Event($0, flags: record.permission, problems: problems) }
        let assumed = CLMonitor.Event(
            identifier: condition.identifier,
            state: isUnmonitored ? .unmonitored : CLMonitor.Event.State(condition.assuming ?? .unknown),
            date: record.added.map(Date.init) ?? .distantPast, flags: record.permission, problems: problems)
        self.init(
            condition: CLMonitor.CircularGeographicCondition(condition)
                ?? condition.beacon.flatMap { CLMonitor.BeaconIdentityCondition($0) } ?? OtherShapeCondition(),
            lastEvent: handled ?? assumed)
    }
}

extension CLMonitor.BeaconIdentityCondition: DaemonCondition {
    /// The beacons of a message of the daemon; nil if they are not valid.
    init?(_ message: BeaconMessage) {
        guard let identity = CLBeaconIdentityConstraint.Identity(message) else { return nil }
        uuid = identity.uuid
        (major, minor) = (identity.major, identity.minor)
    }

    func message(identifier: String) -> Condition {
        let identity = CLBeaconIdentityConstraint.Identity(uuid: uuid, major: major, minor: minor)
        return Condition(identifier: identifier, beacon: identity.message)
    }
}

extension CLMonitor.CircularGeographicCondition: DaemonCondition {
    /// The circle of a condition of the daemon; nil if it has another shape.
    init?(_ condition: Condition) {
        guard let circle = condition.circle else { return nil }
        self.init(
            center: CLLocationCoordinate2D(latitude: circle.center.latitude, longitude: circle.center.longitude),
            radius: circle.radius)
    }

    func message(identifier: String) -> Condition {
        let center = Point(latitude: center.latitude, longitude: center.longitude)
        return Condition(identifier: identifier, circle: ConditionCircle(center: center, radius: radius))
    }
}

// MARK: Regions
extension ConditionStore {
    func addRegion(_ region: CLRegion, _ monitored: any DaemonCondition) throws(ClientError) -> Addition {
        var condition = monitored.message(identifier: region.identifier)
        condition.metadata = [
            "notifyOnEntry": .bool(region.notifyOnEntry), "notifyOnExit": .bool(region.notifyOnExit),
        ]
        // It may wait to be removed, because the daemon did not answer.
        state.withLock { _ = $0.removed.remove(region.identifier) }
        return try add(condition)
    }

    private func add(_ condition: Condition) throws(ClientError) -> Addition {
        try transport.callBlocking(MonitorMethods.add, AddParameters(name: name, conditions: [condition]))
    }

    /// The record of a condition as the daemon has it; nil if it has none.
    ///
    /// - Throws: `ClientError` if that is not known, because no daemon answers.
    func record(of identifier: String) throws(ClientError) -> ConditionRecord? {
        do throws(ClientError) {
            let parameters = GetRecordParameters(name: name, identifier: identifier)
            return try transport.callBlocking(MonitorMethods.getRecord, parameters).record
        } catch {
            guard case .failed(_, let refusal) = error, !refusal.isTemporary else { throw error }
            return nil
        }
    }
}

extension VarlinkError {
    /// Whether the same call may succeed later.
    fileprivate var isTemporary: Bool { isTemporaryRefusal || name.hasSuffix(".PersistenceUnavailable") }
}
