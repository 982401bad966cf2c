import Geodesy
import SQLite

extension PlacesFile {
    /// The distance from the nearest region at which a point at sea or at a coast counts as in it,
    /// in degrees of latitude.
    package static let coastDistance = 0.5

    /// Returns the regions that contain a point.
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

    /// Returns a region by its number.
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
