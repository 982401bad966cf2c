import Glibc
import NMEA

/// A datum other than WGS-84 in which a receiver reports its positions.
///
/// The positions are not transformed. IEC 61162-1 gives the direction of the offsets in DTM, but
/// receivers disagree: recorded sentences for Tokyo have the opposite one, and a shift in the wrong
/// direction would double the error. The accuracies contain the difference instead.
public struct ForeignDatum: Sendable, Equatable {
    /// The name as the receiver reports it.
    public let name: String
    /// The offsets in minutes; nil if the receiver reports none.
    private var offset: Offset?
    /// Metres of height; 0 if not reported.
    private(set) var heightOffset = 0.0

    private struct Offset: Sendable, Equatable {
        var latitude: Double
        var longitude: Double
    }

    /// Metres between WGS-84 and a national datum. Tokyo 1918 differs by 460 m, Ordnance Survey
    /// 1936 and European 1950 by 100 to 200 m (IHO S-60).
    private static let usualShift = 500.0
    /// Metres between WGS-84 and the earlier earth-centred datums WGS-72 and SGS-85.
    private static let earthCentredShift = 20.0
    /// Metres between WGS-84 and datums that were fixed to a continent since 1983, which moves.
    private static let continentalShift = 2.0
    private static let metresPerMinute = 1852.0

    /// Creates the datum of a DTM; nil if it agrees with WGS-84 or is not reported.
    public init?(_ dtm: DTM) {
        guard dtm.isWGS84 == false else { return nil }
        name = dtm.name
        heightOffset = dtm.altitudeOffset?.magnitude ?? 0
        if let latitude = dtm.latitudeOffset, let longitude = dtm.longitudeOffset, latitude != 0 || longitude != 0 {
            offset = Offset(latitude: latitude, longitude: longitude)
        }
    }

    /// Creates the datum of Garmin's `PGRMM`; nil if it is WGS-84.
    public init?(_ pgrmm: PGRMM) {
        guard !pgrmm.isWGS84 else { return nil }
        name = pgrmm.datum.string
    }

    /// Returns the distance in metres between the position in this datum and in WGS-84.
    func shift(atLatitude degrees: Double) -> Double {
        guard let offset else {
            return switch name {
            case "W72", "S85", "WGS 72": ForeignDatum.earthCentredShift
            case "NAR", "NAD83", "GDA", "GDA94", "ETRS89": ForeignDatum.continentalShift
            default: ForeignDatum.usualShift
            }
        }
        let east = offset.longitude * cos(degrees * .pi / 180)
        let distance = (offset.latitude * offset.latitude + east * east).squareRoot() * ForeignDatum.metresPerMinute
        return min(distance, AccuracyConstants.maxPlausibleError)
    }
}
