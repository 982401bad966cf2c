import Geodesy
import Positioning
import SextantAPI
import Varlink

extension Location {
    /// Creates the message for a location, or nil when its fix has no position.
    package init?(_ location: ReceiverFix) {
        let fix = location.fix
        guard let coordinate = fix.coordinate, let accuracy = fix.horizontalAccuracy, let source = fix.accuracySource
        else { return nil }
        self.init(
            timestamp: fix.time, latitude: coordinate.latitude,
            longitude: coordinate.longitude,
            horizontalAccuracy: accuracy, accuracySource: source,
            altitude: fix.altitude,
            ellipsoidalAltitude: fix.ellipsoidalAltitude,
            verticalAccuracy: fix.verticalAccuracy,
            speed: fix.speed,
            speedAccuracy: fix.speedAccuracy,
            course: fix.course,
            courseAccuracy: fix.courseAccuracy,
            mode: fix.mode, quality: fix.quality, satellitesUsed: fix.satellitesUsed,
            hdop: fix.hdop, datum: fix.datum, simulated: fix.isSimulated ? true : nil,
            accessory: location.isAccessory ? true : nil, receiver: location.receiver)
    }
}

extension Visit {
    /// Creates the message for a visit.
    package init(_ visit: Stay) {
        self.init(
            arrival: visit.arrival.time, departure: visit.departure?.time,
            latitude: visit.coordinate.latitude,
            longitude: visit.coordinate.longitude,
            horizontalAccuracy: visit.radius, departed: visit.departure != nil)
    }
}

extension VisitUpdate {
    /// Creates a reply with a visit, or without one.
    package init(_ visit: Stay?) { self.init(visit: visit.map(Visit.init)) }
}

extension VisitsReply {
    /// Creates a page.
    package init(visits: [Stay], next: String?) { self.init(visits: visits.map(Visit.init), next: next) }
}

extension Heading {
    /// Creates the message for the heading of a receiver.
    package init(_ heading: HeadingSample, receiver: String) {
        self.init(
            timestamp: heading.time, trueHeading: heading.trueHeading.map(Heading.belowFullCircle),
            magneticHeading: heading.magneticHeading.map(Heading.belowFullCircle),
            headingAccuracy: heading.accuracy, source: heading.source,
            variation: heading.variation, variationSource: heading.variationSource,
            simulated: heading.isSimulated ? true : nil, receiver: receiver)
    }

    /// Returns an angle that is below 360 degrees when it is rounded to thousandths.
    private static func belowFullCircle(_ degrees: Double) -> Double {
        (degrees * 1000).rounded() < 360_000 ? degrees : 0
    }
}

extension WatchHeadingParameters {
    /// Returns the request as a value of the core.
    ///
    /// - Throws: ``ServiceError/invalidParameter(parameter:)`` with the name of the parameter that
    ///   is out of range.
    package func request() throws(ServiceError) -> HeadingRequest {
        try checkRanges()
        return HeadingRequest(filter: headingFilter ?? 0, isPassive: passive ?? false)
    }
}

extension HeadingUpdate {
    /// Creates the reply for an update.
    package init(_ update: HeadingChange) {
        self.init(
            heading: update.heading.map { Heading($0, receiver: update.receiver ?? "") }, cause: update.cause,
            detail: update.detail)
    }

    /// Creates the reply to a program that may not know the full location.
    package init(denied flags: PermissionFlags, detail: String?) { self.init(detail: detail, permission: flags) }

    /// The reply as JSON, with its members in the order of the interface file. It is sent for every
    /// epoch.
    package var encoded: EncodedObject { EncodedObject(inOrder: self) }
}

extension LocationError {
    package init(_ reason: Unavailability) {
        self = .locationUnavailable(cause: reason.cause, detail: reason.detail)
    }
}
