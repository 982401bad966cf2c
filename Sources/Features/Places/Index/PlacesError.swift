/// The reason why the data of places cannot be used.
package enum PlacesError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Nobody has imported a gazetteer into the folder.
    case noPlaces(folder: String)
    /// The file cannot be read or written, or its contents are damaged.
    case file(String)
    /// The file has another format than this program reads.
    case otherFormat(path: String)
    /// The answer needs more work than one call may cause.
    case tooBroad
    /// Another process imports into the folder.
    case importing(folder: String)

    /// What failed, and how to fix it.
    package var description: String {
        switch self {
        case .noPlaces(let folder):
            "there are no places in \(folder): download cities500.zip from "
                + "https://download.geonames.org/export/dump, unzip it and run sextant places import cities500.txt"
        case .file(let reason): reason
        case .otherFormat(let path):
            "\(path) has another format than this version reads: run sextant places import again"
        case .tooBroad: "too many places begin like this: type more letters, or add the country after a comma"
        case .importing(let folder): "another process imports places into \(folder): wait until it has ended"
        }
    }
}
