import Geodesy
import Places

/// One line of a file of GeoNames (https://download.geonames.org/export/dump/readme.txt).
enum GeoNamesLine: Equatable {
    /// A place, and its ASCII name and other names separated by commas.
    case place(id: Int64, Place, ascii: String, otherNames: String)
    /// The name of a first-level division with its code, such as `NL.03`.
    case division(code: String, name: String, ascii: String)
    /// A feature that is no town, or a town that no longer exists.
    case ignored

    /// The format of a file, by the number of columns of its first line.
    enum Format: Equatable {
        case places
        case divisions
    }

    /// Feature codes of towns that were given up, destroyed or renamed.
    private static let formerKinds: Set<String> = ["PPLH", "PPLQ", "PPLW"]
    private static let maxPopulation: Int64 = 100_000_000

    /// Recognises the format of a file by its first line; nil if it is another format.
    static func format(of line: String) -> Format? {
        let columns = columns(of: line)
        switch columns.count {
        case 19 where Int64(columns[0]) != nil: return .places
        case 4 where columns[0].contains(".") && Int64(columns[3]) != nil: return .divisions
        default: return nil
        }
    }

    /// Parses a line of a file of a known format. Returns nil if it is invalid.
    init?(_ line: String, format: Format) {
        let columns = GeoNamesLine.columns(of: line)
        switch format {
        case .divisions:
            guard columns.count == 4, !columns[0].isEmpty, !columns[1].isEmpty else { return nil }
            self = .division(code: String(columns[0]), name: String(columns[1]), ascii: String(columns[2]))
        case .places:
            guard columns.count == 19, let id = Int64(columns[0]), id > 0, !columns[1].isEmpty,
                let latitude = Double(columns[4]), let longitude = Double(columns[5]),
                let coordinate = Coordinate(latitude: latitude, longitude: longitude),
                let population = columns[14].isEmpty ? 0 : Int64(columns[14]),
                (0...GeoNamesLine.maxPopulation).contains(population)
            else { return nil }
            let kind = String(columns[7])
            guard columns[6] == "P", !GeoNamesLine.formerKinds.contains(kind) else {
                self = .ignored
                return
            }
            let place = Place(
                name: String(columns[1]), coordinate: coordinate, kind: kind, country: String(columns[8]),
                division: String(columns[10]), population: population, timeZone: String(columns[17]))
            self = .place(id: id, place, ascii: String(columns[2]), otherNames: String(columns[3]))
        }
    }

    private static func columns(of line: String) -> [Substring] {
        line.utf8.split(separator: 9, omittingEmptySubsequences: false).map { Substring($0) }
    }
}
