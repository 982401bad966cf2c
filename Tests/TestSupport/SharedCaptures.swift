import Glibc

/// Recorded logs of real receivers that are not part of this repository.
///
/// They are in the folder that `SEXTANT_SHARED` names, or else in `shared` beside this repository.
package enum SharedCaptures {
    /// The folder that contains `gpsd` and `recorded`; nil if there is none.
    package static let folder: String? = {
        let shared = getenv("SEXTANT_SHARED").map { String(cString: $0) } ?? PackageFiles.package + "/../shared"
        let folder = shared + "/captures"
        return PackageFiles.names(in: folder + "/gpsd", ending: ".log").isEmpty ? nil : folder
    }()

    /// The folder of the logs of gpsd's tests.
    package static let gpsd = (folder ?? "") + "/gpsd"
    /// The folder of the logs of this project.
    package static let recorded = (folder ?? "") + "/recorded"

    /// The names of the logs in `gpsd`; empty if the folder does not exist.
    package static let logs = PackageFiles.names(in: gpsd, ending: ".log").map(PackageFiles.stem)

    /// Why tests of these logs are skipped without them.
    package static let whereToFindThem =
        "no recorded logs here: set SEXTANT_SHARED to a folder that holds captures/gpsd and captures/recorded"
}
