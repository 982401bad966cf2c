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
