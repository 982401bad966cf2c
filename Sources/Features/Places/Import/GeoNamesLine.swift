import Geodesy

/// One line of a file of GeoNames (https://download.geonames.org/export/dump/readme.txt).
enum GeoNamesLine: Equatable {
    /// A place, with its ASCII name and other names separated by commas.
    case place(Place, ascii: String, otherNames: String, changed: String)
    /// The name of a division with its code, such as `NL.03` or `US.CA.075`.
    case division(code: String, name: String, ascii: String, record: Int64)
    case country(code: String, alpha3: String, name: String, record: Int64)
    /// A postal code with its position.
    case postal(code: String, country: String, Coordinate)
    /// A name of a record in a language. A preferred name has a higher rank.
    case name(record: Int64, language: String, name: String, rank: Int64)
    /// A feature that is no town, a town that no longer exists, a former name or a comment.
    case ignored

    /// Feature codes of towns that were given up, destroyed or renamed.
    private static let formerKinds: Set<String> = ["PPLH", "PPLQ", "PPLW"]
    private static let maxPopulation: Int64 = 100_000_000

    /// Parses a line of a file of a known format. Returns nil if it is invalid.
    init?(_ line: String, format: ImportFormat) {
        let columns = GeoNamesLine.columns(of: line)
        let parsed: GeoNamesLine? =
            switch format {
            case .places: GeoNamesLine.place(columns)
            case .divisions: GeoNamesLine.division(columns)
            case .countries: line.hasPrefix("#") || line.isEmpty ? .ignored : GeoNamesLine.country(columns)
            case .postal: GeoNamesLine.postal(columns)
            case .names: GeoNamesLine.name(columns)
            case .values, .regions: nil
            }
        guard let parsed else { return nil }
        self = parsed
    }

    /// The columns of a line, which tabs separate.
    static func columns(of line: String) -> [Substring] {
        line.utf8.split(separator: 9, omittingEmptySubsequences: false).map { Substring($0) }
    }

    private static func place(_ columns: [Substring]) -> GeoNamesLine? {
        guard columns.count == 19, let id = Int64(columns[0]), id > 0, !columns[1].isEmpty,
            let latitude = Double(columns[4]), let longitude = Double(columns[5]),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude),
            let population = columns[14].isEmpty ? 0 : Int64(columns[14]), (0...maxPopulation).contains(population)
        else { return nil }
        let kind = String(columns[7])
        guard columns[6] == "P", !formerKinds.contains(kind) else { return .ignored }
        let place = Place(
            name: String(columns[1]), coordinate: coordinate, kind: kind, country: String(columns[8]),
            division: String(columns[10]), subdivision: String(columns[11]), population: population,
            timeZone: String(columns[17]), record: id)
        return .place(
            place, ascii: String(columns[2]), otherNames: String(columns[3]), changed: String(columns[18].prefix(10)))
    }

    private static func division(_ columns: [Substring]) -> GeoNamesLine? {
        guard columns.count == 4, !columns[0].isEmpty, !columns[1].isEmpty, let record = Int64(columns[3]) else {
            return nil
        }
        return .division(
            code: String(columns[0]), name: String(columns[1]), ascii: String(columns[2]), record: record)
    }

    private static func country(_ columns: [Substring]) -> GeoNamesLine? {
        guard columns.count == 19, columns[0].utf8.count == 2, !columns[4].isEmpty else { return nil }
        return .country(
            code: String(columns[0]), alpha3: String(columns[1]), name: String(columns[4]),
            record: Int64(columns[16]) ?? 0)
    }

    private static func postal(_ columns: [Substring]) -> GeoNamesLine? {
        guard columns.count == 12, columns[0].utf8.count == 2, !columns[1].isEmpty,
            let latitude = Double(columns[9]), let longitude = Double(columns[10]),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        return .postal(code: String(columns[1]), country: String(columns[0]), coordinate)
    }

    private static func name(_ columns: [Substring]) -> GeoNamesLine? {
        guard columns.count == 10 || columns.count == 8, let record = Int64(columns[1]), record > 0,
            !columns[3].isEmpty
        else { return nil }
        let language = columns[2]
        // Longer codes are no languages: post, link, iata, wkdt. Names of no language are in the
        // gazetteer itself.
        let isFormer = columns[7] == "1" || columns.count == 10 && !columns[9].isEmpty
        guard (2...3).contains(language.utf8.count), !isFormer, columns[6] != "1" else { return .ignored }
        let rank: Int64 = (columns[4] == "1" ? 2 : 0) + (columns[5] == "1" ? -1 : 0)
        return .name(record: record, language: String(language), name: String(columns[3]), rank: rank)
    }
}
