import Chronology
import Glibc
import Logging
import Permission
import SQLite
import SextantAPI
import StateStore
import SystemCalls

/// The files that show which monitors have an event that waits while no client has them open. An
/// event waits if it is on disk and the program of the monitor may know it.
///
/// A path unit of systemd starts the program that owns the monitor while its file exists. The files
/// are in a directory for each user beside the socket: `wake/1000/home`, or
/// `wake/1000/user:boat.service:home` for a monitor of a service. Only the user can read the
/// directory, because an event shows movement.
final class WakeFiles {
    /// The user and the name of a file.
    struct Name: Hashable {
        var user: UInt32
        var file: String

        /// Creates the name of a monitor's file: the unit and a comma with the namespace, if there
        /// are any, and a colon before the name of the monitor. Nil if an earlier version stored a
        /// program that has no safe name.
        init?(_ key: MonitorKey) {
            let namespace = key.owner.namespace.map { ",\($0)" } ?? ""
            let program = (key.owner.qualifiedUnit ?? "") + namespace
            let file = program.isEmpty ? key.name : "\(program):\(key.name)"
            guard (1...Name.maxLength).contains(file.utf8.count), file.utf8.first != UInt8(ascii: "."),
                file.utf8.allSatisfy(Name.isSafe)
            else { return nil }
            (user, self.file) = (key.owner.user, file)
        }

        /// The longest name of a file in bytes.
        private static let maxLength = 255

        private static func isSafe(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: ":-_.\\@,".utf8.contains(byte)
            }
        }
    }

    private let registry: MonitorRegistry
    /// Returns whether the program of a monitor may know its events.
    private let mayWake: (MonitorKey) -> Bool
    private let log: Logger
    private let directory: String
    private var existing: Set<Name> = []
    /// When files that could not be made or removed are tried again; nil after success.
    private(set) var deadline: Instant?
    private var backoff = ExponentialBackoff()

    /// - Parameter socket: The path of the daemon's socket.
    init(
        _ registry: MonitorRegistry, socket: String, log: Logger,
        mayWake: @escaping (MonitorKey) -> Bool
    ) {
        self.registry = registry
        self.mayWake = mayWake
        self.log = log
        let parent = socket.lastIndex(of: "/").map { socket[...$0] } ?? ""
        directory = "\(parent)wake"
    }

    /// Updates the files of the monitors that have changed since the last call, nil for all, or of
    /// all after an error.
    func update(_ changed: Set<MonitorKey>?, at now: Instant) {
        var changed = changed
        if let deadline, deadline <= now { changed = nil }
        guard changed?.isEmpty != true else { return }
        let failure = if let changed { update(changed, at: now) } else { updateAll(at: now) }
        if let failure {
            if backoff == ExponentialBackoff() {
                let reason = (failure as? MonitorError).map { "\($0.reply)" } ?? "\(failure)"
                log.warning("cannot wake the programs of waiting events: \(reason)")
            }
            guard changed == nil || deadline == nil else { return }
            deadline = now + backoff.next(from: .seconds(10), max: .seconds(600))
        } else if changed == nil {
            deadline = nil
            backoff.reset()
        }
    }

    private func updateAll(at now: Instant) -> (any Error)? {
        do {
            let waiting = try waitingMonitors(at: now).filter(mayWake)
            try replace(with: Set(waiting.compactMap { Name($0) }))
            return nil
        } catch { return error }
    }

    /// Updates the files of these monitors and returns the first error. One monitor's does not
    /// affect the others.
    private func update(_ keys: Set<MonitorKey>, at now: Instant) -> (any Error)? {
        var failure: (any Error)?
        for key in keys {
            guard let name = Name(key) else { continue }
            do {
                try set(name, waits: try hasWaitingEvent(key, at: now) && mayWake(key))
            } catch {
                failure = failure ?? error
            }
        }
        return failure
    }
}

// MARK: Waiting events
extension WakeFiles {
    /// Returns whether a monitor has an event on disk while no client has it open.
    private func hasWaitingEvent(_ key: MonitorKey, at now: Instant) throws(MonitorError) -> Bool {
        guard registry.subscriptions[key] == nil, let store = try readableStore() else { return false }
        return try registry.database.perform(at: now) { () throws(StoreError) in
            guard let monitor = try store.monitor(key.name, of: key.owner.description) else { return false }
            return try store.events.hasPending(of: monitor)
        }
    }

    /// Returns the monitors with an event on disk that no client has open.
    func waitingMonitors(at now: Instant) throws(MonitorError) -> [MonitorKey] {
        guard let store = try readableStore() else { return [] }
        let keys = try registry.database.perform(at: now) { () throws(StoreError) in
            try store.events.monitorsWithPending().compactMap { found in
                ProgramID(stored: found.program).map { MonitorKey(owner: $0, name: found.name) }
            }
        }
        return keys.filter { registry.subscriptions[$0] == nil }
    }

