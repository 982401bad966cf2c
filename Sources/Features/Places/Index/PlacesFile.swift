import CSQLite
import Geodesy
import Glibc
import SQLite
import SextantAPI
import SystemCalls

/// A file of places, open for reading.
package final class PlacesFile {
    /// "SxPl", which identifies the file's format
    /// (https://www.sqlite.org/pragma.html#pragma_application_id).
    package static let applicationID: Int64 = 0x5378_506C
    package static let version: Int64 = 5

    /// Positions are stored in steps of 1e-5 degree, 1.1 m or less, as GeoNames states them: most
    /// then take three bytes instead of four.
    package static let stepsPerDegree = 100_000.0

    /// The distance to the only place of a wide region in metres, at most, and the number of places
    /// that are compared for it.
    private static let farDistance = 2_000_000.0
    private static let maxFarPlaces = 1000

    private let path: String
    private let database: Database
    private let limit: WorkLimit
    private let identity: Identity
    private let statements = StatementCache()
    private let nearest = NearestPlaces()
    private var reaches: ReachLimits?
    private var regionsHaveCountries: Bool?
    private var zones: [Int64: String] = [:]
    /// The number of names of time zones that are kept; there are some 450.
    private static let maxZones = 1000

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
            throw PlacesFile.failure(error)
        }
        nearest.register(with: database)
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
            once: "SELECT name, contents, licence, attribution, date, rows, errors FROM source ORDER BY rowid"
        ) { row in
            let date = row.text(4)
            return PlacesSource(
                name: row.text(0), contents: row.text(1), licence: row.text(2), attribution: row.text(3),
                date: date.isEmpty ? nil : date, rows: Int(row.integer(5)), errors: Int(row.integer(6)))
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
        nearest.start(
            NearestCandidates(
                near: BoxDistance(latitude: point.latitude, longitude: point.longitude),
                within: PlaceCandidate.sphereDistance(PointDescription.maxDistance), count: PointDescription.maxPlaces))
        try forEachRow(of: PlacesQueries.candidates, []) { _ in false }
        return nearest.found.candidates(reaches)
    }

    /// Returns a place by its number; nil if there is none.
    func place(_ number: Int64) throws(PlacesError) -> Place? {
        try first(PlacesQueries.place, [.integer(number)]) { self.place(of: $0) }
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
        let hasPlaces = try first(PlacesQueries.hasPlaces, [.integer(region.number)], read: { $0.integer(0) })
        guard hasPlaces == 1 else { return nil }
        var found: Int64?
        var compared = 0
        try forEachRow(
            of: PlacesQueries.farPlaces, [.real(point.latitude), .real(point.longitude), .real(PlacesFile.farDistance)]
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
        try first(
            PlacesQueries.postalCode,
            [.real(point.latitude), .real(point.longitude), .real(distance), .text(country)]
        ) { $0.text(0) }
    }

    /// Returns the name of a country or division, by its code such as `NL.03`, in a language if the
    /// file has it; nil if the file does not have the division.
    package func divisionName(_ code: String, language: String?) throws(PlacesError) -> String? {
        try first(
            PlacesQueries.divisionName, [.text(code), .text(language)]
        ) { $0.text(0) }
    }

    /// Returns the time zone that all places of a country have; nil if they have several.
    package func timeZone(ofCountry code: String) throws(PlacesError) -> String? {
        try first(
            PlacesQueries.countryZone, [.text(code)]
        ) { $0.text(0) }
    }

    /// Returns the name of a place in a language; its own name if the file has none.
    package func name(of place: Place, language: String?) throws(PlacesError) -> String {
        guard let language, place.record != 0 else { return place.name }
        return try first(
            PlacesQueries.localizedName, [.integer(place.record), .text(language)]
        ) { $0.text(0) } ?? place.name
    }

    /// Verifies every byte of the file by its checksum, and every page and every index.
    ///
    /// - Throws: ``PlacesError/file(_:)`` with the first fault.
    package func check() throws(PlacesError) {
        try verifyChecksum()
        limit.ignore(database)
        defer { limit.watch(database) }
        let result = try rows(once: "PRAGMA integrity_check(1)") { $0.text(0) }.first ?? "no result"
        guard result == "ok" else { throw damage(result) }
        for table in ["position", "postal_position", "box"] {
            let result = try rows(once: "SELECT rtreecheck('\(table)')") { $0.text(0) }.first ?? "no result"
            guard result == "ok" else { throw damage("the index of \(table): \(result)") }
        }
        let places = try integer("SELECT count(*) FROM place")
        let positions = try integer("SELECT count(*) FROM position")
        let sum = try integer("SELECT coalesce(sum(rows), 0) FROM source WHERE contents = 'places'")
        guard places == positions, places <= sum else {
            throw damage("\(places) places, \(positions) positions, \(sum) rows imported")
        }
    }

    func hasCountryRegions() throws(PlacesError) -> Bool {
        if let known = regionsHaveCountries { return known }
        let sql = "SELECT count(*) FROM (SELECT 1 FROM region WHERE kind IN ('country', 'admin1') LIMIT 1)"
        let has = try integer(sql) > 0
        regionsHaveCountries = has
        return has
    }

    private func verifyChecksum() throws(PlacesError) {
        let isValid: Bool?
        do throws(SystemError) {
            isValid = try PlacesChecksum.isValid(path: path)
        } catch {
            throw .file("\(error)")
        }
        guard let isValid else {
            throw .file("\(path) has no checksum, or its end is missing: run sextant places import again")
        }
        guard isValid else { throw damage("its checksum is wrong") }
    }

    private func damage(_ fault: String) -> PlacesError {
        .file("\(path) is damaged (\(fault)): run sextant places import again")
    }

    /// Executes a query and returns what `read` makes of its rows, without nil.
    func rows<R>(
        _ query: Query, _ values: [SQLValue] = [], read: (borrowing Statement) throws(StoreError) -> R?
    ) throws(PlacesError) -> [R] {
        var results: [R] = []
        try forEachRow(of: query, values) { row throws(StoreError) in
            if let result = try read(row) { results.append(result) }
            return true
        }
        return results
    }

    /// Executes a query and returns what `read` makes of its first row; nil if there is none.
    func first<R>(
        _ query: Query, _ values: [SQLValue] = [], read: (borrowing Statement) throws(StoreError) -> R?
    ) throws(PlacesError) -> R? {
        var result: R?
        try forEachRow(of: query, values) { row throws(StoreError) in
            result = try read(row)
            return false
        }
        return result
    }

    /// Executes a query and calls `body` with its rows until it returns false.
    func forEachRow(
        of query: Query, _ values: [SQLValue], body: (borrowing Statement) throws(StoreError) -> Bool
    ) throws(PlacesError) {
        try limited { () throws(StoreError) in
            try statements.use(query, of: database) { statement throws(StoreError) in
                try statement.bind(values)
                while try statement.step(), try body(statement) {}
            }
        }
    }

    /// Executes a statement that is seldom needed.
    private func rows<R>(
        once sql: String, read: (borrowing Statement) throws(StoreError) -> R?
    ) throws(PlacesError) -> [R] {
        var results: [R] = []
        try limited { () throws(StoreError) in
            results = try database.prepare(sql, for: "reading").rows(read: read)
        }
        return results
    }

    /// Ends the work of `body` at the limit.
    private func limited(_ body: () throws(StoreError) -> Void) throws(PlacesError) {
        limit.begin()
        do throws(StoreError) {
            try body()
        } catch {
            guard error.code & 0xFF != SQLITE_INTERRUPT else { throw .tooBroad }
            throw PlacesFile.failure(error)
        }
    }

    /// The error of a file that cannot be read, with the remedy for damage.
    private static func failure(_ error: StoreError) -> PlacesError {
        .file(error.kind == .damaged ? "\(error): run sextant places import again" : error.description)
    }

    private func integer(_ sql: String) throws(PlacesError) -> Int64 {
        try rows(once: sql) { $0.integer(0) }.first ?? 0
    }

    func place(of row: borrowing Statement) -> Place? {
        guard let coordinate = PlacesFile.coordinate(of: row) else { return nil }
        return Place(
            name: row.text(0), coordinate: coordinate, kind: row.textIfAny(3) ?? Place.usualKind, country: row.text(4),
            division: row.text(5),
            subdivision: row.text(6), population: row.integer(7), timeZone: zone(row.integer(8)),
            region: row.integerIfAny(9), record: row.integer(10))
    }

    /// The position of a row with the columns of a place.
    static func coordinate(of row: borrowing Statement) -> Coordinate? {
        Coordinate(latitude: row.real(1) / stepsPerDegree, longitude: row.real(2) / stepsPerDegree)
    }

    /// The name of a time zone by its number; empty if the file does not have it.
    private func zone(_ number: Int64) -> String {
        if let known = zones[number] { return known }
        let zone = (try? first(PlacesQueries.zone, [.integer(number)]) { $0.text(0) }) ?? ""
        if zones.count >= PlacesFile.maxZones { zones.removeAll() }
        zones[number] = zone
        return zone
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

/// The folder with the file of places.
package struct PlacesFolder: Sendable, Equatable {
    package let path: String

    /// The path of the folder where `SEXTANT_PLACES` names none.
    package static let defaultPath = "/var/lib/sextant-places"

    /// Selects the folder.
    ///
    /// - Parameter named: The value of `SEXTANT_PLACES`; nil or empty selects the default.
    package init(named: String?) {
        path = named.flatMap { $0.isEmpty ? nil : $0 } ?? PlacesFolder.defaultPath
    }

    package var file: String { path + "/places.db" }
}

/// The reason why the data of places cannot be used.
package enum PlacesError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Nobody has imported a gazetteer into the folder.
    case noPlaces(folder: String)
    /// The file cannot be read or written, or its contents are damaged.
    case file(String)
    /// The file has another format than this program reads.
    case otherFormat(path: String)
    /// The answer needs more work than one call may cause.
    case tooBroad
    /// Another process imports into the folder.
    case importing(folder: String)

    /// What failed, and how to fix it.
    package var description: String {
        switch self {
        case .noPlaces(let folder):
            "there are no places in \(folder): download cities500.zip from "
                + "https://download.geonames.org/export/dump, unzip it and run sextant places import cities500.txt"
        case .file(let reason): reason
        case .otherFormat(let path):
            "\(path) has another format than this version reads: run sextant places import again"
        case .tooBroad: "too many places begin like this: type more letters, or add the country after a comma"
        case .importing(let folder): "another process imports places into \(folder): wait until it has ended"
        }
    }
}

extension PlacesFile {
    /// The distance from the nearest region at which a point at sea or at a coast counts as in it,
    /// in degrees of latitude.
    package static let coastDistance = 0.5

    package func regions(at point: Coordinate) throws(PlacesError) -> [Region] {
        try parts(of: point, within: 0) { bytes in RegionPart.contains(point, bytes) ? 0 : nil }.map(\.region)
    }

    /// Returns the nearest region with a country and its distance in degrees of latitude, within
    /// ``coastDistance``; nil if there is none.
    package func nearestCountry(to point: Coordinate) throws(PlacesError) -> Region? {
        try parts(of: point, within: PlacesFile.coastDistance) { bytes in
            RegionPart.distance(from: point, bytes).flatMap { $0 <= PlacesFile.coastDistance ? $0 : nil }
        }
        .filter { $0.region.hasCountry }
        .min { ($0.distance, $0.region.number) < ($1.distance, $1.region.number) }?.region
    }

    /// Returns the distance from a point to the border of a region in degrees of latitude; nil if
    /// it is more than `limit`.
    package func distanceToBorder(
        of region: Region, from point: Coordinate, atMost limit: Double
    ) throws(PlacesError) -> Double? {
        try parts(of: point, within: limit) { bytes in
            RegionPart.distance(from: point, bytes).flatMap { $0 <= limit ? $0 : nil }
        }
        .filter { $0.region.number == region.number }.map(\.distance).min()
    }

    package func region(_ number: Int64) throws(PlacesError) -> Region? {
        try first(PlacesQueries.region, [.integer(number)]) { row in
            Region.Kind(rawValue: row.text(1)).map {
                Region(number: row.integer(0), kind: $0, country: row.text(2), name: row.text(3))
            }
        }
    }

    /// Returns the regions with a part whose box is within a number of degrees and for which
    /// `measure` returns a distance.
    private func parts(
        of point: Coordinate, within degrees: Double, measure: (UnsafeRawBufferPointer) -> Double?
    ) throws(PlacesError) -> [(region: Region, distance: Double)] {
        // Degrees of longitude are shorter in the north; above 80 degrees some are missed.
        let span = degrees * 5.8
        return try rows(
            PlacesQueries.parts, [.real(point.latitude), .real(point.longitude), .real(degrees), .real(span)]
        ) { row in
            guard let kind = Region.Kind(rawValue: row.text(1)), let distance = row.withBytes(4, measure) else {
                return nil
            }
            return (Region(number: row.integer(0), kind: kind, country: row.text(2), name: row.text(3)), distance)
        }
    }
}
