import Chronology
import Geodesy
import Glibc
import Logging
import Positioning
import SQLite
import StateStore
import SystemCalls

/// The kept visits of users.
///
/// The database is opened when visits are read or written, and closed some time later unless
/// another part of the daemon uses it: any client may read at any rate, and opening checks the
/// whole file. Visits that cannot be written wait in memory and are tried again.
final class VisitStore {
    /// How long the database stays open after an access.
    private static let openInterval = Instant.Span.seconds(10)
    /// The maximum number of arrivals and departures that wait for the disk.
    private static let maxUnsaved = 64
    /// The time after which a failed write is repeated, the first and the longest.
    private static let retryInterval = (first: Instant.Span.seconds(10), last: Instant.Span.seconds(600))

    private let database: StateDatabase
    private let log: Logger
    /// How long visits are kept; zero if they are not.
    private var lifetime: Instant.Span
    /// The database after an access, and when to close it.
    private var held: Database?
    private var release = Instant.zero
    private var unsaved: [VisitRow] = []
    /// The users whose visits so far are over, which is still to be written.
    private var unended: Set<UInt32> = []
    /// The users whose open visit could not be read: whether it is over is unknown.
    private var unread: Set<UInt32> = []
    /// When the changes that wait are written; nil if none wait.
    private var retry: Instant?
    private var backoff = ExponentialBackoff()
    private var hasLoggedError = false

    init(_ database: StateDatabase, settings: Settings, log: Logger) {
        self.database = database
        self.log = log
        lifetime = settings.visitLifetime
    }

    func apply(_ settings: Settings) {
        lifetime = settings.visitLifetime
        if lifetime == .zero { (unsaved, unended) = ([], []) }
    }

    /// When ``tick(at:)`` is due; nil if it is not.
    var deadline: Instant? { earliest(held == nil ? nil : release, retry) }

    /// Writes the changes that wait for the disk, and closes the database some time after the last
    /// access. Returns whether it was closed.
    func tick(at now: Instant) -> Bool {
        if let retry, retry <= now {
            // What waited may have been erased meanwhile.
            self.retry = nil
            if hasUnsaved { saveWaiting(at: now) }
        }
        guard held != nil, release <= now else { return false }
        held = nil
        return true
    }

    /// Writes the changes that wait for the disk, as a last attempt.
    func finish(at now: Instant) { if hasUnsaved { saveWaiting(at: now) } }

    private func saveWaiting(at now: Instant) {
        logging(at: now) { () throws(StoreError) in try save(expiry: nil, at: now) }
    }

    /// Returns the open visit of a user; nil also if the database cannot be read.
    func openVisit(of user: UInt32, at now: Instant) -> Stay? {
        guard lifetime > .zero, exists else { return nil }
        var visit: Stay?
        unread.insert(user)
        logging(at: now) { () throws(StoreError) in
            visit = try history(at: now).openVisit(of: user).flatMap { Stay($0, at: now) }
            unread.remove(user)
        }
        return visit
    }

    /// Stores the current visit of a user, who begins to watch. Without one, earlier visits of the
    /// user are over, unless it is unknown which one is open.
    func begin(_ visit: Stay?, for user: UInt32, at now: Instant) {
        if let visit { return record(visit, for: [user], at: now) }
        guard lifetime > .zero, exists, !unread.contains(user) else { return }
        unended.insert(user)
        saveWaiting(at: now)
    }

    /// Stores an arrival or departure before it is sent to the programs of these users.
    func record(_ visit: Stay, for users: Set<UInt32>, at now: Instant) {
        guard lifetime > .zero, !users.isEmpty else { return }
        for user in users.sorted() { unsaved.append(VisitRow(visit, user: user)) }
        let excess = unsaved.count - VisitStore.maxUnsaved
        if excess > 0 {
            unsaved.removeFirst(excess)
            log.error("lost \(excess) arrivals and departures, because too many wait for the disk")
        }
        logging(at: now) { () throws(StoreError) in
            try save(expiry: (visit.departure ?? visit.arrival).time, at: now)
        }
    }

