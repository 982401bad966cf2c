import Geodesy
import Positioning
import Settings
import SextantAPI

/// Reads the section `[station]`: the fixed place of the device.
struct StationSection {
    private static let section = "station"

    private let file: ConfigurationFile

    /// - Parameter file: The file of the section, for the places of errors.
    init(of file: ConfigurationFile) { self.file = file }

    /// Returns the place that the section describes.
    func station(_ section: [String: TOMLValue]) throws(ConfigurationError) -> Station {
        let known = ["latitude", "longitude", "accuracy", "altitude", "name"]
        if let unknown = section.keys.filter({ !known.contains($0) }).min() {
            throw error(unknown, "unknown key; valid keys are latitude, longitude, accuracy, altitude and name")
        }
        let latitude = try number("latitude", of: section, -90...90, "degrees from -90 to 90")
        let longitude = try number("longitude", of: section, -180...180, "degrees from -180 to 180")
        let accuracy = try number("accuracy", of: section, 0.01...10_000, "metres from 0.01 to 10000")
        guard let latitude, let longitude, let accuracy,
            let place = Coordinate(latitude: latitude, longitude: longitude)
        else {
            throw error(
                nil,
                "needs latitude, longitude and accuracy, the radius in metres that contains the place with 68 %; "
                    + "to measure them: sextant station average")
        }
        var station = Station(coordinate: place, horizontalAccuracy: accuracy)
        station.altitude = try number(
            "altitude", of: section, -1_000...100_000, "metres above mean sea level, from -1000 to 100000")
        if let name = section["name"] {
            guard let text = name.string, FeedParameters.isName(text) else {
                throw error("name", "must be 1 to 64 letters, digits, dots, hyphens and underscores")
            }
            station.name = text
        }
        return station
    }

    private func number(
        _ key: String, of section: [String: TOMLValue], _ range: ClosedRange<Double>, _ values: String
    ) throws(ConfigurationError) -> Double? {
        guard let value = section[key] else { return nil }
        guard let number = value.number, range.contains(number) else {
            throw error(key, "must be a number of \(values)")
        }
        return number
    }

    private func error(_ key: String?, _ reason: String) -> ConfigurationError {
        file.error(in: StationSection.section, key: key, reason: reason)
    }
}
