import Chronology
import Locator
import Logging
import Permission
import SQLite
import ServiceRuntime
import SextantAPI
import StateStore
import SystemCalls
import Varlink

/// Records which programs use the location: it follows their requests at the ends of calls and
/// changes, writes the record to disk, and keeps the file of programs in use.
///
/// An update costs nothing here: the connection of a stream counts its updates anyway.
final class UseRecorder {
    /// The time between attempts to write the file of programs in use.
    private static let fileRetryInterval = (first: Instant.Span.seconds(10), last: Instant.Span.seconds(3600))

    private var ledger = UseLedger()
    private var expiry = UseExpiry()
    private let store: UseStore
    private var file: InUseFile
    private let server: VarlinkServer<ClientState>
    private let permissions: PermissionCenter
    private let memory: MemoryTrimmer
    private let log: Logger
    private var monitoring: Set<ProgramID> = []
    /// Whether the numbers of the records follow those of the store.
    private var knowsNumbers = false
    /// The revision of the ledger that the file shows.
    private var shownRevision: UInt64?
    private var fileBackoff = ExponentialBackoff()
    /// When a failure to write the file may be followed by the next attempt; nil without a failure.
    private var nextFileWrite: Instant?
    /// Whether a failure to save, or to write the file, has been logged.
    private var hasLoggedSaveError = false
    private var hasLoggedFileError = false

    init(
        _ database: StateDatabase, server: VarlinkServer<ClientState>, permissions: PermissionCenter,
        memory: MemoryTrimmer,
        socket: String, log: Logger
    ) {
        store = UseStore(database)
        file = InUseFile(besideSocket: socket)
        self.server = server
        self.permissions = permissions
        self.memory = memory
        self.log = log
    }
}

// MARK: Requests
extension UseRecorder {
    /// Records what a call has begun, or got at once. Call this after each call that was served.
    func served(_ call: Call, from session: ClientSession, at now: Instant) {
        if session.activity.useKind == nil, let kind = UseKind(answerTo: call.method) {
            return recordAnswer(kind, to: session, at: now)
        }
        update(session, at: now)
    }

    private func recordAnswer(_ kind: UseKind, to session: ClientSession, at now: Instant) {
        let verdict = permissions.verdict(of: session.owner)
        guard verdict.allows(kind) else { return }
        ledger.record(LocationUse(session.owner, kind, by: verdict), updates: 1, at: now)
    }

    /// Begins, changes or ends the use of a session, as its activity and its permission require.
    private func update(_ session: ClientSession, at now: Instant) {
        let client = UseClient.session(session.number)
        // The last update that was sent belongs to the new use, or is a denial.
        let count = session.updateCount.map { max(0, $0 - 1) }
        guard let kind = session.activity.useKind else { return ledger.end(client, count: count, at: now) }
        let verdict = permissions.verdict(of: session.owner)
        guard verdict.allows(kind) else { return ledger.end(client, count: count, at: now) }
        ledger.begin(client, LocationUse(session.owner, kind, by: verdict), count: count ?? 0, at: now)
    }

    func sessionClosed(_ session: ClientSession, at now: Instant) {
        ledger.end(.session(session.number), count: session.updateCount, at: now)
    }

    /// Records that a location request was answered or rejected.
    func requestEnded(_ number: Int, wasAnswered: Bool, at now: Instant) {
        if wasAnswered { ledger.add(1, to: .session(number)) }
        ledger.end(.session(number), at: now)
    }

    func visitSent(to sessions: some Sequence<Int>) {
        for number in sessions { ledger.add(1, to: .session(number)) }
    }

    /// Counts events that were sent to the clients of monitors. A program that reads the events of
    /// another one has a record of its own.
    func count(_ sent: [MonitorSubscriptions.Reader: Int], at now: Instant) {
        for (programs, count) in sent {
            if programs.client == programs.owner {
                ledger.add(count, to: .monitors(programs.owner))
            } else {
                let verdict = permissions.verdict(of: programs.client)
                ledger.record(LocationUse(programs.client, .monitors, by: verdict), updates: count, at: now)
            }
        }
    }

