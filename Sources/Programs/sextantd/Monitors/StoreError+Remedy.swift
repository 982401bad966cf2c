import Store

extension StoreError {
    /// The remedy.
    var remedy: String { kind.remedy }
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
