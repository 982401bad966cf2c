import Glibc

/// The file of the outbox of a destination, in the state directory.
struct OutboxFile {
    /// Its path.
    let path: String

    /// Earlier versions named the file by the path of the destination: such a file is renamed, so
    /// that its records are not left behind.
    init(of destination: Destination, state: String) {
        path = "\(state)/outbox-\(destination.fileName).db"
        let former = "\(state)/outbox-\(destination.formerFileName).db"
        guard former != path, access(path, F_OK) != 0, access(former, F_OK) == 0 else { return }
        // The log of changes first: in the other order a crash would lose it.
        for suffix in ["-wal", "-shm", ""] { _ = rename(former + suffix, path + suffix) }
    }
}
