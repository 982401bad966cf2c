import Chronology
import Geodesy
import Positioning

/// The type `Visit` of `io.sextant.Location`.
package struct VisitMessage: Codable, Sendable, Equatable {
    /// UTC of the arrival. Absent if no date was known.
    package var arrival: String?
    /// UTC of the last position at the place. Absent during the visit.
    package var departure: String?
    /// The latitude in degrees north, -90 to 90, WGS-84.
    package var latitude: Double
    /// The longitude in degrees east, -180 to 180, WGS-84.
    package var longitude: Double
    /// The radius in metres around the place that contained the device with a probability of 68 %.
    package var horizontalAccuracy: Double
    /// Whether the visit is over.
    package var departed: Bool

    /// Creates the message for a visit.
    package init(_ visit: Visit) {
        arrival = visit.arrival.time?.description
        departure = visit.departure?.time?.description
        latitude = WireRounding.degrees(visit.coordinate.latitude)
        longitude = WireRounding.degrees(visit.coordinate.longitude)
        horizontalAccuracy = WireRounding.thousandths(visit.radius)
        departed = visit.departure != nil
    }
}
