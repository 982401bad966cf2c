import Chronology
import Glibc
import SQLite
import SextantAPI
import SystemCalls

/// The state on disk as the daemon reports it in its status.
struct StateInspection {
    /// The free space below which a write to the database may fail, in bytes. A transaction writes
    /// some pages of 4 KiB to the log and to the database.
    private static let minFree = 256 * 1024
    /// What stands between the name of the database and the date in the name of a damaged one.
    private static let marker = ".torn-"

    let database: StateDatabase
    /// Why the permissions could not be read.
    var permissions: StoreError?

    private var directory: String {
        String(database.file.path[..<(database.file.path.lastIndex(of: "/") ?? database.file.path.startIndex)])
    }

    /// Inspects the directory now. It writes nothing.
    var message: StoredState {
        var message = StoredState()
        message.freeBytes = freeBytes
        message.permissionsUnreadable = permissions == nil ? nil : true
        message.replaced = replaced
        message.problem = problem(free: message.freeBytes)
        return message
    }

    private func problem(free: Int?) -> StateProblem? {
        if let error = permissions ?? database.trouble {
            return StateProblem(cause: error.kind.cause, reason: "\(error)", remedy: error.remedy)
        }
        do throws(UntrustedDirectory) { try StateDirectory.check(directory) } catch {
            return StateProblem(
                cause: .exposed, reason: "other users could replace files in \(directory)",
                remedy: "give the directory to the service's user, with mode 0700")
        }
        if database.isLost {
            return StateProblem(
                cause: .refused,
                reason: "\(database.file.path) was moved, replaced or deleted while the service uses it",
                remedy: "restore the database from a backup while the service is stopped")
        }
        guard !existing.isFile else {
            return StateProblem(
                cause: .unwritable, reason: "\(existing) is not a directory",
                remedy: "remove the file, or state another directory with --state")
        }
        // Of a directory that does not exist yet, the one that it is created in counts.
        guard access(existing, W_OK) == 0 else {
            return StateProblem(
                cause: .unwritable, reason: "the service may not write to \(existing)",
                remedy: StoreError.Kind.unwritable.remedy)
        }
        guard let free, free < StateInspection.minFree else { return nil }
        return StateProblem(
            cause: .full, reason: "\(free / 1024) KiB are free in the file system of \(directory)",
            remedy: StoreError.Kind.full.remedy)
    }

    /// The directory, or the nearest one above that exists.
    private var existing: String {
        var path = directory[...]
        while access(String(path), F_OK) != 0, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            path = path[..<slash]
        }
        return String(path)
    }

    private var freeBytes: Int? {
        var status = statvfs()
        guard statvfs(existing, &status) == 0 else { return nil }
        let (bytes, overflows) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflows ? nil : Int(clamping: bytes)
    }

    /// The newest damaged database. The date is part of the name, so that the last name is the
    /// newest; its log has the same name with a suffix.
    private var replaced: ReplacedDatabase? {
        let prefix = (database.file.path.split(separator: "/").last.map(String.init) ?? "") + StateInspection.marker
        let names = ((try? Directory.names(in: directory)) ?? []).filter {
            $0.hasPrefix(prefix) && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
        }
        guard let name = names.max(), let date = StateInspection.date(name.dropFirst(prefix.count).prefix(15)) else {
            return nil
        }
        return ReplacedDatabase(path: "\(directory)/\(name)", date: date)
    }

    /// Returns the time of a text such as "20261121T142233"; nil for another text.
    private static func date(_ text: Substring) -> UTCTime? {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false).map(Array.init)
        guard parts.count == 2, parts[0].count == 8, parts[1].count == 6 else { return nil }
        let (day, time) = (parts[0], parts[1])
        let form =
            "\(String(day[0..<4]))-\(String(day[4..<6]))-\(String(day[6..<8]))T"
            + "\(String(time[0..<2])):\(String(time[2..<4])):\(String(time[4..<6]))Z"
        return UTCTime(rfc3339: form)
    }
}

extension String {
    /// Whether the path is that of something other than a directory.
    fileprivate var isFile: Bool {
        var status = stat()
        return stat(self, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
    }
}

extension StoreError.Kind {
    /// The name of the kind on the wire.
    fileprivate var cause: StateCause {
        switch self {
        case .full: .full
        case .unwritable: .unwritable
        case .device: .device
        case .busy: .busy
        case .damaged: .damaged
        case .newer: .newer
        case .refused: .refused
        }
    }
}
