import Chronology
import SQLite

/// The records that servers have not acknowledged, in a database on disk.
///
/// An event is on disk before ``add(_:key:)`` returns. A point is kept in memory for
/// ``commitInterval`` first: if it is acknowledged until then, it is never written. Deletions of
/// points are collected in the same way, so that a power failure repeats points with their numbers.
package final class FleetOutbox {
    /// The time for which points may be lost in a power failure.
    package static let commitInterval = Instant.Span.seconds(30)
    /// The time for which the counts of acknowledged messages are in memory only.
    package static let countInterval = Instant.Span.seconds(60)
    /// The number of points at which the track is coarsened: 16 MiB of records.
    package static let defaultCapacity = 400_000
    /// The number of points that are read, or coarsened, at once.
    private static let pageCount: Int64 = 200
    private static let coarseningCount: Int64 = 20_000
    /// A track is added after a minute at most, in which a server requests some 20 positions.
    private static let maxRequested = 100
    /// The number of points in memory, when they cannot be written to a full disk.
    private static let maxFresh = 10_000
    /// The number of acknowledged points at which they are deleted before the interval ends. It
    /// limits the memory, and what a kill repeats, while a backlog is sent.
    private static let maxAcknowledged = 2000

    /// Earlier versions kept fences here; see ``RemoteFenceStore``.
    static let schema = [
        RecordTable.schema + """

            CREATE TABLE value (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
            CREATE TABLE seen (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
            CREATE TABLE fence (
                identifier TEXT PRIMARY KEY,
                created INTEGER NOT NULL,
                latitude REAL NOT NULL,
                longitude REAL NOT NULL,
                radius INTEGER NOT NULL
            ) WITHOUT ROWID;
            """,
        EnteredFences.schema,
    ]

    /// The numbers that are kept with the records.
    package let settings: OutboxSettings
    /// The fences that the device has entered for the server.
    package let entered: EnteredFences
    /// A damaged file that was moved aside; nil: none.
    package let damaged: DatabaseFile.DamagedDatabase?
    private let database: Database
    let records: RecordTable
    private let capacity: Int
    /// What the server has acknowledged.
    package private(set) var deliveries: Deliveries
    /// Since when the counts on disk are not those in memory; nil: they are.
    private var countedSince: Instant?
    private var counter: SequenceCounter
    private var admission = PointAdmission()
    private var lastTime: UTCTime?
    /// The seconds since 1970 of the last positions that the server requested.
    private var requestedSeconds: [Int64] = []
    /// Whether the earlier process was killed. It may have reported the current position of the
    /// daemon, which is the first one that this process gets.
    private var isAfterKill = false
    /// Points that are not on disk, oldest first.
    private var fresh: [FleetRecord] = []
    private var freshSince: Instant?
    /// When a failed ``commit()`` is repeated, and not before, whatever is added until then.
    private var retry: Instant?
    /// Points that are acknowledged and still on disk.
    private var acknowledged: Set<Int64> = []
    private var inFlight: Set<Int64> = []
    private var eventsInFlight: Set<Int64> = []
    /// A record that others overtake; nil: none.
    private var aside: Int64?
    /// Whether that record is sent if there is no other.
    private var isAsideLast = false
    /// The next points on disk, oldest first, and the number of the last one read.
    private var page: [Int64] = []
    private var cursor: Int64 = 0
    private var newestStored: Int64?
    /// The number of points on disk, with those acknowledged.
    private var storedPoints = 0
    private var events: [Int64] = []
    /// The current tolerance of coarsening in metres.
    package private(set) var coarseTolerance: Double

    /// Opens the outbox, and creates it if it is missing.
    ///
    /// - Parameters:
    ///   - tolerance: The tolerance of the track in metres, which coarsening doubles.
    ///   - hostTime: The host's time, for the name of a damaged file that is moved aside.
    package init(
        path: String, tolerance: Double, capacity: Int = FleetOutbox.defaultCapacity, hostTime: UTCTime
    ) throws(StoreError) {
        self.capacity = max(capacity, 2)
        coarseTolerance = max(tolerance, 1) * 2
        (database, damaged) = try DatabaseFile(path: path, schema: FleetOutbox.schema).open(at: hostTime)
        records = RecordTable(database)
        settings = OutboxSettings(database)
        entered = try EnteredFences(database)
        deliveries = try Deliveries(settings)
        counter = try SequenceCounter(settings)
        lastTime = try settings.value(.lastTime).map { UTCTime(milliseconds: $0) }
        admission = PointAdmission(after: lastTime)
        let wasClosed = try settings.value(.isClosed) == 1
        isAfterKill = counter.next > 1 && !wasClosed
        try settings.set(.isClosed, 0)
        storedPoints = try records.pointCount()
        newestStored = try records.newestPoint()
        events = try records.events()
    }

    /// The number of points that are not acknowledged.
    package var pointCount: Int { max(storedPoints - acknowledged.count, 0) + fresh.count }
    /// The number of events that are not acknowledged.
    package var eventCount: Int { events.count }
    /// The number of messages in flight.
    package var pointsInFlight: Int { inFlight.count }
    package var eventsInFlightCount: Int { eventsInFlight.count }

    /// When ``commit()`` is due; nil if there is nothing to write.
    package var deadline: Instant? {
        if let retry { return retry }
        let records = freshSince.map {
            acknowledged.count < FleetOutbox.maxAcknowledged ? $0 + FleetOutbox.commitInterval : $0
        }
        return earliest(records, countedSince.map { $0 + FleetOutbox.countInterval })
    }

    /// Adds a position if it has a date, and another one than the last.
    ///
    /// - Returns: The number of the record; nil if the position is not reported.
    @discardableResult
    package func add(_ point: FleetPoint, at now: Instant) throws(StoreError) -> Int64? {
        let mayBeReported = isAfterKill
        isAfterKill = false
        guard admission.admits(point.time), !mayBeReported else { return nil }
        lastTime = point.time
        return requestedSeconds.contains(point.seconds) ? nil : try append(point, at: now)
    }

    /// Adds a position that the server requested. It may be later than parts of the track that are
    /// added after it.
    ///
    /// - Returns: The number of the record; nil if the last position is of the same second.
    package func addRequested(_ point: FleetPoint, at now: Instant) throws(StoreError) -> Int64? {
        guard point.seconds != lastTime?.wholeSeconds, !requestedSeconds.contains(point.seconds) else { return nil }
        requestedSeconds = requestedSeconds.suffix(FleetOutbox.maxRequested - 1) + [point.seconds]
        return try append(point, at: now)
    }

    private func append(_ point: FleetPoint, at now: Instant) throws(StoreError) -> Int64 {
        let sequence = try counter.take()
        fresh.append(FleetRecord(sequence, .point(point)))
        if fresh.count > FleetOutbox.maxFresh { thinFresh() }
        freshSince = freshSince ?? now
        return sequence
    }

    /// Adds an event and waits until it is on disk.
    ///
    /// - Parameter key: Identifies the event, so that one that the daemon repeats is added once.
    /// - Returns: Whether the event is new.
    @discardableResult
    package func add(_ event: FleetEvent, key: String) throws(StoreError) -> Bool {
        let sequence = try counter.take()
        let isNew = try database.transaction("writing an event to") { () throws(StoreError) in
            try database.prepare("INSERT OR IGNORE INTO seen (key) VALUES (?1)", for: "writing to").run(.text(key))
            guard database.changes > 0 else { return false }
            try database.prepare("DELETE FROM seen WHERE number <= ?1", for: "writing to")
                .run(.integer(database.lastRow - 1000))
            try records.insert(FleetRecord(sequence, .event(event)))
            return true
        }
        if isNew { events.append(sequence) }
        return isNew
    }

    /// What can be sent now.
    package func queue() throws(StoreError) -> SendOrder.Queue {
        let isFree: (Int64) -> Bool = { [inFlight, acknowledged, aside] in
            !inFlight.contains($0) && !acknowledged.contains($0) && $0 != aside
        }
        try fillPage()
        let newest = fresh.last.map(\.sequence) ?? newestStored
        // Later events wait for one that was set aside.
        let event = events.first { !eventsInFlight.contains($0) }
        var queue = SendOrder.Queue(
            newestPoint: newest.flatMap { isFree($0) ? $0 : nil },
            oldestPoint: page.first ?? fresh.first { isFree($0.sequence) }?.sequence,
            oldestEvent: event == aside ? nil : event, newestTime: lastTime)
        if let aside, isAsideLast, queue.newestPoint == nil, queue.oldestPoint == nil, queue.oldestEvent == nil {
            if event == aside { queue.oldestEvent = aside } else { queue.oldestPoint = aside }
        }
        return queue
    }

    /// Returns the oldest positions that are not in flight, at most `limit`, and counts them as in
    /// flight.
    package func takeTrack(limit: Int) throws(StoreError) -> [(sequence: Int64, point: FleetPoint)] {
        var track: [(sequence: Int64, point: FleetPoint)] = []
        while track.count < limit, let oldest = try queue().oldestPoint {
            guard case .point(let point)? = try take(oldest)?.content else { break }
            track.append((oldest, point))
        }
        return track
    }

    /// Returns a record, and counts it as in flight; nil if there is none with this number.
    package func take(_ sequence: Int64) throws(StoreError) -> FleetRecord? {
        if page.first == sequence { page.removeFirst() }
        guard let record = try record(sequence) else {
            if aside == sequence { aside = nil }
            return nil
        }
        if record.isEvent { eventsInFlight.insert(sequence) } else { inFlight.insert(sequence) }
        return record
    }

    /// Returns whether a record has not been sent, as far as this connection shows.
    package func isWaiting(_ sequence: Int64) throws(StoreError) -> Bool {
        guard !inFlight.contains(sequence), !acknowledged.contains(sequence) else { return false }
        return try record(sequence) != nil
    }

    private func record(_ sequence: Int64) throws(StoreError) -> FleetRecord? {
        if let record = fresh.first(where: { $0.sequence == sequence }) { return record }
        return try records.record(sequence)
    }

    /// Deletes a record that a server has acknowledged.
    package func acknowledge(_ sequence: Int64, at now: Instant) throws(StoreError) {
        if aside == sequence { aside = nil }
        if eventsInFlight.remove(sequence) != nil {
            events.removeAll { $0 == sequence }
            return try records.delete([sequence])
        }
        guard inFlight.remove(sequence) != nil else { return }
        if let index = fresh.firstIndex(where: { $0.sequence == sequence }) {
            fresh.remove(at: index)
            if fresh.isEmpty, acknowledged.isEmpty { freshSince = nil }
        } else {
            acknowledged.insert(sequence)
            freshSince = freshSince ?? now
        }
    }

    /// Counts a message that the server has acknowledged.
    ///
    /// - Parameters:
    ///   - month: The month of the host's time, such as 202611.
    ///   - time: The host's time.
    package func count(_ bytes: Int, month: Int64, time: UTCTime, at now: Instant) {
        deliveries.add(bytes, month: month, at: time)
        countedSince = countedSince ?? now
    }

    /// Lets others overtake a record in flight, which the server has refused. Events keep their
    /// order. Nil: the record that was set aside is sent in its turn again.
    ///
    /// - Parameter isLast: Whether the record is sent if there is no other.
    package func setAside(_ sequence: Int64?, isLast: Bool = false) {
        isAsideLast = isLast
        if let sequence {
            inFlight.remove(sequence)
            eventsInFlight.remove(sequence)
        }
        aside = sequence
        page = []
        cursor = 0
    }

    /// Makes all records without an acknowledgement available again, after a connection ended.
    package func connectionEnded() {
        inFlight = []
        eventsInFlight = []
        page = []
        cursor = 0
    }

    /// Writes points and deletions to disk if it is time.
    package func tick(at now: Instant) throws(StoreError) {
        guard let deadline, now >= deadline else { return }
        do throws(StoreError) { try commit() } catch {
            retry = now + FleetOutbox.commitInterval
            throw error
        }
    }

    /// Writes everything to disk before the process ends.
    package func close() throws(StoreError) {
        try commit()
        if let lastTime { try settings.set(.lastTime, lastTime.milliseconds) }
        try settings.set(.isClosed, 1)
    }

    /// Writes points and deletions to disk.
    package func commit() throws(StoreError) {
        guard freshSince != nil || countedSince != nil || retry != nil else { return }
        (freshSince, countedSince) = (nil, nil)
        retry = nil
        try database.transaction("writing to") { () throws(StoreError) in
            for record in fresh { try records.insert(record) }
            try records.delete(acknowledged)
            try deliveries.store(in: settings)
            if let lastTime { try settings.set(.lastTime, lastTime.milliseconds) }
        }
        storedPoints = max(storedPoints + fresh.count - acknowledged.count, 0)
        newestStored = fresh.last?.sequence ?? newestStored
        fresh = []
        acknowledged = []
        if storedPoints > capacity { try coarsen() }
    }
}

