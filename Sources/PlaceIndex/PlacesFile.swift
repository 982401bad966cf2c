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
    package static let version: Int64 = 3

    /// Positions are stored in steps of 1e-5 degree, 1.1 m or less, as GeoNames states them: most
    /// then take three bytes instead of four.
    package static let stepsPerDegree = 100_000.0

    static let columns = """
        p.name, p.latitude, p.longitude, p.kind, p.country, p.division, p.subdivision, p.population, \
        (SELECT z.name FROM zone AS z WHERE z.id = p.zone), p.region, p.record
        """
    /// The index of the first column after ``columns``.
    static let nextColumn: Int32 = 11

    /// The distance to the only place of a wide region in metres, at most, and the number of places
    /// that are compared for it.
    private static let farDistance = 2_000_000.0
    private static let maxFarPlaces = 1000

    private let path: String
    private let database: Database
    private let limit: WorkLimit
    private let identity: Identity
    private let statements = StatementCache()
    private var reaches: ReachLimits?

    /// Opens the file of a folder.
    package convenience init(_ folder: PlacesFolder) throws(PlacesError) {
        try self.init(folder, maxIntervals: WorkLimit.defaultIntervals)
    }

    /// Opens the file of a folder.
    ///
    /// - Parameter maxIntervals: The work of one query, at most, in intervals of ``WorkLimit``.
    package init(_ folder: PlacesFolder, maxIntervals: Int) throws(PlacesError) {
        limit = WorkLimit(maxIntervals)
        guard let identity = Identity(folder.file) else {
            guard errno == ENOENT || errno == ENOTDIR else {
                throw .file("opening \(folder.file): \(String(cString: strerror(errno)))")
            }
            throw .noPlaces(folder: folder.path)
        }
        self.identity = identity
        path = folder.file
        do throws(StoreError) {
            database = try Database(readingOnly: folder.file)
        } catch {
            throw .file(error.description)
        }
        NearestPlaces.register(with: database)
        limit.watch(database)
        let identification = try integer("PRAGMA application_id")
        let version = try integer("PRAGMA user_version")
        guard identification == PlacesFile.applicationID, version == PlacesFile.version else {
            throw .otherFormat(path: path)
        }
    }

    deinit { limit.ignore(database) }

    /// Whether the folder still has this file: an import replaces it.
    package var isCurrent: Bool { Identity(path) == identity }

    /// Where the data comes from and how much it is, one entry per imported file.
    package func sources() throws(PlacesError) -> [PlacesSource] {
        let sources = try rows(
            "SELECT name, contents, licence, attribution, date, rows, errors FROM source ORDER BY rowid"
        ) { row in
            PlacesSource(
                name: row.text(0), contents: row.text(1), licence: row.text(2), attribution: row.text(3),
                date: row.text(4), rows: row.integer(5), errors: row.integer(6))
        }
        guard !sources.isEmpty else { throw .file("\(path) names no source: run sextant places import again") }
        return sources
    }

    /// Returns the places nearest to a point, the nearest first, within
    /// ``PointDescription/maxDistance``.
    package func nearest(to point: Coordinate) throws(PlacesError) -> [Place] {
        var places: [Place] = []
        for candidate in try candidates(near: point) {
            if let place = try place(candidate.number) { places.append(place) }
        }
        return places
    }

    /// Returns what the index knows about the places nearest to a point, the nearest first, within
    /// ``PointDescription/maxDistance``.
    package func candidates(near point: Coordinate) throws(PlacesError) -> [PlaceCandidate] {
        let reaches = try reachLimits()
        let distance = BoxDistance(latitude: point.latitude, longitude: point.longitude)
        return try rows(
            "SELECT id, south, west FROM position WHERE id MATCH nearest(?1, ?2, ?3) LIMIT ?4",
            [
                .real(point.latitude), .real(point.longitude), .real(PointDescription.maxDistance),
                .integer(Int64(PointDescription.maxPlaces)),
            ]
        ) { row in
            let latitude = row.real(1)
            let longitude = row.real(2)
            let haversine = distance.haversine(south: latitude, north: latitude, west: longitude, east: longitude)
            return PlaceCandidate(
                number: row.integer(0),
                distance: BoxDistance.angle(ofHaversine: haversine) * PlaceCandidate.sphereRadius,
                maxReach: reaches.reach(ofNumber: row.integer(0)))
        }
    }

    /// Returns a place by its number; nil if there is none.
    func place(_ number: Int64) throws(PlacesError) -> Place? {
        try rows(
            "SELECT \(PlacesFile.columns) FROM place AS p WHERE p.id = ?1", [.integer(number)], read: PlacesFile.place
        )
        .first
    }

    /// The reaches of places by their numbers, read at the first use.
    private func reachLimits() throws(PlacesError) -> ReachLimits {
        if let known = reaches { return known }
        var limits = ReachLimits()
        let count = try integer("SELECT max(id) FROM place")
        for number in ReachLimits.numbers(to: count) {
            if let place = try place(number) { limits.append(place, number: number) }
        }
        reaches = limits
        return limits
    }

    /// Returns the nearest place of a region that has none within ``PointDescription/maxDistance``;
    /// nil if there is none among the next thousands of places.
    package func farPlace(of region: Region, from point: Coordinate) throws(PlacesError) -> Place? {
        var found: Int64?
        var compared = 0
        try forEachRow(
            of: """
                SELECT g.id, p.region FROM position AS g JOIN place AS p ON p.id = g.id
                WHERE g.id MATCH nearest(?1, ?2, ?3)
                """, [.real(point.latitude), .real(point.longitude), .real(PlacesFile.farDistance)]
        ) { row in
            compared += 1
            if row.integerIfAny(1) == region.number { found = row.integer(0) }
            return found == nil && compared < PlacesFile.maxFarPlaces
        }
        return try found.flatMap { number throws(PlacesError) in try place(number) }
    }

    /// Returns the nearest postal code of a country within a distance in metres.
    package func postalCode(
        at point: Coordinate, country: String, within distance: Double
    ) throws(PlacesError) -> String? {
        try rows(
            """
            SELECT p.code FROM postal_position AS g JOIN postal AS p ON p.id = g.id
            WHERE g.id MATCH nearest(?1, ?2, ?3) AND p.country = ?4 LIMIT 1
            """,
            [.real(point.latitude), .real(point.longitude), .real(distance), .text(country)]
        ) { $0.text(0) }.first
    }

    /// Returns the name of a country or division, by its code such as `NL.03`, in a language if the
    /// file has it; nil if the file does not have the division.
    package func divisionName(_ code: String, language: String?) throws(PlacesError) -> String? {
        try rows(
            """
            SELECT coalesce((SELECT l.name FROM localized AS l WHERE l.record = d.record AND l.language = ?2), d.name)
            FROM division AS d WHERE d.code = ?1
            """, [.text(code), .text(language)]
        ) { $0.text(0) }.first
    }

    /// Returns the time zone that all places of a country have; nil if they have several.
    package func timeZone(ofCountry code: String) throws(PlacesError) -> String? {
        try rows(
            "SELECT z.name FROM country_zone AS c JOIN zone AS z ON z.id = c.zone WHERE c.country = ?1", [.text(code)]
        ) { $0.text(0) }.first
    }

    /// Returns the name of a place in a language; its own name if the file has none.
    package func name(of place: Place, language: String?) throws(PlacesError) -> String {
        guard let language, place.record != 0 else { return place.name }
        return try rows(
            "SELECT name FROM localized WHERE record = ?1 AND language = ?2", [.integer(place.record), .text(language)]
        ) { $0.text(0) }.first ?? place.name
    }

    /// Verifies every page and every index of the file.
    ///
    /// - Throws: ``PlacesError/file(_:)`` with the first fault.
    package func check() throws(PlacesError) {
        limit.ignore(database)
        defer { limit.watch(database) }
        let result = try rows("PRAGMA integrity_check(1)") { $0.text(0) }.first ?? "no result"
        guard result == "ok" else { throw damage(result) }
        let places = try integer("SELECT count(*) FROM place")
        let positions = try integer("SELECT count(*) FROM position")
        let sum = try integer("SELECT coalesce(sum(rows), 0) FROM source WHERE contents = 'places'")
        guard places == positions, places <= sum else {
            throw damage("\(places) places, \(positions) positions, \(sum) rows imported")
        }
    }

    private func damage(_ fault: String) -> PlacesError {
        .file("\(path) is damaged (\(fault)): run sextant places import again")
    }

    /// Executes a statement and returns what `read` makes of its rows, without nil.
    func rows<R>(
        _ sql: String, _ values: [SQLValue] = [], read: (borrowing Statement) throws(StoreError) -> R?
    ) throws(PlacesError) -> [R] {
        var results: [R] = []
        try forEachRow(of: sql, values) { row throws(StoreError) in
            if let result = try read(row) { results.append(result) }
            return true
        }
        return results
    }

    /// Executes a statement and calls `body` with its rows until it returns false.
    func forEachRow(
        of sql: String, _ values: [SQLValue], body: (borrowing Statement) throws(StoreError) -> Bool
    ) throws(PlacesError) {
        limit.begin()
        do throws(StoreError) {
            try statements.use(sql, of: database) { statement throws(StoreError) in
                try statement.bind(values)
                while try statement.step(), try body(statement) {}
            }
        } catch {
            guard error.code & 0xFF != SQLITE_INTERRUPT else { throw .tooBroad }
            throw .file(error.kind == .damaged ? "\(error): run sextant places import again" : error.description)
        }
    }

    private func integer(_ sql: String) throws(PlacesError) -> Int64 {
        try rows(sql) { $0.integer(0) }.first ?? 0
    }

    static func place(of row: borrowing Statement) -> Place? {
        let latitude = row.real(1) / stepsPerDegree
        let longitude = row.real(2) / stepsPerDegree
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        return Place(
            name: row.text(0), coordinate: coordinate, kind: row.textIfAny(3) ?? Place.usualKind, country: row.text(4),
            division: row.text(5),
            subdivision: row.text(6), population: row.integer(7), timeZone: row.text(8),
            region: row.integerIfAny(9), record: row.integer(10))
    }

    /// What distinguishes a file from another one at the same path.
    private struct Identity: Equatable {
        private let device: dev_t
        private let number: ino_t
        private let changed: timespec

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = status.st_dev
            number = status.st_ino
            changed = status.st_mtim
        }

        static func == (first: Identity, second: Identity) -> Bool {
            first.device == second.device && first.number == second.number
                && first.changed.tv_sec == second.changed.tv_sec && first.changed.tv_nsec == second.changed.tv_nsec
        }
    }
}
