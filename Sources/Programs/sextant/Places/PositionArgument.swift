import ArgumentParser
import Geodesy

/// A latitude and a longitude, separated by a comma.
struct PositionArgument: Equatable {
    let coordinate: Coordinate

    /// Parses the argument of a command.
    ///
    /// - Throws: `ValidationError` that states the order and the range.
    static func parse(_ argument: String) throws -> PositionArgument {
        let order = "write the latitude first, -90 to 90, then a comma and the longitude, -180 to 180"
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, let latitude = number(parts[0]), let longitude = number(parts[1]) else {
            throw ValidationError("\"\(argument)\" is not a position: \(order)")
        }
        guard abs(latitude) <= 90 else {
            let swapped = abs(latitude) <= 180 && abs(longitude) <= 90 ? "; are they swapped?" : ""
            throw ValidationError("the latitude \(parts[0]) is out of range: \(order)\(swapped)")
        }
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw ValidationError("the longitude \(parts[1]) is out of range: \(order)")
        }
        return PositionArgument(coordinate: coordinate)
    }

    private static func number(_ text: Substring) -> Double? {
        Double(text.drop { $0 == " " }).flatMap { $0.isFinite ? $0 : nil }
    }
}
