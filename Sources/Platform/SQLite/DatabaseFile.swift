import CSQLite
import Chronology
import Glibc
import SystemCalls

/// A database on disk that is opened, migrated, and moved aside if it is damaged.
package struct DatabaseFile: Sendable {
    /// A damaged database that was moved aside; log it prominently.
    package struct DamagedDatabase: Sendable, Equatable, CustomStringConvertible {
        /// The damage that was found.
        package var reason: StoreError
        /// The new path of the file; its log is beside it.
        package var path: String

        /// A message for the log.
        package var description: String {
            "\(reason); it was moved to \(path) and replaced by an empty database: "
                + "its contents are no longer available to this service"
        }
    }

    /// The path of the file. Missing directories are created for their owner only.
    package let path: String

    private let schema: [String]

    /// Creates a description of the database at `path`, which need not exist.
    ///
    /// - Parameter schema: The SQL that makes each version of the schema from the one before, the
    ///   first from an empty file. Released versions never change.
    package init(path: String, schema: [String]) {
        (self.path, self.schema) = (path, schema)
    }

    /// Opens the database, creates it if it is missing, and migrates it.
    ///
    /// A file that is not a database, or has inconsistent pages, is moved aside and replaced by an
    /// empty one, if that is found each time it is opened. A file that cannot be read or written,
    /// or that a newer version of the program wrote, stays where it is: what a failing disk does
    /// not deliver is not damaged.
    ///
    /// - Parameters:
    ///   - now: The host's time, for the name of a file that is moved aside.
    ///   - checksClosed: Whether the pages are checked also if the file was closed, so that it has
    ///     no log. Without it, damage is an error of a later read.
    /// - Returns: The database, and the damaged database that was moved aside, if any.
    package func open(
        at now: UTCTime, checksClosed: Bool = true
    ) throws(StoreError) -> (database: Database, movedAside: DamagedDatabase?) {
        var findings = 0
        while true {
            do throws(StoreError) { return (try openIntact(checksClosed), nil) } catch {
                guard error.kind == .damaged else { throw error }
                findings += 1
                guard findings == DatabaseFile.findingsOfDamage else { continue }
                let aside = try moveAside(at: now)
                return (try openIntact(true), DamagedDatabase(reason: error, path: aside))
            }
        }
    }

    /// How often a file is opened and found to be damaged before it is moved aside.
    private static let findingsOfDamage = 3

    private func openIntact(_ checksClosed: Bool) throws(StoreError) -> Database {
        let size = try createFileIfMissing()
        // If the file system loses power while it extends the file, the file may be empty. SQLite
        // would accept it as a new database.
        if size == 0 { throw StoreError("opening \(path)", reason: "the file is empty", code: SQLITE_CORRUPT) }
        do throws(StoreError) { return try openChecked(checksClosed || hasLog) } catch {
            // Nothing is in a file that was created a moment ago. The next opening creates it again
            // rather than trust what the failing disk has of it.
            if size == nil { for suffix in ["-journal", "-wal", ""] { unlink(path + suffix) } }
            throw error
        }
    }

    /// Whether the log has changes that are not in the file: it was not closed.
    private var hasLog: Bool {
        var log = stat()
        return stat(path + "-wal", &log) == 0 && log.st_size > 0
    }

    private func openChecked(_ checks: Bool) throws(StoreError) -> Database {
        let database = try Database(opening: path)
        do throws(StoreError) {
            if checks { try database.check() }
            try database.secureLog()
            try syncDirectory()
            try database.migrate(by: schema)
            database.releaseMemory()
            return database
        } catch {
            if error.kind == .damaged { database.preserveLogOnClose() }
            throw error
        }
    }

    /// Waits until the names of the file and of its log are on disk. SQLite does that too, but
    /// ignores a failure (`unixSync` in os_unix.c).
    private func syncDirectory() throws(StoreError) {
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        do throws(SystemError) {
            let file = FileDescriptor(
                owning: try systemCall("opening \(directory)") {
                    Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                })
            // Some file systems, such as FUSE's, cannot do that.
            do throws(SystemError) {
                try systemCall("writing \(directory) to disk") { fsync(file.number) }
            } catch  where error.code == EINVAL || error.code == ENOTSUP {}
        } catch {
            throw StoreError(error.operation, reason: error.reason, code: SQLITE_IOERR)
        }
    }

    /// Opens an intact database of this version that cannot be written, for reading only. Use it
    /// only after ``open(at:)`` has failed with ``StoreError/Kind/unwritable``.
    ///
    /// - Throws: `StoreError` if that is impossible, for instance because changes in the log of the
    ///   database are not in the file yet.
    package func openReadOnly() throws(StoreError) -> Database {
        if hasLog {
            throw StoreError(
                "opening \(path)", reason: "changes in its log cannot be read without write access",
                code: SQLITE_READONLY)
        }
        let database = try Database(readingOnly: path)
        try database.check()
        let version = try database.integer("PRAGMA user_version", for: "opening")
        guard version == schema.count else {
            throw StoreError("opening \(path)", reason: "another version wrote it", code: SQLITE_READONLY)
        }
        database.releaseMemory()
        return database
    }

    /// Opens a damaged database that was moved aside, to read what is left of it. Its log is kept.
    ///
    /// - Returns: nil if the file is empty: it never had contents.
    package static func openDamaged(at path: String) throws(StoreError) -> Database? {
        var status = stat()
        if stat(path, &status) == 0, status.st_size == 0 { return nil }
        let database = try Database(opening: path)
        database.preserveLogOnClose()
        return database
    }

    /// Creates the file with mode 0600 before SQLite creates one with another mode; its log gets
    /// the same mode (https://www.sqlite.org/src: `findCreateFileMode`).
    ///
    /// - Returns: The length of the existing file; nil if it was created.
    private func createFileIfMissing() throws(StoreError) -> off_t? {
        do throws(SystemError) {
            try Directory.makeParent(of: path, mode: 0o700)
            var status = stat()
            if stat(path, &status) == 0 { return status.st_size }
            let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
            _ = FileDescriptor(owning: try systemCall("opening \(path)") { Glibc.open(path, flags, 0o600) })
            return nil
        } catch {
            throw StoreError(
                error.operation, reason: error.reason,
                code: error.code == ENOSPC || error.code == EDQUOT ? SQLITE_FULL : SQLITE_CANTOPEN)
        }
    }

    /// Renames the file to `NAME.torn-20261121T142233`, or with a suffix `-1` and so on if that
    /// name exists.
    private func moveAside(at now: UTCTime) throws(StoreError) -> String {
        let stamp = String(now.description.prefix(19).filter { $0 != "-" && $0 != ":" })
        let base = "\(path).torn-\(stamp)"
        var name = base
        for number in 1...999 where access(name, F_OK) == 0 { name = "\(base)-\(number)" }
        // Move the log first. If the machine stops in between, a database without its log would
        // pass as intact.
        for suffix in ["-wal", "-shm", ""] {
            do throws(SystemError) {
                try systemCall("moving \(path)\(suffix) aside") { rename(path + suffix, name + suffix) }
            } catch  where error.code == ENOENT {
            } catch {
                throw StoreError(error.operation, reason: error.reason, code: SQLITE_CANTOPEN)
            }
        }
        return name
    }
}

