import Geodesy
import Glibc
import SQLite
import SextantAPI
import SystemCalls

/// A file that is imported: its format, and what is known about its source.
struct ImportedFile {
    private static let geoNamesLicence = "CC BY 4.0"
    private static let geoNamesAttribution =
        "Contains data from GeoNames (https://www.geonames.org), CC BY 4.0, modified; provided as is"
    /// The number of bytes between two reports of progress.
    private static let reportInterval: Int64 = 1 << 18

    let path: String
    let format: ImportFormat
    private(set) var source: PlacesSource
    /// The numbers of the first invalid lines.
    private var invalid: [Int] = []

    /// Recognises the format of a file.
    init(_ path: String, _ options: ImportOptions) throws {
        self.path = path
        format = try ImportedFile.format(of: path)
        source = PlacesSource(
            name: path.split(separator: "/").last.map(String.init) ?? path, contents: format.contents,
            licence: format.isGeoNames ? ImportedFile.geoNamesLicence : options.licence ?? "",
            attribution: format.isGeoNames ? ImportedFile.geoNamesAttribution : options.attribution ?? "", rows: 0,
            errors: 0)
    }

    /// Reads the file into the tables. Returns the numbers of the first invalid lines or areas.
    mutating func read(
        into database: Database, _ options: ImportOptions, progress: (Int64) -> Void
    ) throws -> [Int] {
        switch format {
        case .places: try readPlaces(into: database, progress)
        case .values: try readValues(into: database, progress)
        case .divisions, .countries: try readDivisions(into: database, progress)
        case .postal: try readPostalCodes(into: database, progress)
        case .names: try readNames(into: database, progress)
        case .regions: try readRegions(into: database, options, progress)
        }
        guard !source.licence.isEmpty, !source.attribution.isEmpty else {
            throw PlacesError.file(
                "the format of \(path) does not state the terms of its data: "
                    + "state them with --licence and --attribution")
        }
        return invalid
    }

    /// The format by the first line with data. Only lists have comments.
    private static func format(of path: String) throws -> ImportFormat {
        let line: String
        do throws(SystemError) {
            line = try firstLine(of: path)
        } catch {
            // GeoJSON may be one line.
            guard error.code == EFBIG, try FeatureReader.isObject(path) else { throw error }
            return .regions
        }
        if let format = ImportFormat(line) {
            // Without its header, no line of such a file could be read.
            guard format != .values || !line.unicodeScalars.contains("\u{FFFD}") else {
                throw PlacesError.file("the header of \(path) is not UTF-8: convert the file, for example with iconv")
            }
            return format
        }
        throw PlacesError.file("\(path) has no known format: \(remedy(line))")
    }

    /// What to do with a file whose first line has no known format. The second byte of a file of
    /// gzip is not UTF-8.
    private static func remedy(_ line: String) -> String {
        if line.hasPrefix("PK\u{3}\u{4}") { return "unzip it first" }
        if line.unicodeScalars.starts(with: "\u{1F}\u{FFFD}".unicodeScalars) {
            return "uncompress it with gunzip first"
        }
        return "it needs 4, 10, 12 or 19 columns separated by tabs, a header with name,latitude,longitude, or GeoJSON"
    }

    private static func firstLine(of path: String) throws(SystemError) -> String {
        var lines = LineReader(try ByteReader(path))
        while let line = try lines.next() {
            if !line.hasPrefix("#"), !line.allSatisfy(\.isWhitespace) { return line }
        }
        return ""
    }

    private mutating func forEachLine(_ progress: (Int64) -> Void, _ body: (String) throws -> Bool) throws {
        var lines = LineReader(try ByteReader(path))
        var reported: Int64 = 0
        while let line = try lines.next() {
            // Names in another encoding would be stored with their letters replaced.
            let isValid = try lines.isUTF8 && body(line)
            if !isValid { count(lines.number) }
            if lines.position >= reported + ImportedFile.reportInterval {
                reported = lines.position
                progress(reported)
            }
        }
        progress(lines.position)
    }

    private mutating func count(_ number: Int) {
        source.errors += 1
        if invalid.count < PlaceImport.maxReported { invalid.append(number) }
    }

