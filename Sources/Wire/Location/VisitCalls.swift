import Chronology
import Geodesy
import Positioning

/// `io.sextant.Location`, type `Visit`.
public struct VisitMessage: Codable, Sendable, Equatable {
    /// UTC since when the device has been there. Absent where no date was known.
    public var arrival: String?
    /// UTC at which it was last seen there. Absent while it is there.
    public var departure: String?
    /// Degrees north, -90 to 90, WGS-84.
    public var latitude: Double
    /// Degrees east, -180 to 180, WGS-84.
    public var longitude: Double
    /// Metres about the place that held the device with probability 68 %.
    public var horizontalAccuracy: Double
    /// Whether it is over.
    public var departed: Bool

    /// The message of a visit.
    public init(_ visit: Visit) {
        arrival = visit.arrival.time?.description
        departure = visit.departure?.time?.description
        latitude = Rounded.angle(visit.coordinate.latitude)
        longitude = Rounded.angle(visit.coordinate.longitude)
        horizontalAccuracy = Rounded.fine(visit.radius)
        departed = visit.departure != nil
    }
}

/// A reply to `io.sextant.Location.WatchVisits`.
public struct WatchVisitsReply: Codable, Sendable, Equatable {
    /// The visit that has begun or ended; absent in a first reply while the device is at no place.
    public var visit: VisitMessage?

    /// A visit, or that there is none.
    public init(_ visit: Visit?) { self.visit = visit.map(VisitMessage.init) }

    /// The same again, as a client has it.
    public init(_ visit: VisitMessage?) { self.visit = visit }
}
