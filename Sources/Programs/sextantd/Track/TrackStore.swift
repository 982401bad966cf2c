import Chronology
import Glibc
import Logging
import SQLite
import StateStore
import SystemCalls

/// The track on disk, and its newest points, which wait for the disk: an idle disk is woken once a
/// minute at most.
final class TrackStore {
    /// The number of waiting points, and the time they wait, after which they are written.
    private static let maxWaiting = 64
    private static let maxDelay = Instant.Span.seconds(60)
    /// The maximum number of points that wait while the disk fails.
    private static let maxUnsaved = 4096
    /// The time after which a failed write is repeated, the first and the longest.
    private static let retryInterval = (first: Instant.Span.seconds(10), last: Instant.Span.seconds(600))
    /// The time after which old points are deleted first, when the host's clock may be set, and
    /// then again.
    private static let expiryInterval = (first: Instant.Span.seconds(600), then: Instant.Span.seconds(86_400))

    private let file: DatabaseFile
    private let log: Logger
    /// How long points are kept; zero for none.
    private var lifetime = Instant.Span.zero
    /// When old points are deleted that no new ones replace; nil without a file.
    private var nextExpiry: Instant?
    private var database: Database?
    private var unsaved: [TrackRow] = []
    /// When the waiting points are written; nil if none wait.
    private var nextWrite: Instant?
    private var backoff = ExponentialBackoff()
    private var hasLoggedError = false

    init(directory: String, log: Logger) {
        file = DatabaseFile(path: "\(directory)/track.db", schema: TrackTable.schema)
        self.log = log
    }

    /// When ``tick(at:)`` is due; nil if it is not.
    var deadline: Instant? { earliest(nextWrite, nextExpiry) }

    /// Sets how long points are kept. Zero erases them, and a failure to do so is repeated.
    func apply(_ lifetime: Instant.Span, at now: Instant) {
        self.lifetime = lifetime
        nextExpiry = exists ? now + TrackStore.expiryInterval.first : nil
        guard lifetime == .zero, exists else { return }
        logging(at: now) { () throws(StoreError) in
            _ = try erase()
            nextExpiry = nil
        }
        close()
    }

    func add(_ point: TrackRow, at now: Instant) {
        unsaved.append(point)
        if unsaved.count > TrackStore.maxUnsaved { unsaved.removeFirst() }
        nextWrite = nextWrite ?? now + TrackStore.maxDelay
        nextExpiry = nextExpiry ?? now + TrackStore.expiryInterval.then
        if unsaved.count == TrackStore.maxWaiting { save(at: now) }
    }

    /// Writes the points that have waited long enough, and deletes those that are too old.
    func tick(at now: Instant) {
        if let nextWrite, nextWrite <= now { save(at: now) }
        guard let nextExpiry, nextExpiry <= now else { return }
        guard lifetime > .zero else { return apply(lifetime, at: now) }
        self.nextExpiry = now + TrackStore.expiryInterval.then
        guard let date = HostClock.utcIfSet else { return }
        let expiry = date.advanced(by: .zero - lifetime).milliseconds
        logging(at: now) { () throws(StoreError) in try table().expire(before: expiry) }
    }

    /// Writes the waiting points, and reports an error in the log.
    func save(at now: Instant) { logging(at: now) { () throws(StoreError) in try write() } }

    private func logging(at now: Instant, _ access: () throws(StoreError) -> Void) {
        do throws(StoreError) {
            try access()
            hasLoggedError = false
            backoff.reset()
        } catch {
            let interval = TrackStore.retryInterval
            if !unsaved.isEmpty { nextWrite = now + backoff.next(from: interval.first, max: interval.last) }
            if !hasLoggedError { log.warning("cannot keep the track: \(error); \(error.remedy)") }
            hasLoggedError = true
        }
    }

    /// Closes the file when nothing is recorded any more.
    func close() { if unsaved.isEmpty { database = nil } }

    /// Returns points in the order of recording, which are then on disk, and where the next page
    /// begins.
    func points(
        from place: TrackTable.Place, in range: Range<Int64>, limit: Int
    ) throws(StoreError) -> (points: [TrackRow], next: TrackTable.Place?) {
        // On a full disk, what is there can still be read.
        do throws(StoreError) { try write() } catch { guard error.kind == .full else { throw error } }
        guard exists else { return ([], nil) }
        let oldest = HostClock.utcIfSet.map { $0.advanced(by: .zero - lifetime).milliseconds } ?? .min
        let start = max(range.lowerBound, oldest)
        return try table().points(from: place, in: start..<max(start, range.upperBound), limit: limit)
    }

    /// Erases all points. Returns their number.
    func erase() throws(StoreError) -> Int {
        let waiting = unsaved.count
        unsaved = []
        nextWrite = nil
        guard exists else { return waiting }
        do throws(StoreError) { return try table().erase() + waiting } catch {
            // A full disk has no space for a deletion in the file, but the file can be removed.
            guard error.kind == .full else { throw error }
            database = nil
            for suffix in ["-wal", "-shm", ""] { unlink(file.path + suffix) }
            return waiting
        }
    }

    /// A read must not create the file.
    private var exists: Bool { database != nil || access(file.path, F_OK) == 0 }

    private func table() throws(StoreError) -> TrackTable {
        if let database { return TrackTable(database) }
        let (opened, damaged) = try file.open(at: HostClock.utc)
        if let damaged { log.critical("\(damaged)") }
        database = opened
        return TrackTable(opened)
    }

    /// Writes the waiting points. They expire by the earlier one of the receiver's time and the
    /// host's clock: either may be wrong.
    private func write() throws(StoreError) {
        guard let last = unsaved.last else { return }
        let date = HostClock.utcIfSet.map { min($0, UTCTime(milliseconds: last.time)) }
        try table().append(unsaved, expiry: date?.advanced(by: .zero - lifetime).milliseconds)
        unsaved = []
        nextWrite = nil
    }
}
