import CSQLite
import Places
import Store

/// The SQL function `nearest(latitude, longitude, distance)`, which searches an R*Tree of
/// positions from the nearest box to the farthest
/// (https://www.sqlite.org/rtree.html#the_new_xqueryfunc_callback).
enum NearestPlaces {
    /// The mean radius of the Earth in metres, for the order of search alone.
    private static let radius = 6_371_009.0

    /// Makes the function available on a connection.
    static func register(with database: Database) {
        sqlite3_rtree_query_callback(
            database.connection, "nearest",
            { information in
                guard let information, information.pointee.nParam == 3, information.pointee.nCoord == 4,
                    let parameters = information.pointee.aParam, let box = information.pointee.aCoord
                else { return SQLITE_ERROR }
                let angle = BoxDistance.angle(
                    latitude: parameters[0], longitude: parameters[1], south: box[0], north: box[1], west: box[2],
                    east: box[3])
                information.pointee.rScore = angle
                // A sphere differs from the ellipsoid by 0.6 % at most.
                let isWithin = angle * NearestPlaces.radius <= parameters[2] * 1.01
                information.pointee.eWithin = isWithin ? PARTLY_WITHIN : NOT_WITHIN
                return SQLITE_OK
            }, nil, nil)
    }
}