    /// Returns the open store; nil if no monitor exists. While an error keeps it closed, nobody
    /// knows which events wait.
    private func readableStore() throws(MonitorError) -> MonitorStore? {
        let database = registry.database
        guard database.isClosed, let trouble = database.trouble else { return database.openStore }
        throw .persistenceUnavailable(reason: "\(trouble)")
    }
}

// MARK: Files
extension WakeFiles {
    /// Creates or removes the file of a monitor.
    private func set(_ name: Name, waits: Bool) throws(SystemError) {
        guard waits != existing.contains(name) else { return }
        if waits {
            try create(name)
            existing.insert(name)
        } else {
            try remove(name)
            existing.remove(name)
        }
    }

    /// Makes the files those of these monitors. Others of an earlier run are removed.
    ///
    /// - Throws: The first error, after all other files were made.
    private func replace(with names: Set<Name>) throws(SystemError) {
        existing = []
        var failure: SystemError?
        do throws(SystemError) { try removeAll(except: names) } catch { failure = error }
        for name in names.sorted(by: { ($0.user, $0.file) < ($1.user, $1.file) }) {
            do throws(SystemError) { try set(name, waits: true) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func create(_ name: Name) throws(SystemError) {
        let parent = try open(directory, in: AT_FDCWD, named: directory, mode: 0o755)
        let folder = try open("\(name.user)", in: parent.number, named: path(of: name.user), mode: 0o700)
        // A kill may have followed the creation of the directory.
        try UserAccess.grantReading(of: folder, named: path(of: name.user), to: name.user)
        let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let file = try systemCall("creating \(path(of: name.user))/\(name.file)") {
            openat(folder.number, name.file, flags, 0o600)
        }
        _ = FileDescriptor(owning: file)
    }

    private func remove(_ name: Name) throws(SystemError) {
        do throws(SystemError) {
            let parent = try open(directory, in: AT_FDCWD, named: directory)
            let folder = try open("\(name.user)", in: parent.number, named: path(of: name.user))
            try unlink(name.file, in: folder, of: name.user)
        } catch  where error.code == ENOENT {}
    }

    /// Removes the files of an earlier run that are not among these. Only empty files in
    /// directories with the number of a user are such files.
    private func removeAll(except names: Set<Name>) throws(SystemError) {
        guard access(directory, F_OK) == 0 else { return }
        let expected = Set(names.map { "\($0.user)/\($0.file)" })
        let parent = try open(directory, in: AT_FDCWD, named: directory)
        var failure: SystemError?
        for entry in WakeFiles.entries(of: parent) {
            guard let user = UInt32(entry), "\(user)" == entry else { continue }
            do throws(SystemError) {
                let folder = try open(entry, in: parent.number, named: path(of: user))
                for file in WakeFiles.entries(of: folder) where !expected.contains("\(user)/\(file)") {
                    var status = stat()
                    guard fstatat(folder.number, file, &status, AT_SYMLINK_NOFOLLOW) == 0,
                        status.st_mode & S_IFMT == S_IFREG, status.st_size == 0
                    else { continue }
                    try unlink(file, in: folder, of: user)
                }
            } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func unlink(_ file: String, in folder: borrowing FileDescriptor, of user: UInt32) throws(SystemError) {
        let number = folder.number
        try systemCall("removing \(path(of: user))/\(file)") { unlinkat(number, file, 0) }
    }

    private func path(of user: UInt32) -> String { "\(directory)/\(user)" }

    /// Opens a directory that belongs to the daemon alone: in a socket's directory that others can
    /// write, another user could have made it.
    ///
    /// - Parameter mode: The permissions to create it with; nil for one that exists.
    private func open(
        _ name: String, in parent: Int32, named path: String, mode: mode_t? = nil
    ) throws(SystemError) -> FileDescriptor {
        if mode != nil { _ = mkdirat(parent, name, 0o700) }
        let folder = FileDescriptor(
            owning: try systemCall("opening the directory \(path)") {
                openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            })
        var status = stat()
        try systemCall("reading the owner of \(path)") { fstat(folder.number, &status) }
        guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw SystemError(code: EPERM, operation: "using \(path), which others own or can write")
        }
        // The umask of the service does not apply to what everybody may read.
        if mode == 0o755, status.st_mode & 0o777 != 0o755 {
            try systemCall("setting the permissions of \(path)") { fchmod(folder.number, 0o755) }
        }
        return folder
    }

    private static func entries(of directory: borrowing FileDescriptor) -> [String] {
        (try? Directory.names(of: directory)) ?? []
    }
}