extension FleetOutbox {
    /// The time of the oldest point; nil if there is none on disk or in memory.
    package func oldestTime() throws(StoreError) -> UTCTime? {
        var record = fresh.first
        if let oldest = try records.oldestPoint() { record = try records.record(oldest) }
        guard case .point(let point)? = record?.content else { return nil }
        return point.time
    }

    /// Deletes records that are on disk and not in flight.
    func remove(_ refused: [FleetRecord]) throws(StoreError) {
        guard !refused.isEmpty else { return }
        let gone = Set(refused.filter(\.isEvent).map(\.sequence))
        events.removeAll { gone.contains($0) }
        try delete(refused.filter { !$0.isEvent }.map(\.sequence))
        try records.delete(gone)
        page = []
        cursor = 0
        newestStored = try records.newestPoint()
    }

    private func fillPage() throws(StoreError) {
        page.removeAll { inFlight.contains($0) || acknowledged.contains($0) || $0 == aside }
        while page.isEmpty {
            let read = try records.points(after: cursor, limit: FleetOutbox.pageCount)
            guard let last = read.last else { return }
            cursor = last
            page = read.filter { !inFlight.contains($0) && !acknowledged.contains($0) && $0 != aside }
        }
    }

    /// Deletes points that the oldest part of the track does not need, with a tolerance that
    /// doubles while that frees less than a tenth. Events are never deleted.
    private func coarsen() throws(StoreError) {
        while storedPoints > capacity {
            let points = try records.oldestPoints(limit: min(FleetOutbox.coarseningCount, Int64(capacity / 2 + 1)))
            var superfluous = TrackCoarsening.superfluous(points, tolerance: coarseTolerance)
            if superfluous.count * 10 < points.count {
                coarseTolerance *= 2
                // At half the circumference of the Earth, no line is too far away.
                if coarseTolerance > 20_000_000 { superfluous = points.prefix(points.count / 2 + 1).map(\.sequence) }
            }
            try delete(superfluous)
        }
        coarseTolerance = min(coarseTolerance, 20_000_000)
        page = []
        cursor = 0
    }

