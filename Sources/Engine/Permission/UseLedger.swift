import Chronology

/// The record of use as far as it is in memory: the uses that are open, those that a later one may
/// continue, and those that are not saved yet.
///
/// A record begins when a program gets the location, and ends when its last request of the same
/// kind, accuracy and reason ends. A use that begins soon after another continues its record.
///
/// Times are instants. A record gets its date when it is saved or shown: the host's clock may be
/// set while the use is open, and the record then has the date of the new clock. Its duration never
/// depends on the host's clock.
package struct UseLedger: Sendable {
    /// The longest pause within a record. A program that requests the location every few minutes
    /// makes one record.
    package static let maxGap = Instant.Span.seconds(300)
    /// The longest time that a new record is not on disk.
    package static let saveInterval = Instant.Span.seconds(60)
    /// The longest time that the count, the duration and the end of a record on disk are not up to
    /// date. Each write wakes the disk and wears flash memory, and a stream may be open for weeks.
    package static let updateInterval = Instant.Span.seconds(600)
    /// The maximum number of ended records in memory while they cannot be written. The oldest are
    /// lost first.
    package static let maxUnsaved = 2048

    /// The highest number that a stored record may have; JSON has no higher one.
    private static let maxNumber: Int64 = 1 << 53

    private struct Entry: Sendable {
        let use: LocationUse
        let began: Instant
        /// When the last client began, if no other was open.
        var opened: Instant
        /// When the last client ended; meaningless while one is open.
        var ended: Instant
        var clients = 0
        var updates = 0
        /// Whether the record differs from the store.
        var isUnsaved = true
        /// Whether the store has an earlier version of the record.
        var isStored = false
    }

    private struct OpenClient: Sendable {
        var number: Int64
        /// The count of updates that the record includes.
        var count: Int
    }

    private var entries: [Int64: Entry] = [:]
    private var latest: [LocationUse: Int64] = [:]
    private var clients: [UseClient: OpenClient] = [:]
    private var nextNumber: Int64 = 1
    /// When a change must be saved; nil if none waits. Counts alone set no deadline, because the
    /// updates that they count cause turns.
    package private(set) var deadline: Instant?
    /// When the record was saved, or failed to be; nil before that.
    private var lastSaved: Instant?
    /// Changes whenever ``inUse(at:date:)`` does.
    package private(set) var revision: UInt64 = 0

    /// Creates an empty ledger.
    package init() {}

    /// Gives the records numbers after `last`, the highest number in the store. Call this once,
    /// before anything is saved.
    package mutating func beginNumbers(after last: Int64) {
        // A damaged number must not overflow.
        let last = min(max(last, 0), UseLedger.maxNumber)
        let old = entries
        entries = Dictionary(old.map { ($0.key + last, $0.value) }, uniquingKeysWith: { $1 })
        latest = latest.mapValues { $0 + last }
        clients = clients.mapValues { OpenClient(number: $0.number + last, count: $0.count) }
        nextNumber += last
    }
}

// MARK: Uses
extension UseLedger {
    /// Begins a use. If the client has another use open, that one ends.
    ///
    /// - Parameter count: The client's count of updates before this use.
    package mutating func begin(_ client: UseClient, _ use: LocationUse, count: Int = 0, at now: Instant) {
        if let open = clients[client] {
            if entries[open.number]?.use == use { return }
            end(client, count: count, at: now)
        }
        let number = touch(use, at: now)
        clients[client] = OpenClient(number: number, count: count)
        entries[number]?.clients += 1
        if entries[number]?.clients == 1 {
            entries[number]?.opened = now
            revision += 1
        }
    }

    /// Ends the use of a client; does nothing if it has none.
    ///
    /// - Parameter count: The client's count of updates; nil if it is unchanged.
    package mutating func end(_ client: UseClient, count: Int? = nil, at now: Instant) {
        if let count { setCount(count, of: client) }
        guard let number = clients.removeValue(forKey: client)?.number else { return }
        entries[number]?.clients -= 1
        entries[number]?.ended = now
        entries[number]?.isUnsaved = true
        saveBy(now + UseLedger.updateInterval)
        if entries[number]?.clients == 0 { revision += 1 }
    }

    package mutating func endAll(at now: Instant) { for client in clients.keys { end(client, at: now) } }

    /// Records a use that ends at once.
    package mutating func record(_ use: LocationUse, updates: Int, at now: Instant) {
        let number = touch(use, at: now)
        entries[number]?.updates += updates
        if entries[number]?.clients == 0 { entries[number]?.ended = now }
    }

    /// Sets the count of updates of a client, for the use that it has open.
    package mutating func setCount(_ count: Int, of client: UseClient) {
        guard let open = clients[client], count > open.count else { return }
        clients[client]?.count = count
        entries[open.number]?.updates += count - open.count
        entries[open.number]?.isUnsaved = true
    }

    /// Adds to the count of updates of a client, for the use that it has open.
    package mutating func add(_ updates: Int, to client: UseClient) {
        if let open = clients[client] { setCount(open.count + updates, of: client) }
    }

    package func isOpen(_ client: UseClient) -> Bool { clients[client] != nil }

    package var openClients: some Collection<UseClient> { clients.keys }