    private mutating func readPlaces(into database: Database, _ progress: (Int64) -> Void) throws {
        let insertion = try database.prepare(PlaceTables.insertPlace, for: "writing to")
        let path = path
        var rows: Int64 = 0
        var date = ""
        try forEachLine(progress) { line in
            switch GeoNamesLine(line, format: .places) {
            case .place(let place, let ascii, let otherNames, let changed):
                rows += 1
                guard rows <= PlaceImport.maxPlaces else { throw ImportedFile.tooManyPlaces(path) }
                if changed.utf8.count == 10, changed > date { date = changed }
                try insertion.run(place.values(id: place.record, aliases: place.otherNames("\(ascii),\(otherNames)")))
                return true
            case nil: return false
            default: return true
            }
        }
        source.rows = Int(rows)
        source.date = date
    }

    private mutating func readValues(into database: Database, _ progress: (Int64) -> Void) throws {
        let insertion = try database.prepare(PlaceTables.insertPlace, for: "writing to")
        let path = path
        // Negative numbers: places without a record of GeoNames.
        var id =
            try database.prepare("SELECT min(0, coalesce(min(id), 0)) FROM line", for: "reading")
            .first { $0.integer(0) } ?? 0
        var header: ValuesHeader?
        var rows: Int64 = 0
        try forEachLine(progress) { line in
            guard let known = header else {
                if !line.hasPrefix("#"), !line.isEmpty { header = ValuesHeader(line) }
                return true
            }
            guard !line.isEmpty else { return true }
            guard let (place, aliases) = known.place(line) else { return false }
            rows += 1
            guard rows <= PlaceImport.maxPlaces else { throw ImportedFile.tooManyPlaces(path) }
            id -= 1
            try insertion.run(place.values(id: id, aliases: place.otherNames(aliases)))
            return true
        }
        source.rows = Int(rows)
    }

    private mutating func readDivisions(into database: Database, _ progress: (Int64) -> Void) throws {
        let insertion = try database.prepare(PlaceTables.insertDivision, for: "writing to")
        var rows: Int64 = 0
        let format = format
        try forEachLine(progress) { line in
            switch GeoNamesLine(line, format: format) {
            case .division(let code, let name, let ascii, let record):
                rows += 1
                try insertion.run(.text(code), .text(name), .integer(record), .text(ascii))
                return true
            case .country(let code, let alpha3, let name, let record):
                rows += 1
                try insertion.run(.text(code), .text(name), .integer(record), .text(alpha3))
                return true
            case nil: return false
            default: return true
            }
        }
        source.rows = Int(rows)
    }

    private mutating func readPostalCodes(into database: Database, _ progress: (Int64) -> Void) throws {
        let code = try database.prepare("INSERT INTO postal(code, country) VALUES (?1, ?2)", for: "writing to")
        let position = try database.prepare(
            "INSERT INTO postal_position VALUES (last_insert_rowid(), ?1, ?1, ?2, ?2)", for: "writing to")
        var rows: Int64 = 0
        try forEachLine(progress) { line in
            guard case .postal(let text, let country, let point) = GeoNamesLine(line, format: .postal) else {
                return false
            }
            rows += 1
            try code.run(.text(text), .text(country))
            try position.run(.real(point.latitude), .real(point.longitude))
            return true
        }
        source.rows = Int(rows)
    }

    private mutating func readNames(into database: Database, _ progress: (Int64) -> Void) throws {
        let insertion = try database.prepare(PlaceTables.insertName, for: "writing to")
        try database.execute("CREATE INDEX records ON division(record)", for: "indexing")
        var rows: Int64 = 0
        try forEachLine(progress) { line in
            switch GeoNamesLine(line, format: .names) {
            case .name(let record, let language, let name, let rank):
                try insertion.run(.integer(record), .text(language), .text(name), .integer(rank))
                rows += Int64(database.changes)
                return true
            case nil: return false
            default: return true
            }
        }
        try database.execute("DROP INDEX records", for: "indexing")
        source.rows = Int(rows)
    }

