import Chronology
import Glibc
import Permission
import Store

/// The stored part of permissions: decisions, leases, the location switch and the secret of reduced
/// locations.
///
/// The database is opened for each access and closed afterwards unless another part of the daemon
/// uses it.
struct PermissionStore {
    private static let switchName = "location"
    private static let secretName = "reduced"

    private let database: StateDatabase

    init(_ database: StateDatabase) { self.database = database }

    /// What is stored.
    struct Contents {
        var decisions: [ProgramID: PermissionDecision] = [:]
        var locationSwitch = LocationSwitch()
        var leases: [(program: ProgramID, since: UTCTime)] = []
    }

    /// Returns what is stored. Rows that this version does not understand count as denied.
    func contents() throws(StoreError) -> Contents {
        var contents = Contents()
        guard let open = try existing() else { return contents }
        for row in try open.permissions() {
            guard let program = ProgramID(stored: row.program) else { continue }
            contents.decisions[program] = PermissionDecision(row)
        }
        contents.leases = try open.leases().compactMap { row in
            ProgramID(stored: row.program).map { ($0, UTCTime(milliseconds: row.since)) }
        }
        if let value = try open.deviceValue(PermissionStore.switchName) {
            contents.locationSwitch = LocationSwitch(
                isOn: value.bytes != [0], user: value.user, date: UTCTime(milliseconds: value.date))
        }
        return contents
    }

    /// Stores a decision, or deletes it with `nil`. A lease ends with a denial and with the
    /// deletion (``PermissionTable/decide(_:about:)``): a later grant must not continue it.
    func save(_ decision: PermissionDecision?, about program: ProgramID) throws(StoreError) {
        let open = try database.open(at: HostTime.now)
        guard let decision else { return try open.removePermission(of: program.description) }
        try open.setPermission(
            PermissionRow(decision, about: program), endsLease: decision.authorization == .denied)
    }

    /// Stores the state of the location switch.
    func save(_ locationSwitch: LocationSwitch) throws(StoreError) {
        try database.open(at: HostTime.now).setDeviceValue(
            PermissionStore.switchName,
            to: DeviceValue(
                bytes: [locationSwitch.isOn ? 1 : 0], user: locationSwitch.user ?? 0,
                date: locationSwitch.date?.milliseconds ?? 0))
    }

    /// Stores all leases.
    func save(_ leases: [(program: ProgramID, since: UTCTime)]) throws(StoreError) {
        try database.open(at: HostTime.now).setLeases(
            leases.map { (program: $0.program.description, since: $0.since.milliseconds) })
    }

    /// Returns the secret of reduced locations, and creates it the first time.
    func secret() throws(StoreError) -> ReducedSecret? {
        let open = try database.open(at: HostTime.now)
        if let value = try open.deviceValue(PermissionStore.secretName) { return ReducedSecret(bytes: value.bytes) }
        let secret = ReducedSecret()
        try open.setDeviceValue(
            PermissionStore.secretName, to: DeviceValue(bytes: secret.bytes, user: 0, date: HostTime.now.milliseconds))
        return secret
    }

    /// The database if its file exists: reading must not create it.
    private func existing() throws(StoreError) -> Database? {
        guard access(database.file.path, F_OK) == 0 else { return nil }
        do throws(StoreError) { return try database.open(at: HostTime.now) } catch {
            // A state directory that cannot be written is still read.
            guard error.kind == .unwritable || error.kind == .full else { throw error }
            return try database.openReadOnly()
        }
    }
}

extension PermissionDecision {
    /// Creates a decision from its stored form.
    fileprivate init(_ row: PermissionRow) {
        let author: Author = row.author == "agent" ? .agent(user: row.user) : .administrator(user: row.user)
        self.init(
            AuthorizationChoice(rawValue: row.authorization) ?? .denied,
            accuracy: AccuracyAuthorization(rawValue: row.accuracy) ?? .reduced, by: author,
            at: UTCTime(milliseconds: row.date))
    }
}

extension PermissionRow {
    /// Creates the stored form of a decision.
    fileprivate init(_ decision: PermissionDecision, about program: ProgramID) {
        let author: String =
            switch decision.author {
            case .administrator: "administrator"
            case .agent: "agent"
            }
        self.init(
            program: program.description, authorization: decision.authorization.rawValue,
            accuracy: decision.accuracy.rawValue, author: author, user: decision.author.user,
            date: decision.date.milliseconds)
    }
}