    /// Returns the record that a use continues, or else a new one, and marks it as changed.
    private mutating func touch(_ use: LocationUse, at now: Instant) -> Int64 {
        if let number = latest[use], let entry = entries[number],
            entry.clients > 0 || now - entry.ended <= UseLedger.maxGap
        {
            entries[number]?.isUnsaved = true
            saveBy(now + UseLedger.updateInterval)
            return number
        }
        let number = nextNumber
        nextNumber += 1
        entries[number] = Entry(use: use, began: now, opened: now, ended: now)
        latest[use] = number
        saveBy(now + UseLedger.saveInterval)
        return number
    }

    private mutating func saveBy(_ instant: Instant) { deadline = deadline.map { min($0, instant) } ?? instant }
}

// MARK: Saving
extension UseLedger {
    /// Returns whether the records should be saved now.
    package func isSaveDue(at now: Instant) -> Bool {
        if let deadline, deadline <= now { return true }
        guard let lastSaved, !clients.isEmpty else { return false }
        return now - lastSaved >= UseLedger.updateInterval
    }

    /// Returns the records that differ from the store, in the order of their numbers. Those of open
    /// uses do, because their duration does.
    ///
    /// - Parameter date: The time by the host's clock; nil if it is not set.
    package func unsaved(at now: Instant, date: UTCTime?) -> [UseRecord] {
        records(at: now, date: date, including: { $0.isUnsaved || $0.clients > 0 })
    }

    /// Records that everything is saved, and discards what no later use can continue.
    package mutating func saved(at now: Instant) {
        for number in entries.keys {
            entries[number]?.isUnsaved = false
            entries[number]?.isStored = true
        }
        for (number, entry) in entries where entry.clients == 0 && now - entry.ended > UseLedger.maxGap {
            remove(number)
        }
        lastSaved = now
        deadline = nil
    }

    /// Records that saving has failed; it is due again after ``saveInterval``.
    ///
    /// - Returns: The number of records that were discarded, because too many wait.
    package mutating func savingFailed(at now: Instant) -> Int {
        lastSaved = now
        deadline = now + UseLedger.saveInterval
        let ended = entries.filter { $0.value.clients == 0 }.keys.sorted()
        let excess = max(0, ended.count - UseLedger.maxUnsaved)
        for number in ended.prefix(excess) { remove(number) }
        return excess
    }

    private mutating func remove(_ number: Int64) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        if latest[entry.use] == number { latest[entry.use] = nil }
    }

    /// Forgets all records. Those of open uses begin now.
    ///
    /// - Returns: The number of records that the store does not have.
    package mutating func forget(at now: Instant) -> Int {
        let count = entries.values.count { !$0.isStored }
        let old = entries
        entries = [:]
        latest = [:]
        deadline = nil
        for (client, open) in clients {
            guard let use = old[open.number]?.use else { continue }
            let number = touch(use, at: now)
            entries[number]?.clients += 1
            clients[client] = OpenClient(number: number, count: open.count)
        }
        revision += 1
        return count
    }
}

// MARK: Reading
extension UseLedger {
    /// Returns the records in memory, in the order of their numbers. The store may have an earlier
    /// version of them.
    ///
    /// - Parameters:
    ///   - date: The time by the host's clock; nil if it is not set.
    ///   - isIncluded: Returns whether the records of a program are returned.
    package func records(
        at now: Instant, date: UTCTime?, where isIncluded: (ProgramID) -> Bool = { _ in true }
    ) -> [UseRecord] {
        records(at: now, date: date, including: { isIncluded($0.use.program) })
    }

    private func records(at now: Instant, date: UTCTime?, including isIncluded: (Entry) -> Bool) -> [UseRecord] {
        entries.filter { isIncluded($0.value) }.sorted { $0.key < $1.key }.map { number, entry in
            let isOpen = entry.clients > 0
            return UseRecord(
                number: number, entry.use, from: UseLedger.date(of: entry.began, at: now, date: date),
                duration: (isOpen ? now : entry.ended) - entry.began, updates: entry.updates,
                state: isOpen ? .open : .ended)
        }
    }

    /// Returns the programs that get the location now, sorted.
    ///
    /// - Parameter date: The time by the host's clock; nil if it is not set.
    package func inUse(at now: Instant, date: UTCTime?) -> [ProgramInUse] {
        // The runtime keeps the metadata of generic types: groups in a dictionary use memory.
        let open = entries.values.filter { $0.clients > 0 }.sorted { $0.use.program < $1.use.program }
        var programs: [ProgramInUse] = []
        for entry in open {
            let since = UseLedger.date(of: entry.opened, at: now, date: date)
            guard let last = programs.last, last.program == entry.use.program else {
                programs.append(
                    ProgramInUse(entry.use.program, accuracy: entry.use.accuracy, since: since, kinds: [entry.use.kind])
                )
                continue
            }
            let index = programs.count - 1
            if entry.use.accuracy == .full { programs[index].accuracy = .full }
            if let since, let earlier = last.since, since < earlier { programs[index].since = since }
            let kinds = last.kinds + [entry.use.kind]
            programs[index].kinds = UseKind.allCases.filter { kinds.contains($0) }
        }
        return programs
    }

    /// Returns the date of an instant, by the clock of now.
    private static func date(of instant: Instant, at now: Instant, date: UTCTime?) -> UTCTime? {
        date?.advanced(by: instant - now)
    }
}
