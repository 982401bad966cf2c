import Chronology
import Logging
import Store

/// The one database of the state directory, which is locked while it is open: whoever in this process needs it shares it.
///
/// It is closed when nobody holds it any more.
final class StateDatabase {
    var log: Logger
    /// The file: `sextant.db` in the state directory.
    let file: DatabaseFile
    private weak var held: Database?

    init(directory: String, log: Logger) {
        file = DatabaseFile(path: "\(directory)/sextant.db")
        self.log = log
    }

    /// The database, opened and made if need be. What is torn is moved aside, which is said loudly.
    ///
    /// - Parameter now: by the host's clock.
    func open(at now: UTCTime) throws(StoreError) -> Database {
        if let held { return held }
        if let slash = file.path.lastIndex(of: "/") { try? StateDirectory.make(String(file.path[..<slash])) }
        let (database, setAside) = try file.open(at: now)
        if let setAside { log.critical("\(setAside)") }
        held = database
        return database
    }
}
