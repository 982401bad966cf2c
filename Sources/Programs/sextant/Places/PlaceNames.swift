import Geodesy
import Places
import SextantAPI

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

    /// Returns the name of the place of a visit.
    func text(_ visit: Visit) -> String? {
        placemark(latitude: visit.latitude, longitude: visit.longitude)?.text
    }

    /// Returns the name of a fence: that of its centre or its first point.
    func text(_ condition: Condition) -> String? {
        let point = condition.circle?.center ?? condition.polygon?.ring.first ?? condition.corridor?.path.first
        return point.flatMap { placemark(latitude: $0.latitude, longitude: $0.longitude)?.text }
    }

    private func placemark(latitude: Double, longitude: Double) -> Placemark? {
        guard let geocoder, let point = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        return (try? geocoder.placemark(at: point, language: language)) ?? nil
    }
}
