/// The format of a file, recognised by its first line with data.
enum ImportFormat: Int, CaseIterable {
    /// Places of GeoNames: 19 columns.
    case places
    /// Places as comma-separated values with a header.
    case values
    /// First or second-level divisions of GeoNames: 4 columns.
    case divisions
    /// `countryInfo.txt` of GeoNames: 19 columns.
    case countries
    /// Postal codes of GeoNames: 12 columns.
    case postal
    /// GeoJSON with areas.
    case regions
    /// `alternateNamesV2.txt` of GeoNames: 10 columns, or 8. It follows what it names.
    case names

    /// Recognises a format; nil if it is another one.
    init?(_ line: String) {
        let columns = GeoNamesLine.columns(of: line)
        switch columns.count {
        case 19 where Int64(columns[0]) != nil: self = .places
        case 19 where columns[0].count == 2 && columns[1].count == 3: self = .countries
        case 4 where columns[0].contains(".") && Int64(columns[3]) != nil: self = .divisions
        case 12 where columns[0].count == 2 && Double(columns[9]) != nil && Double(columns[10]) != nil: self = .postal
        case 8 where Int64(columns[0]) != nil && Int64(columns[1]) != nil: self = .names
        case 10 where Int64(columns[0]) != nil && Int64(columns[1]) != nil: self = .names
        case 1 where line.drop(while: \.isWhitespace).hasPrefix("{"): self = .regions
        case 1 where ValuesHeader(line) != nil: self = .values
        default: return nil
        }
    }

    /// What a file contains, as the list of sources names it.
    var contents: String {
        switch self {
        case .places, .values: "places"
        case .divisions: "divisions"
        case .countries: "countries"
        case .postal: "postal codes"
        case .names: "names"
        case .regions: "areas"
        }
    }

    /// Whether the format shows that the data is of GeoNames.
    var isGeoNames: Bool { self != .values && self != .regions }
}
