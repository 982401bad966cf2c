import Glibc
import Testing

/// Recorded logs of real receivers that are not part of this repository.
///
/// They are in the folder that `SEXTANT_SHARED` names, or else in `shared` beside
/// this repository. The package in `Tools` compiles this file through a symbolic link.
enum SharedCaptures {
    /// The folder that contains `gpsd` and `recorded`; nil if there is none.
    static let folder: String? = {
        let shared = getenv("SEXTANT_SHARED").map { String(cString: $0) } ?? repository + "/../shared"
        let folder = shared + "/captures"
        return Files.names(in: folder + "/gpsd", ending: ".log").isEmpty ? nil : folder
    }()

    private static var repository: String {
        Files.package.hasSuffix("/Tools") ? Files.package + "/.." : Files.package
    }

    static let gpsd = (folder ?? "") + "/gpsd"
    static let recorded = (folder ?? "") + "/recorded"

    /// The names of the logs in `gpsd`; empty if the folder does not exist.
    static let logs = Files.names(in: gpsd, ending: ".log").map(Files.stem)

    static let whereToFindThem: Comment =
        "no recorded logs here: set SEXTANT_SHARED to a folder that holds captures/gpsd and captures/recorded"
}