    private mutating func readRegions(
        into database: Database, _ options: ImportOptions, _ progress: (Int64) -> Void
    ) throws {
        let region = try database.prepare(
            "INSERT INTO region(kind, country, name) VALUES (?1, ?2, ?3)", for: "writing to")
        let part = try database.prepare("INSERT INTO part(region, shape) VALUES (?1, ?2)", for: "writing to")
        let box = try database.prepare(
            "INSERT INTO box VALUES (last_insert_rowid(), ?1, ?2, ?3, ?4)", for: "writing to")
        var features = FeatureReader(try ByteReader(path))
        var number = 0
        while let bytes = try features.nextFeature() {
            number += 1
            progress(features.position)
            switch RegionFeature.parse(bytes, options) {
            case .success(let feature):
                try region.run(.text(feature.kind.rawValue), .text(feature.country), .text(feature.name))
                let row = database.lastRow
                for polygon in feature.polygons {
                    guard let bounds = Bounds(polygon) else { continue }
                    try part.run(.integer(row), .bytes(RegionPart.encode(polygon)))
                    try box.run(.real(bounds.south), .real(bounds.north), .real(bounds.west), .real(bounds.east))
                }
                state(feature.dataSet)
                source.rows += 1
            case .failure(.invalid): count(number)
            case .failure(.unknownKind):
                throw PlacesError.file(
                    "feature \(number) of \(path) does not state what it is: use --kind country, admin1, "
                        + "zone, ocean or lake, and the property with its code or name with --code")
            }
        }
        guard features.isComplete else {
            throw PlacesError.file("\(path) ends within a feature: it is incomplete, get it again")
        }
    }

    /// States the terms of a known data set.
    private mutating func state(_ dataSet: RegionFeature.DataSet?) {
        switch dataSet {
        case .naturalEarth where source.licence.isEmpty:
            source.licence = "public domain"
            source.attribution = "Made with Natural Earth"
        case .timeZones where source.licence.isEmpty:
            source.licence = "ODbL 1.0"
            source.attribution = "(c) OpenStreetMap contributors, ODbL 1.0"
        default: break
        }
    }

    private static func tooManyPlaces(_ path: String) -> PlacesError {
        .file(
            "\(path) has more than \(PlaceImport.maxPlaces) towns; use cities500.txt, or remove other features first")
    }
}

extension Place {
    /// The names of a list that differ from the name and from each other in more than case. The
    /// first stays the first, for the comparison with misspelt texts.
    fileprivate func otherNames(_ list: String) -> String {
        var known: Set<String> = []
        var names: [Substring] = []
        for name in list.split(separator: ",") where known.insert(name.lowercased()).inserted {
            if names.isEmpty || name.lowercased() != self.name.lowercased() { names.append(name) }
        }
        if names.first.map({ String($0) }) == self.name { names[0] = "" }
        return names.joined(separator: ",")
    }

    /// The row of ``PlaceTables/insertPlace``.
    fileprivate func values(id: Int64, aliases: String) -> [SQLValue] {
        [
            .integer(id), .text(name), .real(coordinate.latitude), .real(coordinate.longitude), .text(kind),
            .text(country), .text(division), .text(subdivision), .integer(population), .text(timeZone), .text(aliases),
        ]
    }
}

/// The least box of latitudes and longitudes around points, in degrees.
struct Bounds: Equatable {
    var south: Double
    var north: Double
    var west: Double
    var east: Double

    /// Creates the box around the rings of a polygon; nil without a point.
    init?(_ rings: [[Coordinate]]) {
        // The outer ring contains the others.
        guard let ring = rings.first, let first = ring.first else { return nil }
        south = first.latitude
        north = first.latitude
        west = first.longitude
        east = first.longitude
        for point in ring {
            south = min(south, point.latitude)
            north = max(north, point.latitude)
            west = min(west, point.longitude)
            east = max(east, point.longitude)
        }
    }
}

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

    /// What a line, or an area, has.
    var rule: String {
        switch self {
        case .places: "19 columns with a position in degrees, in UTF-8"
        case .values: "a name, and latitude and longitude in degrees, in UTF-8"
        case .divisions: "4 columns, in UTF-8"
        case .countries: "19 columns, in UTF-8"
        case .postal: "12 columns with a position in degrees, in UTF-8"
        case .names: "8 or 10 columns, in UTF-8"
        case .regions: "a name or code, and a polygon with positions in degrees"
        }
    }

    /// Whether the format shows that the data is of GeoNames.
    var isGeoNames: Bool { self != .values && self != .regions }
}
