import CSQLite
import Chronology
import Glibc
import SystemCalls

/// A database on disk: opened, brought up to date, and moved aside when it is torn.
public struct DatabaseFile: Sendable {
    /// A torn database that was moved aside, to be said loudly.
    public struct SetAside: Sendable, Equatable, CustomStringConvertible {
        /// What was found to be wrong.
        public var reason: StoreError
        /// Where the file is now, with its log beside it.
        public var path: String

        /// One sentence.
        public var description: String {
            "\(reason); it was moved to \(path) and an empty one made: what was kept in it is lost to this service"
        }
    }

    /// The file; the directory that it lies in is made where it is missing, not those above.
    public let path: String

    /// The database at `path`, whether it is there or not.
    public init(path: String) {
        self.path = path
    }

    /// Opens it, makes it where it is missing, and brings it up to date.
    ///
    /// A file that is no database, or whose pages contradict each other, is moved aside and a fresh one made. One that cannot be read or
    /// written for another reason, or comes from a later version of the program, stays where it is.
    ///
    /// - Parameter now: by the host's clock, for the name of what is moved aside.
    /// - Returns: the database, and what was moved aside if anything was.
    public func open(at now: UTCTime) throws(StoreError) -> (database: Database, setAside: SetAside?) {
        do throws(StoreError) {
            return (try openSound(), nil)
        } catch {
            guard error.trouble == .damaged else { throw error }
            let aside = try moveAside(at: now)
            return (try openSound(), SetAside(reason: error, path: aside))
        }
    }

    private func openSound() throws(StoreError) -> Database {
        // A file system that was cut off while it grew the file leaves it empty, which SQLite would take for a new one.
        if try make() == 0 { throw StoreError("opening \(path)", "the file is empty", code: SQLITE_CORRUPT) }
        let database = try Database(opening: path)
        do throws(StoreError) {
            try database.check()
            try Migrations.bring(database)
            database.releaseMemory()
            return database
        } catch {
            if error.trouble == .damaged { database.keepLog() }
            throw error
        }
    }

    /// The file with its mode, before SQLite makes one with another; its log gets the same (https://www.sqlite.org/src: `findCreateFileMode`).
    ///
    /// - Returns: the length of the file that was there.
    private func make() throws(StoreError) -> off_t? {
        do throws(SystemError) {
            if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
                let directory = String(path[..<slash])
                if access(directory, F_OK) != 0 { try systemCall("making the directory \(directory)") { mkdir(directory, 0o700) } }
            }
            var status = stat()
            if stat(path, &status) == 0 { return status.st_size }
            let flags = O_RDWR | O_CREAT | O_CLOEXEC
            _ = FileDescriptor(owning: try systemCall("opening \(path)") { Glibc.open(path, flags, 0o600) })
            return nil
        } catch {
            throw StoreError(error.doing, error.reason, code: error.code == ENOSPC || error.code == EDQUOT ? SQLITE_FULL : SQLITE_CANTOPEN)
        }
    }

    /// `NAME.torn-20261121T142233`, or with `-1` and so on where that is taken.
    private func moveAside(at now: UTCTime) throws(StoreError) -> String {
        let stamp = String(now.description.prefix(19).filter { $0 != "-" && $0 != ":" })
        let base = "\(path).torn-\(stamp)"
        var name = base
        for number in 1...999 where access(name, F_OK) == 0 { name = "\(base)-\(number)" }
        // The log first: a database without its log would be taken for a whole one if the machine stopped between the two.
        for suffix in ["-wal", "-shm", ""] {
            do throws(SystemError) {
                try systemCall("moving \(path)\(suffix) aside") { rename(path + suffix, name + suffix) }
            } catch  where error.code == ENOENT {
            } catch {
                throw StoreError(error.doing, error.reason, code: SQLITE_CANTOPEN)
            }
        }
        return name
    }
}

extension Database {
    /// Whether its pages agree with each other.
    ///
    /// - Throws: `StoreError`, ``StoreError/Trouble/damaged`` with the first contradiction.
    func check() throws(StoreError) {
        let statement = try prepare("PRAGMA quick_check(1)", "checking")
        let finding = try statement.step() ? statement.text(0) : ""
        if finding != "ok" { throw StoreError("checking \(path)", finding, code: SQLITE_CORRUPT) }
    }
}