    /// Deletes every second point in memory, except the newest one and those in flight.
    private func thinFresh() {
        var isKept = false
        let newest = fresh.last?.sequence
        fresh.removeAll { record in
            guard record.sequence != newest, !inFlight.contains(record.sequence) else { return false }
            isKept.toggle()
            return !isKept
        }
    }

    private func delete(_ sequences: [Int64]) throws(StoreError) {
        try database.transaction("deleting from") { () throws(StoreError) in try records.delete(sequences) }
        storedPoints = max(storedPoints - sequences.count, 0)
    }
}

/// The limits of what the server gets, which may have changed since records were added.
extension FleetOutbox {
    private static let pageLength: Int64 = 1000

    /// Deletes the records on disk that the server may not get any more. If locations are reduced
    /// since this start, these are all.
    ///
    /// - Parameter minute: Returns the minute of the day by local time.
    package func apply(_ filter: ReportFilter, minute: (UTCTime) -> Int) throws(StoreError) {
        let wasReduced = try settings.value(.isReduced) == 1
        if filter.isReduced {
            if !wasReduced { try removeAll { _ in true } }
        } else if filter.hasQuiet, !wasReduced {
            try removeAll { !filter.isReported($0, minute: minute) }
        }
        if filter.isReduced != wasReduced { try settings.set(.isReduced, filter.isReduced ? 1 : 0) }
    }

    private func removeAll(where isRemoved: (FleetRecord) -> Bool) throws(StoreError) {
        var last: Int64 = 0
        while true {
            let (page, end) = try records.records(after: last, limit: FleetOutbox.pageLength)
            guard let end else { return }
            last = end
            try remove(page.filter(isRemoved))
        }
    }
}
