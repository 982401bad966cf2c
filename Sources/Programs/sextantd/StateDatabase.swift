import Chronology
import Logging
import SQLite
import StateStore
import SystemCalls

/// The database of the state directory, shared by all its users in this process and locked while
/// open.
///
/// It is closed when its last user releases it.
final class StateDatabase {
    private let log: Logger
    /// The file `sextant.db` in the state directory.
    let file: DatabaseFile
    private weak var held: Database?
    /// Why events of monitors cannot be written; nil if they can.
    var trouble: StoreError?
    /// How often a damaged file was renamed.
    private(set) var movedAsideCount = 0
    /// The path of the last file that was renamed; nil before the first.
    private(set) var lastMovedAside: String?
    /// How often the file was moved, replaced or deleted while this process used it.
    private(set) var lossCount = 0
    private var identity: FileIdentity?

    /// Whether the file is not the one that was opened last.
    var isLost: Bool { identity != nil && FileIdentity(path: file.path) != identity }

    init(directory: String, log: Logger) {
        file = DatabaseFile(path: "\(directory)/sextant.db")
        self.log = log
    }

    /// Opens the database and creates it if necessary. Renames a damaged file and logs this as
    /// critical.
    ///
    /// - Parameter now: The time by the host's clock.
    func open(at now: UTCTime) throws(StoreError) -> Database {
        let isLost = isLost
        if let held, !isLost { return held }
        try? Directory.makeParent(of: file.path)
        let (database, corrupt) = try file.open(at: now)
        if let corrupt {
            log.critical("\(corrupt)")
            movedAsideCount += 1
            lastMovedAside = corrupt.path
        } else if isLost {
            log.critical("\(file.path) was moved, replaced or deleted while it was open; a new file is used")
            lossCount += 1
        }
        held = database
        identity = FileIdentity(path: file.path)
        return database
    }

    /// Opens a database that cannot be written, for reading only.
    func openReadOnly() throws(StoreError) -> Database { try file.openReadOnly() }
}

extension StoreError {
    var remedy: String {
        guard code == StoreError.lostFile else { return kind.remedy }
        return "restore the database from a backup; or, to begin without decisions, stop the service, remove the "
            + "database and the file whose name also ends in .decided, and start it"
    }
}

extension StoreError.Kind {
    var remedy: String {
        switch self {
        case .full: "free space on the file system of the database"
        case .unwritable: "make the file and its directory writable for the service's user"
        case .device: "check the kernel log for disk errors"
        case .busy: "another process has the database open; stop that process"
        case .damaged: "the service renames the database and creates a new one"
        case .newer: "install the later version again, or move the file away"
        case .refused: "this is a bug in the service; please report it"
        }
    }
}
