import Chronology
import Glibc
import Permission
import SQLite
import StateStore
import SystemCalls

/// The stored part of permissions: decisions, leases, the location switch and the secret of reduced
/// locations.
///
/// The database is opened for each access and closed afterwards unless another part of the daemon
/// uses it.
struct PermissionStore {
    private static let switchName = "location"
    private static let secretName = "reduced"
    /// Is stored once anything was decided. A file without it is not the one with the decisions.
    private static let decidedName = "decided"

    private let database: StateDatabase

    init(_ database: StateDatabase) { self.database = database }

    /// What is stored.
    struct Contents {
        var decisions: [ProgramID: PermissionDecision] = [:]
        var locationSwitch = LocationSwitch()
        var leases: [(program: ProgramID, since: UTCTime)] = []
        /// The secret of reduced locations; nil if none is stored, or a damaged one.
        var secret: ReducedSecret?
    }

    /// How often the file was replaced by another one, because it was damaged or lost.
    var replacementCount: Int { database.movedAsideCount + database.lossCount }

    /// Returns what is stored. Rows that this version does not understand count as denied.
    ///
    /// - Throws: `StoreError`, also if a damaged file was replaced and its permissions cannot be
    ///   read: a denied program must not get the location because the disk failed.
    func contents() throws(StoreError) -> Contents {
        let count = database.movedAsideCount
        guard let open = try existing() else {
            if isDecided { throw lost("\(database.file.path) is missing") }
            return Contents()
        }
        guard database.movedAsideCount != count, let path = database.lastMovedAside else {
            return try contents(of: open)
        }
        // Nothing was ever decided here: a device must not lose its location for nothing.
        guard isDecided else { return Contents() }
        // The marker is created after the first decision is stored, so the file had contents.
        guard let damaged = try DatabaseFile.openDamaged(at: path) else { throw lost("\(path) is empty") }
        let contents = try contents(of: damaged)
        try replace(with: contents)
        return contents
    }

    private func lost(_ reason: String) -> StoreError {
        StoreError("reading permissions", reason: reason, code: StoreError.lostFile)
    }

    private func contents(of open: Database) throws(StoreError) -> Contents {
        if isDecided, try open.deviceValue(PermissionStore.decidedName) == nil {
            throw lost("\(database.file.path) has replaced the one with decisions")
        }
        var contents = Contents()
        for row in try open.permissions() {
            guard let program = ProgramID(stored: row.program) else { continue }
            contents.decisions[program] = PermissionDecision(row)
        }
        contents.leases = try open.leases().compactMap { row in
            ProgramID(stored: row.program).map { ($0, UTCTime(milliseconds: row.since)) }
        }
        if let value = try open.deviceValue(PermissionStore.switchName) {
            contents.locationSwitch = LocationSwitch(
                isOn: value.bytes != [0], user: value.user,
                date: value.date == 0 ? nil : UTCTime(milliseconds: value.date))
        }
        contents.secret = try open.deviceValue(PermissionStore.secretName).flatMap { ReducedSecret(bytes: $0.bytes) }
        return contents
    }

    /// Writes everything into a file that has replaced a damaged one. Location is off in the file
    /// until all of it is there.
    func replace(with contents: Contents) throws(StoreError) {
        guard isDecided else {
            if let secret = contents.secret { try save(secret) }
            return try save(contents.leases)
        }
        try save(LocationSwitch(isOn: false, date: HostClock.utc))
        for (program, decision) in contents.decisions { try save(decision, about: program) }
        try save(contents.leases)
        if let secret = contents.secret { try save(secret) }
        try save(contents.locationSwitch)
    }

    /// Stores a decision, or deletes it with `nil`. A lease ends with a denial and with the
    /// deletion (``PermissionTable/decide(_:about:)``): a later grant must not continue it.
    func save(_ decision: PermissionDecision?, about program: ProgramID) throws(StoreError) {
        let open = try openOutsideBatch()
        try mark(open)
        guard let decision else { return try open.removePermission(of: program.description) }
        try open.setPermission(
            PermissionRow(decision, about: program), endsLease: decision.authorization == .denied)
    }

    func save(_ locationSwitch: LocationSwitch) throws(StoreError) {
        let open = try openOutsideBatch()
        try mark(open)
        try open.setDeviceValue(
            PermissionStore.switchName,
            to: DeviceValue(
                bytes: [locationSwitch.isOn ? 1 : 0], user: locationSwitch.user ?? 0,
                date: locationSwitch.date?.milliseconds ?? 0))
    }

    func save(_ leases: [(program: ProgramID, since: UTCTime)]) throws(StoreError) {
        try openOutsideBatch().setLeases(
            leases.map { (program: $0.program.description, since: $0.since.milliseconds) })
    }

    func save(_ secret: ReducedSecret) throws(StoreError) {
        try openOutsideBatch().setDeviceValue(
            PermissionStore.secretName, to: DeviceValue(bytes: secret.bytes, user: 0, date: HostClock.utc.milliseconds))
    }

    /// Opens the database for a change that is on disk when its call returns. The calls of a turn
    /// that change monitors before it would delay that, so they are written first.
    private func openOutsideBatch() throws(StoreError) -> Database {
        let open = try database.open(at: HostClock.utc)
        try open.finishBatch()
        return open
    }

    /// An empty file that exists once anything was decided: a damaged database may not show that.
    private var marker: String { database.file.path + ".decided" }

    private var isDecided: Bool { access(marker, F_OK) == 0 }

    /// Records that something is decided: in the database first, so that a file of that name never
    /// stands beside a database without.
    private func mark(_ open: Database) throws(StoreError) {
        if try open.deviceValue(PermissionStore.decidedName) == nil {
            try open.setDeviceValue(
                PermissionStore.decidedName, to: DeviceValue(bytes: [1], user: 0, date: HostClock.utc.milliseconds))
        }
        guard !isDecided else { return }
        do throws(SystemError) {
            try Directory.makeParent(of: marker)
            let file = FileDescriptor(
                owning: try systemCall("creating \(marker)") {
                    Glibc.open(marker, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
                })
            try systemCall("writing \(marker)") { fsync(file.number) }
        } catch {
            throw StoreError(error.operation, reason: error.reason)
        }
    }

    /// The database if its file exists: reading must not create it.
    private func existing() throws(StoreError) -> Database? {
        guard access(database.file.path, F_OK) == 0 else { return nil }
        do throws(StoreError) { return try database.open(at: HostClock.utc) } catch {
            // A state directory that cannot be written is still read.
            guard error.kind == .unwritable || error.kind == .full else { throw error }
            return try database.openReadOnly()
        }
    }
}

extension PermissionDecision {
    fileprivate init(_ row: PermissionRow) {
        let author: Author = row.author.hasPrefix("agent") ? .agent(user: row.user) : .administrator(user: row.user)
        self.init(
            AuthorizationChoice(rawValue: row.authorization) ?? .denied,
            accuracy: AccuracyAuthorization(rawValue: row.accuracy) ?? .reduced, by: author,
            at: UTCTime(milliseconds: row.date))
        isAboutAlways = row.author == "agentAlways"
    }
}

extension PermissionRow {
    fileprivate init(_ decision: PermissionDecision, about program: ProgramID) {
        let author: String =
            switch decision.author {
            case .administrator: "administrator"
            case .agent: decision.isAboutAlways ? "agentAlways" : "agent"
            }
        self.init(
            program: program.description, authorization: decision.authorization.rawValue,
            accuracy: decision.accuracy.rawValue, author: author, user: decision.author.user,
            date: decision.date.milliseconds)
    }
}
