import Geodesy

/// The header of comma-separated values: the names of the columns.
struct ValuesHeader: Equatable {
    private let columns: [String: Int]
    private let count: Int

    /// Parses a header. Returns nil if a required column is missing.
    init?(_ line: String) {
        guard let names = ValuesHeader.fields(of: line) else { return nil }
        count = names.count
        columns = Dictionary(names.enumerated().map { ($1.lowercased(), $0) }) { first, _ in first }
        guard ["name", "latitude", "longitude"].allSatisfy({ columns[$0] != nil }) else { return nil }
    }

    /// Parses a line. Returns nil if it is invalid.
    func place(_ line: String) -> (place: Place, aliases: String)? {
        guard let fields = ValuesHeader.fields(of: line), fields.count == count else { return nil }
        func field(_ name: String) -> String { columns[name].map { fields[$0] } ?? "" }
        let population = field("population").isEmpty ? 0 : Int64(field("population"))
        guard !field("name").isEmpty, let latitude = Double(field("latitude")),
            let longitude = Double(field("longitude")),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude),
            let population, (0...100_000_000).contains(population)
        else { return nil }
        let place = Place(
            name: field("name"), coordinate: coordinate, kind: field("kind").isEmpty ? Place.usualKind : field("kind"),
            country: field("country"), division: field("admin1"), population: population,
            timeZone: field("timezone"))
        return (place, field("aliases"))
    }

    /// The fields of a line (RFC 4180, within one line); nil if a quotation mark is missing.
    static func fields(of line: String) -> [String]? {
        var fields: [String] = []
        var field: [UInt8] = []
        var isQuoted = false
        var bytes = Array(line.utf8)[...]
        while let byte = bytes.popFirst() {
            switch (byte, isQuoted) {
            case (UInt8(ascii: "\""), true) where bytes.first == UInt8(ascii: "\""):
                bytes = bytes.dropFirst()
                field.append(byte)
            case (UInt8(ascii: "\""), true): isQuoted = false
            case (UInt8(ascii: "\""), false) where field.isEmpty: isQuoted = true
            case (UInt8(ascii: ","), false):
                fields.append(String(decoding: field, as: UTF8.self))
                field = []
            default: field.append(byte)
            }
        }
        guard !isQuoted else { return nil }
        return fields + [String(decoding: field, as: UTF8.self)]
    }
}