    /// Begins the use of the daemon's own stream, or ends it with nil.
    func setRecording(_ verdict: PermissionVerdict?, by program: ProgramID, as stream: RequestID, at now: Instant) {
        let client = UseClient.session(stream.rawValue)
        guard let verdict else { return ledger.end(client, at: now) }
        ledger.begin(client, LocationUse(program, .stream, by: verdict), at: now)
    }

    /// Counts an update of the daemon's own stream.
    func recorded(_ stream: RequestID) { ledger.add(1, to: .session(stream.rawValue)) }

    func setMonitoring(_ owners: some Sequence<ProgramID>, at now: Instant) {
        // The kernel does not attest namespaces: they separate monitors, not programs.
        let owners = Set(owners.lazy.map(\.program))
        guard owners != monitoring else { return }
        for owner in monitoring.subtracting(owners) { ledger.end(.monitors(owner), at: now) }
        for owner in owners.subtracting(monitoring) { beginMonitoring(owner, at: now) }
        monitoring = owners
    }

    private func beginMonitoring(_ owner: ProgramID, at now: Instant) {
        ledger.begin(.monitors(owner), LocationUse(owner, .monitors, by: permissions.verdict(of: owner)), at: now)
    }

    /// Returns the requests of a program that use the location, before a new verdict is applied.
    func willChangeVerdict(of program: ProgramID) -> [(session: ClientSession, kind: UseKind)] {
        server.sessions(of: program, where: { $0.activity.useKind != nil }).compactMap { session in
            session.activity.useKind.map { (session, $0) }
        }
    }

    /// Applies a new verdict, which was applied to these requests, to the uses of a program.
    func didChangeVerdict(
        of program: ProgramID, for requests: [(session: ClientSession, kind: UseKind)], at now: Instant
    ) {
        for (session, kind) in requests where server[session.number] === session {
            if session.activity.useKind == nil, kind == .oneShot, !ledger.isOpen(.session(session.number)) {
                // A new grant answered a request that waited for it.
                recordAnswer(kind, to: session, at: now)
            } else if session.activity.useKind == nil, kind == .stream {
                // A denial has ended the stream with an error, which is no update.
                ledger.end(.session(session.number), count: session.sentUpdateCount, at: now)
            } else {
                update(session, at: now)
            }
        }
        if monitoring.contains(program), permissions.verdict(of: program).allowsFullLocation {
            beginMonitoring(program, at: now)
        }
    }
}

// MARK: The turn
extension UseRecorder {
    /// The next instant for ``endTurn(at:)``; nil if nothing is left to do.
    var deadline: Instant? { earliest(earliest(ledger.deadline, store.deadline), nextFileWrite) }

    /// Saves the record if that is due, and writes the file of programs in use if it has changed.
    func endTurn(at now: Instant) {
        if ledger.isSaveDue(at: now) { save(at: now) }
        if store.closeIfIdle(at: now) { memory.requestTrim() }
        guard ledger.revision != shownRevision, nextFileWrite.map({ $0 <= now }) ?? true else { return }
        writeFile(ledger.inUse(at: now, date: HostClock.utcIfSet), at: now)
    }

    private func writeFile(_ programs: [ProgramInUse], at now: Instant) {
        do throws(SystemError) {
            try file.write(programs)
            (shownRevision, nextFileWrite) = (ledger.revision, nil)
            fileBackoff.reset()
            hasLoggedFileError = false
        } catch {
            let interval = UseRecorder.fileRetryInterval
            nextFileWrite = now + fileBackoff.next(from: interval.first, max: interval.last)
            if !hasLoggedFileError { log.warning("cannot show which programs use the location: \(error)") }
            hasLoggedFileError = true
        }
    }

    /// Saves the record when the daemon ends.
    func finish(at now: Instant) {
        collectCounts()
        ledger.endAll(at: now)
        save(at: now)
        writeFile([], at: now)
    }

    private func collectCounts() {
        for client in Array(ledger.openClients) {
            guard case .session(let number) = client, let count = server[number]?.updateCount else { continue }
            ledger.setCount(count, of: client)
        }
    }

