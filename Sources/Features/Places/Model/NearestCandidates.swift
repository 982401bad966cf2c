/// The places nearest to a point, collected while an index is searched.
///
/// An index with a limit on rows would put each place of a visited node into its queue and return
/// the nearest hundred one by one. Here the nodes alone are queued.
package struct NearestCandidates {
    private struct Found {
        let number: Int64
        let haversine: Double
    }

    private let point: BoxDistance
    private let count: Int
    /// The nearest places, the nearest first.
    private var found: [Found] = []
    /// The haversine beyond which no place is wanted.
    private var limit: Double
    /// The least haversine of a place that was refused because nearer ones were found.
    private var leastRefused = Double.infinity

    /// Searches the places near `point`.
    ///
    /// - Parameters:
    ///   - distance: The distance on the sphere in metres, at most.
    ///   - count: The number of places, at most.
    package init(near point: BoxDistance, within distance: Double, count: Int) {
        self.point = point
        self.count = count
        limit = BoxDistance.haversine(ofAngle: distance / PlaceCandidate.sphereRadius)
        found.reserveCapacity(count + 1)
    }

    /// Returns the least haversine of the places in a box; nil if none of them is wanted.
    package func haversine(south: Double, north: Double, west: Double, east: Double) -> Double? {
        point.haversine(south: south, north: north, west: west, east: east, atMost: limit)
    }

    /// Takes a place of the index.
    ///
    /// - Returns: Its haversine if it is not wanted and the search ends when the index has nothing
    ///   that can be nearer than it; else nil.
    package mutating func take(_ number: Int64, latitude: Double, longitude: Double) -> Double? {
        guard
            let haversine = point.haversine(
                south: latitude, north: latitude, west: longitude, east: longitude, atMost: limit)
        else { return nil }
        var index = found.count
        while index > 0, found[index - 1].haversine > haversine { index -= 1 }
        if index < count {
            found.insert(Found(number: number, haversine: haversine), at: index)
            if found.count > count { found.removeLast() }
            // Places at the limit itself are still compared, so that one of them ends the search.
            if found.count == count { limit = min(limit, found[count - 1].haversine * NearestCandidates.margin) }
            return nil
        }
        guard haversine < leastRefused else { return nil }
        leastRefused = haversine
        return haversine
    }

    /// How much farther than the last place another one is still compared.
    private static let margin = 1.2

    /// Returns the candidates, the nearest first.
    package func candidates(_ reaches: ReachLimits) -> [PlaceCandidate] {
        found.map { place in
            PlaceCandidate(
                number: place.number,
                distance: BoxDistance.angle(ofHaversine: place.haversine) * PlaceCandidate.sphereRadius,
                maxReach: reaches.reach(ofNumber: place.number))
        }
    }
}

/// The largest reaches of places by their numbers: a file numbers its places by population.
package struct ReachLimits: Sendable {
    private var numbers: [Int64] = []
    private var reaches: [Double] = []

    /// Creates limits that state nothing: the reach of a place may be any.
    package init() {}

    /// Returns the numbers of the places whose reach must be known. Each is a third larger than the
    /// one before, so that a limit is seldom a tenth too large.
    package static func numbers(to last: Int64) -> [Int64] {
        Array(sequence(first: Int64(1)) { $0 + max(1, $0 / 3) }.prefix { $0 <= last })
    }

    /// Adds the limit that a place sets for those with larger numbers. The numbers must increase.
    package mutating func append(_ place: Place, number: Int64) {
        numbers.append(number)
        reaches.append(place.reach)
    }

    /// Returns the reach of a place in metres, at most.
    package func reach(ofNumber number: Int64) -> Double {
        var low = 0
        var high = numbers.count
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] <= number { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? .infinity : reaches[low - 1]
    }
}

/// A place near a point as far as the index knows it: what it can be, before it is read.
package struct PlaceCandidate: Sendable, Equatable {
    /// The mean radius of the Earth in metres, for distances on a sphere.
    package static let sphereRadius = 6_371_009.0
    /// The part by which a distance on the ellipsoid can be less than one on the sphere, and the
    /// error of a position of 32 bits in metres, at most.
    private static let sphereError = 0.01
    private static let roundingError = 4.0

    /// Returns the largest distance on the sphere of a point at this distance on the ellipsoid,
    /// both in metres.
    package static func sphereDistance(_ distance: Double) -> Double { distance * (1 + sphereError) }

    /// The number of the place in the file. The places are numbered by population.
    package let number: Int64
    /// The distance from the point in metres, at least.
    package let minDistance: Double
    /// The reach of the place in metres, at most.
    package let maxReach: Double

    /// Creates a candidate.
    ///
    /// - Parameter distance: The distance from the point to its rounded position on the sphere, in
    ///   metres.
    package init(number: Int64, distance: Double, maxReach: Double) {
        self.number = number
        minDistance = max(0, distance * (1 - PlaceCandidate.sphereError) - PlaceCandidate.roundingError)
        self.maxReach = maxReach
    }

    /// The distance in multiples of the place's reach, at least.
    package var minWeighted: Double { minDistance / maxReach }
}