    /// Returns visits of a user, the newest first, with their numbers.
    func visits(
        of user: UInt32, before number: Int64, in range: Range<Int64>, limit: Int, at now: Instant
    ) throws(StoreError) -> [(number: Int64, visit: Stay)] {
        guard exists else { return [] }
        if hasUnsaved { try save(expiry: nil, at: now) }
        let oldest = HostClock.utcIfSet.map { $0.advanced(by: .zero - lifetime).milliseconds } ?? .min
        let start = max(range.lowerBound, oldest)
        let rows = try history(at: now).rows(
            of: user, before: number, in: start..<max(start, range.upperBound), limit: limit)
        return rows.compactMap { row in Stay(row, at: now).map { (row.number, $0) } }
    }

    /// Erases visits of a user, or of all for nil, that began before a moment in milliseconds since
    /// 1970. Returns their number.
    func erase(of user: UInt32?, before moment: Int64 = .max, at now: Instant) throws(StoreError) -> Int {
        let kept = unsaved.count
        unsaved.removeAll { row in user.map { $0 == row.user } ?? true && row.arrival.map { $0 < moment } ?? true }
        guard exists else { return kept - unsaved.count }
        return try history(at: now).erase(of: user, before: moment)
    }

    /// A read must not create the database.
    private var exists: Bool { held != nil || access(database.file.path, F_OK) == 0 }

    private func history(at now: Instant) throws(StoreError) -> VisitHistory {
        let open = try database.open(at: HostClock.utc)
        held = open
        release = now + VisitStore.openInterval
        return VisitHistory(open)
    }

    private var hasUnsaved: Bool { !unsaved.isEmpty || !unended.isEmpty }

    /// Writes the changes that wait for the disk.
    ///
    /// - Parameter time: The receiver's time. Visits expire by the earlier one of it and the
    ///   host's clock: either may be wrong.
    private func save(expiry time: UTCTime?, at now: Instant) throws(StoreError) {
        var expiry: Int64?
        if let time, let date = HostClock.utcIfSet {
            expiry = min(time, date).advanced(by: .zero - lifetime).milliseconds
        }
        let history = try history(at: now)
        for user in unended.sorted() {
            try history.endVisits(of: user)
            unended.remove(user)
        }
        if !unsaved.isEmpty { try history.record(unsaved, expiry: expiry) }
        unsaved = []
    }

    /// Performs an access. Logs an error when it begins, and sets when the changes are written
    /// again.
    private func logging(at now: Instant, _ access: () throws(StoreError) -> Void) {
        do throws(StoreError) {
            try access()
            hasLoggedError = false
            backoff.reset()
            if !hasUnsaved { retry = nil }
        } catch {
            if hasUnsaved {
                let interval = VisitStore.retryInterval
                retry = now + backoff.next(from: interval.first, max: interval.last)
            }
            if !hasLoggedError { log.warning("cannot keep visits: \(error); \(error.remedy)") }
            hasLoggedError = true
        }
    }
}

extension VisitRow {
    fileprivate init(_ visit: Stay, user: UInt32) {
        self.init(
            user: user, arrival: visit.arrival.time?.milliseconds, departure: visit.departure?.time?.milliseconds,
            latitude: visit.coordinate.latitude, longitude: visit.coordinate.longitude, radius: visit.radius,
            isOpen: visit.departure == nil)
    }
}

extension Stay {
    /// Creates a visit from its stored form; nil if that has no valid position.
    fileprivate init?(_ row: VisitRow, at now: Instant) {
        guard let coordinate = Coordinate(latitude: row.latitude, longitude: row.longitude) else { return nil }
        func moment(_ time: Int64?) -> Moment { Moment(at: now, time: time.map { UTCTime(milliseconds: $0) }) }
        self.init(
            coordinate: coordinate, radius: row.radius, arrival: moment(row.arrival),
            departure: row.isOpen ? nil : moment(row.departure))
    }
}
