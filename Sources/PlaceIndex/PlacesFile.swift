import CSQLite
import Geodesy
import Glibc
import Places
import Store

/// A file of places, open for reading.
package final class PlacesFile {
    /// "SxPl", which identifies the file's format
    /// (https://www.sqlite.org/pragma.html#pragma_application_id).
    package static let applicationID: Int64 = 0x5378_506C
    /// The version of the format.
    package static let version: Int64 = 1

    /// The number of rows that are ranked for one text, at most.
    private static let maxCandidates: Int64 = 200
    private static let columns =
        "p.name, p.latitude, p.longitude, p.kind, p.country, p.division, p.population, p.zone"

    private let path: String
    private let database: Database

    /// Opens the file of a folder.
    package init(_ folder: PlacesFolder) throws(PlacesError) {
        guard access(folder.file, F_OK) == 0 else { throw .noPlaces(folder: folder.path) }
        path = folder.file
        do throws(StoreError) {
            database = try Database(readingOnly: folder.file)
        } catch {
            throw .file(error.description)
        }
        NearestPlaces.register(with: database)
        let identification = try integer("PRAGMA application_id")
        let version = try integer("PRAGMA user_version")
        guard identification == PlacesFile.applicationID, version == PlacesFile.version else {
            throw .otherFormat(path: path)
        }
    }

    /// Where the data comes from and how much it is.
    package func source() throws(PlacesError) -> PlacesSource {
        try reading { () throws(StoreError) in
            let statement = try database.prepare(
                "SELECT name, licence, attribution, rows, errors FROM source", for: "reading the source of")
            guard try statement.step() else { throw StoreError("reading \(path)", reason: "it names no source") }
            return PlacesSource(
                name: statement.text(0), licence: statement.text(1), attribution: statement.text(2),
                rows: statement.integer(3), errors: statement.integer(4))
        }
    }

    /// Returns the places nearest to a point, the nearest first, within
    /// ``PointDescription/maxDistance``.
    package func nearest(to point: Coordinate) throws(PlacesError) -> [Place] {
        try reading { () throws(StoreError) in
            let statement = try database.prepare(
                """
                SELECT \(PlacesFile.columns) FROM position AS g JOIN place AS p ON p.id = g.id
                WHERE g.id MATCH nearest(?1, ?2, ?3) LIMIT ?4
                """, for: "searching")
            try statement.bind(
                .real(point.latitude), .real(point.longitude), .real(PointDescription.maxDistance),
                .integer(Int64(PointDescription.maxPlaces)))
            var places: [Place] = []
            while try statement.step() {
                if let place = PlacesFile.place(of: statement) { places.append(place) }
            }
            return places
        }
    }

    /// Returns the places that a text may name, the likeliest first.
    ///
    /// Every word of the query is the beginning of a word of a name. A qualifier is the code or
    /// name of a division, or the code of a country.
    ///
    /// - Parameter limit: The number of places, at most.
    package func search(
        _ query: PlaceQuery, country: String? = nil, near: Coordinate? = nil, limit: Int
    ) throws(PlacesError) -> [PlaceMatch] {
        let matches = try reading { () throws(StoreError) in
            let words = query.words.map { "\"\($0)\"*" }.joined(separator: " AND ")
            let filters = query.qualifiers.indices.map {
                """
                AND (p.country = upper(?\($0 + 4)) OR p.division = upper(?\($0 + 4)) OR EXISTS (SELECT 1 FROM division
                AS d WHERE d.code = p.country || '.' || p.division AND (d.name = ?\($0 + 4) COLLATE NOCASE
                OR d.ascii = ?\($0 + 4) COLLATE NOCASE)))
                """
            }.joined(separator: "\n")
            let statement = try database.prepare(
                """
                SELECT \(PlacesFile.columns), p.aliases FROM words AS w JOIN place AS p ON p.id = w.rowid
                WHERE words MATCH ?1 AND (?2 IS NULL OR p.country = upper(?2)) \(filters) ORDER BY w.rowid LIMIT ?3
                """, for: "searching")
            try statement.bind(
                [.text(words), .text(country), .integer(PlacesFile.maxCandidates)]
                    + query.qualifiers.map { SQLValue.text($0) })
            var matches: [PlaceMatch] = []
            while try statement.step() {
                guard let place = PlacesFile.place(of: statement) else { continue }
                let otherNames = statement.text(8).split(separator: ",").map(String.init)
                matches.append(PlaceMatch(place, otherNames: otherNames, words: query.words, near: near))
            }
            return matches
        }
        return Array(matches.sorted { $0.score > $1.score }.prefix(max(0, limit)))
    }

    /// Returns the name of a first-level division; nil if the file does not have it.
    package func divisionName(of place: Place) throws(PlacesError) -> String? {
        try reading { () throws(StoreError) in
            let statement = try database.prepare("SELECT name FROM division WHERE code = ?1", for: "reading")
            return try statement.first(.text("\(place.country).\(place.division)")) { $0.text(0) }
        }
    }

    /// Verifies every page and every index of the file.
    ///
    /// - Throws: ``PlacesError/file(_:)`` with the first fault.
    package func check() throws(PlacesError) {
        let result = try reading { () throws(StoreError) in
            let statement = try database.prepare("PRAGMA integrity_check(1)", for: "checking")
            return try statement.first { $0.text(0) } ?? "no result"
        }
        guard result == "ok" else { throw .file("\(path) is damaged (\(result)): run sextant places import again") }
    }

    private func integer(_ sql: String) throws(PlacesError) -> Int64 {
        try reading { () throws(StoreError) in
            let statement = try database.prepare(sql, for: "opening")
            return try statement.first { $0.integer(0) } ?? 0
        }
    }

    private func reading<R>(_ body: () throws(StoreError) -> R) throws(PlacesError) -> R {
        do throws(StoreError) {
            return try body()
        } catch {
            throw .file(error.description)
        }
    }

    private static func place(of row: borrowing Statement) -> Place? {
        guard let coordinate = Coordinate(latitude: row.real(1), longitude: row.real(2)) else { return nil }
        return Place(
            name: row.text(0), coordinate: coordinate, kind: row.text(3), country: row.text(4), division: row.text(5),
            population: row.integer(6), timeZone: row.text(7))
    }
}
