import Geodesy
import Places
import SextantAPI

/// The place that a text names, for a command that needs exactly one.
struct FoundPlace {
    /// Its position.
    let point: Point

    /// The population of a place relative to the first one's, from which a text is ambiguous.
    private static let similarSize = 0.5

    /// Finds a place by its whole name.
    ///
    /// - Throws: An error with choices if there is none, only similar names, or several of a
    ///   similar size.
    init(named text: String, in folder: PlacesFolder = .ofProcess) throws(CommandError) {
        guard let query = PlaceQuery(text) else {
            throw CommandError("there is no place named \"\(text)\": write its name, and the country after a comma")
        }
        let matches: [PlaceMatch]
        let lines: [String]
        do throws(PlacesError) {
            let file = try PlacesFile(folder)
            matches = try PlaceSearch(file).matches(query, countries: CountryNames().all, limit: 5)
            lines = try Geocoder(file).placemarks(named: query, limit: 5).placemarks.map(\.text)
        } catch {
            throw CommandError(error)
        }
        guard let first = matches.first else {
            throw CommandError("there is no place named \(text)", exitStatus: .noResult)
        }
        guard first.isExact else {
            throw CommandError(
                "there is no place named \(text); similar names are:", choices: lines, exitStatus: .noResult)
        }
        let size = Double(first.place.population) * FoundPlace.similarSize
        let rivals = matches.dropFirst().filter { $0.isExact && Double($0.place.population) >= size }
        guard rivals.isEmpty else {
            throw CommandError("several places are named \(text); add the country or division:", choices: lines)
        }
        point = Point(
            latitude: first.place.coordinate.latitude, longitude: first.place.coordinate.longitude)
    }
}
