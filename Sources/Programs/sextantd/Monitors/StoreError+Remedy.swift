import SQLite

extension StoreError {
    /// The remedy.
    var remedy: String {
        guard code == StoreError.lostFile else { return kind.remedy }
        return "restore the database from a backup; or, to begin without decisions, stop the service, remove the "
            + "database and the file whose name also ends in .decided, and start it"
    }
}

extension StoreError.Kind {
    /// The remedy of errors of this kind.
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
