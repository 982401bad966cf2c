import CSQLite

package struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The failed action, such as "opening /var/lib/sextant/sextant.db".
    package var action: String
    /// The reason, for example SQLite's message.
    package var reason: String
    /// SQLite's extended result code; 0 if the error is not from SQLite.
    package var code: Int32

    package init(_ action: String, reason: String, code: Int32 = 0) {
        self.action = action
        self.reason = reason
        self.code = code
    }

    package var description: String { "\(action): \(reason)" }
}

extension StoreError {
    /// The value of ``code`` if a newer program version wrote the file. It is not a SQLite code;
    /// SQLite's primary codes end at 101.
    static let newerVersion: Int32 = 200

    /// The value of ``code`` for a file whose contents are not those that were written.
    package static let damagedFile = SQLITE_CORRUPT

    /// The value of ``code`` if the file with the stored data is gone or another one is in its
    /// place.
    package static let lostFile: Int32 = 201

    /// The kind of error.
    package enum Kind: String, Sendable {
        /// The file system, a quota or the database's size limit is full. May be temporary.
        case full
        /// The file, its directory or its file system is not writable or not accessible. May be
        /// temporary.
        case unwritable
        /// The device failed to read or write. May be temporary.
        case device
        /// Another process has the database open. May be temporary.
        case busy
        /// The contents of the file are damaged. Permanent.
        case damaged
        /// A newer version of the program wrote the file. Permanent.
        case newer
        /// The request contradicts the stored data or is out of range; the store itself is intact.
        case refused
    }

    /// The kind of error, from SQLite's primary result code (https://www.sqlite.org/rescode.html).
    package var kind: Kind {
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
}
