import CSQLite
import SQLite

/// The SQL functions that search an R*Tree of positions from the nearest box to the farthest
/// (https://www.sqlite.org/rtree.html#the_new_xqueryfunc_callback).
///
/// `nearest(latitude, longitude, distance)` returns the rows of the positions within a distance,
/// the nearest first. `candidates()` collects the nearest ones of ``start(_:)`` and returns at
/// most one row, which ends the search.
final class NearestPlaces {
    /// What one search compares boxes with. The rtree extension keeps it until the search ends.
    private struct Search {
        let point: BoxDistance
        let limit: Double
    }

    private let collected: UnsafeMutablePointer<NearestCandidates>

    init() {
        collected = .allocate(capacity: 1)
        collected.initialize(to: NearestCandidates(near: BoxDistance(latitude: 0, longitude: 0), within: 0, count: 0))
    }

    deinit {
        collected.deinitialize(count: 1)
        collected.deallocate()
    }

    /// Starts to collect the places near a point.
    func start(_ candidates: NearestCandidates) { collected.pointee = candidates }

    /// The places that `candidates()` has collected.
    var found: NearestCandidates { collected.pointee }

    /// Makes the functions available on a connection, which this object must outlive.
    func register(with database: Database) {
        NearestPlaces.registerNearest(with: database)
        sqlite3_rtree_query_callback(
            database.connection, "candidates",
            { information in
                guard let information, information.pointee.nCoord == 4, let box = information.pointee.aCoord,
                    let collected = information.pointee.pContext?.assumingMemoryBound(to: NearestCandidates.self)
                else { return SQLITE_ERROR }
                let score =
                    information.pointee.iLevel > 0
                    ? collected.pointee.haversine(south: box[0], north: box[1], west: box[2], east: box[3])
                    : collected.pointee.take(information.pointee.iRowid, latitude: box[0], longitude: box[2])
                information.pointee.rScore = score ?? 0
                information.pointee.eWithin = score == nil ? NOT_WITHIN : PARTLY_WITHIN
                return SQLITE_OK
            }, collected, nil)
    }

    private static func registerNearest(with database: Database) {
        sqlite3_rtree_query_callback(
            database.connection, "nearest",
            { information in
                guard let information, information.pointee.nParam == 3, information.pointee.nCoord == 4,
                    let parameters = information.pointee.aParam, let box = information.pointee.aCoord
                else { return SQLITE_ERROR }
                let search = NearestPlaces.search(of: information, parameters)
                let distance = search.pointee.point.haversine(
                    south: box[0], north: box[1], west: box[2], east: box[3], atMost: search.pointee.limit)
                information.pointee.rScore = distance ?? 0
                information.pointee.eWithin = distance == nil ? NOT_WITHIN : PARTLY_WITHIN
                return SQLITE_OK
            }, nil, nil)
    }

    private static func search(
        of information: UnsafeMutablePointer<sqlite3_rtree_query_info>, _ parameters: UnsafeMutablePointer<Double>
    ) -> UnsafeMutablePointer<Search> {
        if let known = information.pointee.pUser { return known.assumingMemoryBound(to: Search.self) }
        let search = UnsafeMutablePointer<Search>.allocate(capacity: 1)
        search.initialize(
            to: Search(
                point: BoxDistance(latitude: parameters[0], longitude: parameters[1]),
                limit: BoxDistance.haversine(
                    ofAngle: PlaceCandidate.sphereDistance(parameters[2]) / PlaceCandidate.sphereRadius)))
        information.pointee.pUser = UnsafeMutableRawPointer(search)
        information.pointee.xDelUser = { $0?.deallocate() }
        return search
    }
}

/// Ends a query after a fixed amount of work (https://www.sqlite.org/c3ref/progress_handler.html).
final class WorkLimit {
    /// The number of instructions of SQLite's machine between two calls of the handler.
    private static let interval: Int32 = 1000
    /// The number of intervals of one query, at most, if none is stated: some 20 ms.
    static let defaultIntervals = 2000

    private let maxIntervals: Int
    private var intervals = 0

    init(_ maxIntervals: Int) { self.maxIntervals = maxIntervals }

    /// Watches a connection, which this object must outlive.
    func watch(_ database: Database) {
        sqlite3_progress_handler(
            database.connection, WorkLimit.interval,
            { context in
                guard let context else { return 0 }
                return Unmanaged<WorkLimit>.fromOpaque(context).takeUnretainedValue().count()
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Ends the supervision, for work without a limit.
    func ignore(_ database: Database) {
        sqlite3_progress_handler(database.connection, 0, nil, nil)
    }

    func begin() { intervals = 0 }

    private func count() -> Int32 {
        intervals += 1
        return intervals > maxIntervals ? 1 : 0
    }
}