    private func save(at now: Instant) {
        collectCounts()
        let date = HostClock.utcIfSet
        do throws(StoreError) {
            try learnNumbers()
            let unsaved = ledger.unsaved(at: now, date: date)
            if !unsaved.isEmpty {
                try store.save(unsaved, expiry: expiry.cutoff(at: now, date: date))
                memory.requestTrim()
            }
            ledger.saved(at: now)
            hasLoggedSaveError = false
        } catch {
            let lost = ledger.savingFailed(at: now)
            if lost > 0 { log.error("lost \(lost) records of use, because too many wait for the disk") }
            if !hasLoggedSaveError { log.warning("cannot save the record of use: \(error); \(error.remedy)") }
            hasLoggedSaveError = true
        }
    }

    private func learnNumbers() throws(StoreError) {
        guard !knowsNumbers else { return }
        ledger.beginNumbers(after: try store.lastNumber())
        knowsNumbers = true
    }
}

// MARK: Reading and erasing
extension UseRecorder {
    /// Returns a page of the record, the newest first, and the number before which the next page
    /// begins.
    func page(
        _ selection: UseRow.Selection, before number: Int64, limit: Int, at now: Instant
    ) throws(StoreError) -> (records: [UseRecord], next: Int64?) {
        try learnNumbers()
        collectCounts()
        let date = HostClock.utcIfSet
        let current = ledger.records(at: now, date: date, where: selection.contains)
        let stored = try store.records(
            selection, before: number, since: UseExpiry.cutoff(date: date), limit: limit + current.count + 1, at: now)
        let numbers = Set(current.map(\.number))
        var records = stored.filter { !numbers.contains($0.number) }
        records += current.filter { $0.number < number }
        records.sort { $0.number > $1.number }
        let page = Array(records.prefix(limit))
        return (page, records.count > limit ? page.last?.number : nil)
    }

    /// Erases the record of use. The records of open uses begin again. Returns the number of
    /// records.
    func erase(at now: Instant) throws(StoreError) -> Int {
        try learnNumbers()
        let stored = try store.erase()
        collectCounts()
        return stored + ledger.forget(at: now)
    }
}

extension UseRow.Selection {
    /// Returns whether the records of a program are selected.
    fileprivate func contains(_ program: ProgramID) -> Bool {
        switch self {
        case .all: true
        case .user(let user): program.user == user
        case .program(let text): program.description == text
        }
    }
}

extension ServerSession<ClientState> {
    /// The number of updates that were sent to a stream of locations, headings, sentences or
    /// beacons; nil for another activity.
    fileprivate var updateCount: Int? {
        activity.isStream || activity.watchesHeading || activity.watchesSentences || activity.rangesBeacons
            ? sentUpdateCount : nil
    }

    /// The number of updates that the present or the last stream has sent.
    fileprivate var sentUpdateCount: Int { connection.updates.published - connection.updates.dropped }
}

extension ClientState.Activity {
    /// What an open request uses the location for; nil if it does not.
    fileprivate var useKind: UseKind? {
        switch self {
        case .stream, .sentences: .stream
        case .visits: .visits
        case .heading: .heading
        case .beacons: .beacons
        case .locationRequest: .oneShot
        case .idle, .receivers, .beaconScan, .monitor, .watch, .permission, .agent: nil
        }
    }
}

extension UseKind {
    /// What a call gets that was answered at once; nil if it is no call for the location.
    fileprivate init?(answerTo method: String) {
        switch method {
        case LocationMethods.getLocation.name, LocationMethods.subscribe.name, MonitorMethods.nearest.name:
            self = .oneShot
        case LocationMethods.watchVisits.name, LocationMethods.visits.name: self = .visits
        case LocationMethods.watchHeading.name: self = .heading
        case BeaconMethods.range.name: self = .beacons
        default: return nil
        }
    }
}

extension PermissionVerdict {
    /// Returns whether a program gets what it requests for this use.
    fileprivate func allows(_ kind: UseKind) -> Bool {
        switch kind {
        case .stream, .oneShot: allowsLocation
        case .visits, .heading, .monitors, .beacons, .unknown: allowsFullLocation
        }
    }
}
