import Geodesy
import SextantAPI

extension FleetEvent {
    /// Creates an event from one of the daemon; nil if it is neither an entry nor an exit. Without
    /// a date of the receiver, the event has the time at which the daemon recorded it.
    init?(_ event: Event, of monitor: String, created: Int64?) {
        let kind: Kind
        switch event.state {
        case .satisfied where event.kind != .dwelt: kind = .enter
        case .unsatisfied: kind = .leave
        default: return nil
        }
        let time = event.location?.timestamp ?? event.date ?? event.recorded
        let place = event.location.flatMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) }
        self.init(
            kind, of: event.identifier, in: monitor, at: time, place: place,
            accuracy: event.location?.horizontalAccuracy, fenceCreated: created)
    }
}

extension FleetPoint {
    /// Creates a point from a location of the daemon; nil without a date.
    init?(_ location: Location?) {
        guard let location, let time = location.timestamp,
            let coordinate = Coordinate(latitude: location.latitude, longitude: location.longitude)
        else { return nil }
        self.init(
            coordinate, at: time, accuracy: location.horizontalAccuracy, altitude: location.altitude,
            verticalAccuracy: location.verticalAccuracy, speed: location.speed, course: location.course)
    }
}
