import Glibc

/// The folder with the file of places.
package struct PlacesFolder: Sendable, Equatable {
    /// The path of the folder.
    package let path: String

    /// The path of the folder where `SEXTANT_PLACES` names none.
    package static let defaultPath = "/var/lib/sextant-places"

    /// Selects the folder.
    ///
    /// - Parameter named: The value of `SEXTANT_PLACES`; nil or empty selects the default.
    package init(named: String?) {
        path = named.flatMap { $0.isEmpty ? nil : $0 } ?? PlacesFolder.defaultPath
    }

    /// The path of the file of places.
    package var file: String { path + "/places.db" }
}
