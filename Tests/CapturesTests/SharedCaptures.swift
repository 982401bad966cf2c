import Glibc
import Testing

/// Recorded logs of real receivers that are not part of this repository.
///
/// Found in the folder that `SEXTANT_SHARED` names, or in `../shared` beside this package or further up.
enum SharedCaptures {
    /// The folder with `gpsd` and `recorded` in it; nil where there is none.
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

    /// Names of the logs of `gpsd`; empty where the folder is not there.
    static let logs = Files.names(in: gpsd, ending: ".log").map(Files.stem)

    static let whereToFindThem: Comment =
        "no recorded logs here: set SEXTANT_SHARED to a folder that holds captures/gpsd and captures/recorded"

    private static func found(_ shared: some StringProtocol) -> String? {
        let folder = shared + "/captures"
        return Files.names(in: folder + "/gpsd", ending: ".log").isEmpty ? nil : folder
    }
}