extension Database {
    /// Checks the consistency of the pages.
    ///
    /// - Throws: `StoreError`, ``StoreError/Kind/damaged`` with the first inconsistency, or
    ///   ``StoreError/Kind/device`` if not all pages could be read.
    func check() throws(StoreError) {
        let statement = try prepare("PRAGMA quick_check(1)", for: "checking")
        let finding = try statement.step() ? statement.text(0) : ""
        guard finding != "ok" else { return }
        throw StoreError(
            "checking \(path)", reason: finding, code: hasFailedReads ? SQLITE_IOERR : StoreError.damagedFile)
    }

    /// Executes the statements of `schema` that the file lacks, up to `last`. The file stores the
    /// number of executed ones (`PRAGMA user_version`).
    ///
    /// - Throws: `StoreError`, without any change. ``StoreError/Kind/newer`` if the file has a
    ///   newer version than this program.
    package func migrate(by schema: [String], to last: Int? = nil) throws(StoreError) {
        let last = last ?? schema.count
        let version = try integer("PRAGMA user_version", for: "opening")
        guard let version = Int(exactly: version), (0...schema.count).contains(version) else {
            throw StoreError(
                "opening \(path)",
                reason: "the file has schema version \(version), but this program supports versions up to "
                    + "\(schema.count): reinstall the newer program, or move the file away",
                code: StoreError.newerVersion)
        }
        guard version < last else { return }
        try transaction("preparing") { () throws(StoreError) in
            for number in version..<last { try execute(schema[number], for: "preparing") }
            try execute("PRAGMA user_version=\(last)", for: "preparing")
        }
    }
}
