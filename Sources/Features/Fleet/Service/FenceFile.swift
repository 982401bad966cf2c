import Glibc
import SQLite
import ServiceRuntime
import SystemCalls

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
        let others = ((try? Directory.names(in: state)) ?? []).filter { $0.hasPrefix("outbox-") && $0.hasSuffix(".db") }
            .map { "\(state)/\($0)" }.filter { !outboxes.contains($0) }
        let present = (outboxes + others).filter { access($0, F_OK) == 0 }
        var isComplete = true
        for path in present {
            do throws(StoreError) {
                let damaged = try store.importFences(from: path, hostTime: HostClock.utc)
                if let damaged { log.write("\(damaged)", priority: .error) }
            } catch {
                isComplete = false
                log.write("taking over fences: \(error); trying again at the next start", priority: .error)
            }
        }
        if isComplete { try store.finishImport() }
    }
}
