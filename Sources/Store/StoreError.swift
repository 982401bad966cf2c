import CSQLite

/// Why something could not be kept or found again.
public struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was being done, as "opening /var/lib/sextant/sextant.db".
    public var action: String
    /// What stood against it, in SQLite's words.
    public var reason: String
    /// SQLite's extended result code; 0 where it was not SQLite.
    public var code: Int32

    /// A failure.
    public init(_ action: String, _ reason: String, code: Int32 = 0) {
        self.action = action
        self.reason = reason
        self.code = code
    }

    /// One sentence.
    public var description: String { "\(action): \(reason)" }
}

extension StoreError {
    /// Stands in ``code`` where a file is of a later version; no code of SQLite's, whose primary ones end at 101.
    static let newerVersion: Int32 = 200

    /// What can be done about it.
    public enum Trouble: String, Sendable {
        /// There is no room: the file system, a quota or the limit of the database is reached. It may pass.
        case full
        /// The file, its directory or its file system may not be written, or may not be reached. It may pass.
        case unwritable
        /// The device failed to read or write. It may pass.
        case device
        /// Another process has the database open. It may pass.
        case busy
        /// What is in the file is not what was written. It does not pass.
        case damaged
        /// The file was written by a later version of the program. It does not pass.
        case newer
        /// What was asked for contradicts what is there, or is out of range: nothing is wrong with the store.
        case refused
    }

    /// What kind of failure it is, by SQLite's primary result code (https://www.sqlite.org/rescode.html).
    public var trouble: Trouble {
        switch code & 0xFF {
        case SQLITE_FULL, SQLITE_TOOBIG, SQLITE_NOMEM: .full
        case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .unwritable
        case SQLITE_IOERR: .device
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
        case StoreError.newerVersion: .newer
        default: .refused
        }
    }

    /// Whether the same may succeed later, with nothing changed but the machine's circumstances.
    public var mayPass: Bool {
        switch trouble {
        case .full, .unwritable, .device, .busy: true
        case .damaged, .newer, .refused: false
        }
    }
}
