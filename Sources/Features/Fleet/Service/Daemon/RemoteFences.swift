import Chronology
import Geodesy
import Glibc
import SQLite
import ServiceRuntime
import SextantAPI
import SystemCalls
import VarlinkClient

/// The fences that servers have set, as conditions of the monitor "fleet".
///
/// Changes are carried out one after another. The daemon answers each part of a change; until the
/// last answer, the store knows which fences the daemon may have in another state.
final class RemoteFences {
    /// The monitor whose conditions servers set.
    static let monitor = "fleet"
    private static let retryInterval = Instant.Span.seconds(5)
    /// A call has at most 64 KiB.
    private static let maxPart = 100

    /// The result of a part of a change: why it failed, or nil.
    private typealias Completion = ((any Error)?) -> Void

    private enum Work {
        /// Brings the daemon back to the stored fences.
        case restore
        /// Carries out a command.
        case change(RemoteFenceChange, (String?) -> Void)
    }

    private let calls: DaemonCalls
    private let store: RemoteFenceStore
    private let logProblem: (String) -> Void
    private var waiting: [Work] = []
    private var isWorking = false
    /// The fences of the change that is carried out: their events may come before the last answer.
    private var changing: [RemoteFence] = []
    /// The fences of a change that was interrupted or refused, until it is undone.
    private var unfinished: Set<String>
    /// When the fences are restored again after a failure; nil: not before the monitor is opened.
    private(set) var deadline: Instant?
    /// The fences, sorted by identifier.
    private(set) var current: [RemoteFence]

    /// Reads the fences of an earlier process.
    init(_ store: RemoteFenceStore, calls: DaemonCalls, logProblem: @escaping (String) -> Void) throws(FleetError) {
        self.store = store
        self.calls = calls
        self.logProblem = logProblem
        do throws(StoreError) {
            current = try store.fences()
            unfinished = Set(try store.unfinished())
        } catch {
            throw .fences(error)
        }
    }

    /// Returns the time at which a server created a fence; nil if it did not.
    func created(_ identifier: String) -> Int64? {
        let isMeant: (RemoteFence) -> Bool = { $0.identifier == identifier }
        return (changing.last(where: isMeant) ?? current.first(where: isMeant))?.created
    }

    /// Returns whether a fence is one of a change that is being undone: its events are of no use.
    func isUndone(_ identifier: String) -> Bool { unfinished.contains(identifier) && created(identifier) == nil }

    /// Adds the fences to the daemon, which keeps those that it has, and ends a change that was
    /// interrupted.
    func restore() {
        deadline = nil
        if !waiting.contains(where: { if case .restore = $0 { true } else { false } }) { begin(.restore) }
    }

    /// Carries out a command. Repeating it changes nothing.
    ///
    /// - Parameter completion: Gets the reason why it was not carried out, or nil.
    func apply(_ change: RemoteFenceChange, completion: @escaping (String?) -> Void) {
        begin(.change(change, completion))
    }

    /// Acts if it is time.
    func tick(at now: Instant) {
        if let deadline, now >= deadline { restore() }
    }

    private func begin(_ work: Work) {
        waiting.append(work)
        beginNext()
    }

    private func beginNext() {
        guard !isWorking, !waiting.isEmpty else { return }
        isWorking = true
        switch waiting.removeFirst() {
        case .restore: restoreNow()
        case .change(let change, let completion): apply(change, completion)
        }
    }

    private func finishWork() {
        isWorking = false
        changing = []
        beginNext()
    }

    private func restoreNow() {
        let fences = current
        let finish: Completion = { [weak self] error in
            guard let self else { return }
            do {
                if let error { throw error }
                if !unfinished.isEmpty { try store.finish(fences) }
                unfinished = []
            } catch {
                logProblem("restoring the fences of servers: \(error)")
                // A refusal, such as too many fences, needs a change elsewhere.
                if (error as? ClientError)?.isRefusal != true {
                    deadline = HostClock.now + RemoteFences.retryInterval
                }
            }
            finishWork()
        }
        let superfluous = unfinished.subtracting(fences.map(\.identifier)).sorted()
        remove(superfluous[...]) { [weak self] error in
            if let error { finish(error) } else { self?.add(fences[...], finish) }
        }
    }

