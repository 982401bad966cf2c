import Glibc
import Testing

/// Recorded logs of real receivers that are not part of this repository.
///
/// They are in the folder that `SEXTANT_SHARED` names, or in `../shared` beside this package or
/// above it.
enum SharedCaptures {
    /// The folder that contains `gpsd` and `recorded`; nil if there is none.
    static let folder: String? = {
        if let named = getenv("SEXTANT_SHARED") { return found(String(cString: named)) }
        var above = Files.package[...]
        while let slash = above.lastIndex(of: "/") {
            above = above[..<slash]
            if let folder = found(above + "/shared") { return folder }
        }
        return nil
    }()

    static let gpsd = (folder ?? "") + "/gpsd"
    static let recorded = (folder ?? "") + "/recorded"

    /// The names of the logs in `gpsd`; empty if the folder does not exist.
    static let logs = Files.names(in: gpsd, ending: ".log").map(Files.stem)

    static let whereToFindThem: Comment =
        "no recorded logs here: set SEXTANT_SHARED to a folder that holds captures/gpsd and captures/recorded"

    private static func found(_ shared: some StringProtocol) -> String? {
        let folder = shared + "/captures"
        return Files.names(in: folder + "/gpsd", ending: ".log").isEmpty ? nil : folder
    }
}
