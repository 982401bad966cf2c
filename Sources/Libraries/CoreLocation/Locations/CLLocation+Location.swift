internal import Chronology
import Foundation
internal import SextantAPI

// Locations, headings and visits of the daemon as those of this module.

extension CLLocation {
    /// Creates a location of the daemon.
    ///
    /// - Parameters:
    ///   - location: the location.
    ///   - isAtRest: whether the device is stationary: the speed is then 0 and the course unknown.
    ///   - age: the seconds since the end of its epoch, for a receiver that does not know the date.
    convenience init(_ location: Location, isAtRest: Bool = false, age: Double = 0) {
        let hasAltitude = location.mode != .twoD && location.altitude != nil
        self.init(
            content: Content(
                coordinate: CLLocationCoordinate2D(latitude: location.latitude, longitude: location.longitude),
                altitude: location.altitude ?? 0, ellipsoidalAltitude: location.ellipsoidalAltitude ?? 0,
                horizontalAccuracy: location.horizontalAccuracy,
                verticalAccuracy: hasAltitude ? location.verticalAccuracy ?? -1 : -1,
                course: isAtRest ? -1 : location.course ?? -1,
                courseAccuracy: isAtRest ? -1 : location.courseAccuracy ?? -1,
                speed: isAtRest ? 0 : location.speed ?? -1, speedAccuracy: location.speedAccuracy ?? -1,
                timestamp: location.timestamp.map(Date.init) ?? Date(timeIntervalSinceNow: -age),
                source: Source(
                    isSimulatedBySoftware: location.simulated == true,
                    isProducedByAccessory: location.accessory == true)))
    }

    convenience init(_ recent: RecentLocation) { self.init(recent.location, age: recent.age) }
}

extension CLVisit {
    convenience init(_ visit: Visit) {
        // A visit that is over without a date ended now at the latest.
        let end = visit.departed ? Date() : .distantFuture
        self.init(
            content: Content(
                arrival: visit.arrival.map(Date.init) ?? .distantPast,
                departure: visit.departure.map(Date.init) ?? end,
                coordinate: CLLocationCoordinate2D(latitude: visit.latitude, longitude: visit.longitude),
                horizontalAccuracy: visit.horizontalAccuracy))
    }
}

extension CLHeading {
    /// Creates a heading of the daemon; nil without a direction.
    convenience init?(_ heading: Heading) {
        guard heading.magneticHeading != nil || heading.trueHeading != nil else { return nil }
        self.init(
            content: Content(
                magnetic: heading.magneticHeading ?? -1, true: heading.trueHeading ?? -1,
                accuracy: heading.headingAccuracy ?? -1, timestamp: heading.timestamp.map(Date.init) ?? Date()))
    }
}

extension Date {
    init(_ time: UTCTime) { self.init(timeIntervalSince1970: Double(time.milliseconds) / 1000) }
}
