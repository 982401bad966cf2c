import CSQLite
import Places
import Store

/// The SQL function `nearest(latitude, longitude, distance)`, which searches an R*Tree of
/// positions from the nearest box to the farthest
/// (https://www.sqlite.org/rtree.html#the_new_xqueryfunc_callback).
enum NearestPlaces {
    /// What one search compares boxes with. The rtree extension keeps it until the search ends.
    private struct Search {
        let point: BoxDistance
        let limit: Double
    }

    /// Makes the function available on a connection.
    static func register(with database: Database) {
        sqlite3_rtree_query_callback(
            database.connection, "nearest",
            { information in
                guard let information, information.pointee.nParam == 3, information.pointee.nCoord == 4,
                    let parameters = information.pointee.aParam, let box = information.pointee.aCoord
                else { return SQLITE_ERROR }
                let search = NearestPlaces.search(of: information, parameters)
                let distance = search.pointee.point.haversine(south: box[0], north: box[1], west: box[2], east: box[3])
                information.pointee.rScore = distance
                information.pointee.eWithin = distance <= search.pointee.limit ? PARTLY_WITHIN : NOT_WITHIN
                return SQLITE_OK
            }, nil, nil)
    }

    private static func search(
        of information: UnsafeMutablePointer<sqlite3_rtree_query_info>, _ parameters: UnsafeMutablePointer<Double>
    ) -> UnsafeMutablePointer<Search> {
        if let known = information.pointee.pUser { return known.assumingMemoryBound(to: Search.self) }
        let search = UnsafeMutablePointer<Search>.allocate(capacity: 1)
        // A sphere differs from the ellipsoid by 0.6 % at most.
        let angle = parameters[2] * 1.01 / PlaceCandidate.sphereRadius
        search.initialize(
            to: Search(
                point: BoxDistance(latitude: parameters[0], longitude: parameters[1]),
                limit: BoxDistance.haversine(ofAngle: angle)))
        information.pointee.pUser = UnsafeMutableRawPointer(search)
        information.pointee.xDelUser = { $0?.deallocate() }
        return search
    }
}
