import Geodesy
import Glibc
import Places
import SextantAPI

extension PlacesFolder {
    static var ofProcess: PlacesFolder { PlacesFolder(named: Environment.value("SEXTANT_PLACES")) }

    /// Opens the file of places and calls `body`. Errors of the data become errors of the command.
    func withFile<R>(_ body: (PlacesFile) throws -> R) throws -> R {
        do {
            return try body(try PlacesFile(self))
        } catch let error as PlacesError {
            throw CommandError(error)
        }
    }
}

extension CommandError {
    init(_ error: PlacesError) {
        let status: ExitStatus =
            switch error {
            case .tooBroad, .importing: .failure
            case .noPlaces, .file, .otherFormat: .noInput
            }
        self.init(error.description, exitStatus: status)
    }
}

enum UserLanguage {
    /// The letters of the language in the order of locale(7); nil for the C locale.
    static var code: String? { code { Environment.value($0) } }

    /// The letters of the language that the environment states.
    static func code(environment: (String) -> String?) -> String? {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
        guard let letters = locale?.prefix(while: { $0.isLetter }), (2...3).contains(letters.count) else { return nil }
        return letters.lowercased()
    }
}

/// Names of positions beside other output; none without data or if it cannot be read.
final class PlaceNames {
    private let geocoder: Geocoder?
    private let language: String?

    /// Opens the data of a folder.
    init(_ folder: PlacesFolder = .ofProcess, language: String? = UserLanguage.code) {
        geocoder = (try? PlacesFile(folder)).map { Geocoder($0) }
        self.language = language
    }

    /// Returns the name of a location; a coarse one for a reduced location.
    func text(_ location: Location) -> String? {
        let mark = placemark(latitude: location.latitude, longitude: location.longitude)
        return (location.isReduced ? mark?.reduced : mark)?.text
    }

    func text(_ visit: Visit) -> String? {
        placemark(latitude: visit.latitude, longitude: visit.longitude)?.text
    }

    /// Returns the name of a fence: that of its centre or its first point.
    func text(_ condition: Condition) -> String? {
        let point = condition.circle?.center ?? condition.polygon?.ring.first ?? condition.corridor?.path.first
        return point.flatMap { placemark(latitude: $0.latitude, longitude: $0.longitude)?.text }
    }

    private func placemark(latitude: Double, longitude: Double) -> GeocodedPlace? {
        guard let geocoder, let point = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        return (try? geocoder.placemark(at: point, language: language)) ?? nil
    }
}
