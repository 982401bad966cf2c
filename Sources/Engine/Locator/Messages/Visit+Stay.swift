import Chronology
import Geodesy
import Positioning
import SextantAPI

extension Visit {
    /// Creates the message for a visit.
    package init(_ visit: Stay) {
        self.init(
            arrival: visit.arrival.time?.description, departure: visit.departure?.time?.description,
            latitude: MessageRounding.degrees(visit.coordinate.latitude),
            longitude: MessageRounding.degrees(visit.coordinate.longitude),
            horizontalAccuracy: MessageRounding.thousandths(visit.radius), departed: visit.departure != nil)
    }
}

extension WatchVisitsReply {
    /// Creates a reply with a visit, or without one.
    package init(_ visit: Stay?) { self.init(visit: visit.map(Visit.init)) }
}

extension VisitsReply {
    /// Creates a page.
    package init(visits: [Stay], next: String?) { self.init(visits: visits.map(Visit.init), next: next) }
}