    private func apply(_ change: RemoteFenceChange, _ completion: @escaping (String?) -> Void) {
        let (fences, removed) = change.applied(to: current)
        changing = change.fences
        let finish: Completion = { [weak self] error in
            guard let self else { return }
            do {
                if let error { throw error }
                try store.finish(fences)
                unfinished = []
                current = fences
                completion(nil)
            } catch {
                completion("\(error)")
                // The daemon may have a part of the change.
                restore()
            }
            finishWork()
        }
        do {
            let identifiers = change.fences.map(\.identifier) + removed
            try store.begin(identifiers)
            unfinished.formUnion(identifiers)
        } catch {
            return finish(error)
        }
        add(change.fences[...]) { [weak self] error in
            if let error { finish(error) } else { self?.remove(removed[...], finish) }
        }
    }

    private func add(_ fences: ArraySlice<RemoteFence>, _ completion: @escaping Completion) {
        guard !fences.isEmpty else { return completion(nil) }
        let parameters = AddParameters(
            name: RemoteFences.monitor,
            conditions: fences.prefix(RemoteFences.maxPart).map { Condition($0) })
        calls.call(MonitorMethods.add, with: parameters) { [weak self] result in
            switch result {
            case .failure(let error): completion(error)
            case .success: self?.add(fences.dropFirst(RemoteFences.maxPart), completion)
            }
        }
    }

    private func remove(_ identifiers: ArraySlice<String>, _ completion: @escaping Completion) {
        guard !identifiers.isEmpty else { return completion(nil) }
        let part = Array(identifiers.prefix(RemoteFences.maxPart))
        let parameters = RemoveParameters(name: RemoteFences.monitor, identifiers: part)
        calls.call(MonitorMethods.remove, with: parameters) { [weak self] result in
            switch result {
            case .failure(let error): completion(error)
            case .success: self?.remove(identifiers.dropFirst(RemoteFences.maxPart), completion)
            }
        }
    }
}

extension Condition {
    fileprivate init(_ fence: RemoteFence) {
        self.init(identifier: fence.identifier)
        let center = Point(latitude: fence.center.latitude, longitude: fence.center.longitude)
        circle = ConditionCircle(center: center, radius: Double(fence.radius))
    }
}

extension ClientError {
    /// Whether the daemon answered that it does not carry out the call.
    fileprivate var isRefusal: Bool { if case .failed = self { true } else { false } }
}

/// The file of the fences that servers have set, in the state directory.
struct FenceFile {
    private let state: String

    /// - Parameter state: The state directory.
    init(state: String) { self.state = state }

    /// Opens the store of fences. At first it takes over those that earlier versions kept in
    /// outboxes, which must not be open yet.
    ///
    /// - Parameter outboxes: The files of the destinations in their order, which need not exist.
    func store(importingFrom outboxes: [String], log: ProgramLog) throws(FleetError) -> RemoteFenceStore {
        do throws(StoreError) {
            let store = try RemoteFenceStore(path: "\(state)/fences.db", hostTime: HostClock.utc)
            if let damaged = store.damaged { log.write("\(damaged)", priority: .error) }
            if try store.needsImport() { try importFences(from: outboxes, to: store, log: log) }
            return store
        } catch {
            throw .fences(error)
        }
    }

    /// The outboxes of destinations that are no longer named may have fences too. If one of them
    /// cannot be read, those of the others are taken over, and the next start tries again.
    private func importFences(from outboxes: [String], to store: RemoteFenceStore, log: ProgramLog) throws(StoreError) {
        var isComplete = true
        func report(_ error: some Error) {
            isComplete = false
            log.write("taking over fences: \(error); trying again at the next start", priority: .error)
        }
        var paths = outboxes
        do throws(SystemError) {
            let names = try Directory.names(in: state).filter { $0.hasPrefix("outbox-") && $0.hasSuffix(".db") }
            paths += names.map { "\(state)/\($0)" }.filter { !outboxes.contains($0) }
        } catch {
            report(error)
        }
        for path in paths where access(path, F_OK) == 0 {
            do throws(StoreError) {
                let damaged = try store.importFences(from: path, hostTime: HostClock.utc)
                if let damaged { log.write("\(damaged)", priority: .error) }
            } catch {
                report(error)
            }
        }
        if isComplete { try store.finishImport() }
    }
}
