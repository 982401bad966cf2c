import Chronology
import Locator
import Permission
import Positioning
import Varlink

/// The part of a reply to `Subscribe` that all streams share. Each stream adds its own `sequence`
/// and `dropped` before it.
package struct UpdateMessage: Sendable, Equatable {
    /// The latest position. Absent when there is none to send.
    package var location: LocationMessage?
    /// The time since the end of the location's epoch in seconds; absent below ``minAge``.
    package var age: Double?
    /// True in the last update before the stream pauses because the device is stationary, false
    /// with the next position, otherwise absent.
    package var stationary: Bool?
    /// UTC at which the device became stationary. Present where ``stationary`` is true and a date
    /// is known.
    package var restingSince: String?
    /// True when there is no position now.
    package var locationUnavailable: Bool?
    /// The cause of the missing position.
    package var cause: UnavailableCause?
    /// Why there is no position or a reduced one, as text, and how to fix the problem.
    package var detail: String?
    /// Why the program may not know the location, or only a reduced one.
    package var permission = PermissionFlags()

    /// The age in seconds below which a location has none in its update.
    private static let minAge = 0.1

    /// Creates the message for a program that may not know the location.
    package init(denied flags: PermissionFlags, detail: String?) {
        permission = flags
        self.detail = detail
    }

    /// Creates the message for an update.
    package init(_ update: Update) {
        location = update.location.flatMap(LocationMessage.init)
        if let seconds = update.location?.age.seconds, seconds >= UpdateMessage.minAge {
            age = WireRounding.thousandths(seconds)
        }
        stationary = update.stationary ? true : update.hasDeparted ? false : nil
        restingSince = update.stationarySince?.description
        guard let reason = update.unavailability else { return }
        locationUnavailable = true
        cause = reason.cause
        detail = reason.detail
    }
}

/// A complete reply to `io.sextant.Location.Subscribe`.
package struct SubscribeReply: Codable, Sendable, Equatable, PermissionFlagsMessage {
    /// The number of the update in this stream, counted from 1. A gap means dropped updates.
    package var sequence: Int
    /// The number of updates of this stream that newer ones replaced before they were sent.
    package var dropped: Int
    /// The latest position. Absent when there is none to send.
    package var location: LocationMessage?
    /// The time since the end of the location's epoch in seconds; absent below ``minAge``.
    package var age: Double?
    /// True in the last update before the stream pauses because the device is stationary.
    package var stationary: Bool?
    /// UTC at which the device became stationary. Present where ``stationary`` is true and a date
    /// is known.
    package var restingSince: String?
    /// True when there is no position now.
    package var locationUnavailable: Bool?
    /// The cause of the missing position.
    package var cause: UnavailableCause?
    /// Why there is no position or a reduced one, as text, and how to fix the problem.
    package var detail: String?
    /// See ``PermissionFlags/authorizationDenied``.
    package var authorizationDenied: Bool?
    /// See ``PermissionFlags/authorizationDeniedGlobally``.
    package var authorizationDeniedGlobally: Bool?
    /// See ``PermissionFlags/authorizationRestricted``.
    package var authorizationRestricted: Bool?
    /// See ``PermissionFlags/authorizationRequestInProgress``.
    package var authorizationRequestInProgress: Bool?
    /// See ``PermissionFlags/insufficientlyInUse``.
    package var insufficientlyInUse: Bool?
    /// See ``PermissionFlags/accuracyLimited``.
    package var accuracyLimited: Bool?
    /// See ``PermissionFlags/serviceSessionRequired``.
    package var serviceSessionRequired: Bool?

    /// Creates the reply number `sequence` of a stream that has dropped `dropped` updates.
    package init(sequence: Int, dropped: Int, _ update: UpdateMessage) {
        self.sequence = sequence
        self.dropped = dropped
        location = update.location
        age = update.age
        stationary = update.stationary
        restingSince = update.restingSince
        locationUnavailable = update.locationUnavailable
        cause = update.cause
        detail = update.detail
        permission = update.permission
    }
}

/// Writes ``UpdateMessage``, which is sent for every epoch, without the general encoder.
///
/// A test checks that both encodings contain the same data. The measurements behind this are in
/// `docs/decisions/0001-foundation-stones.md`.
extension UpdateMessage {
    /// The message as JSON, with its members in the order of the interface file.
    package var text: EncodedObject {
        EncodedObject { object in
            if let location { object.appendObject(forKey: "location") { location.write(to: &$0) } }
            object.append(age, forKey: "age", decimals: 3)
            object.append(stationary, forKey: "stationary")
            object.append(restingSince, forKey: "restingSince")
            object.append(locationUnavailable, forKey: "locationUnavailable")
            object.append(cause?.rawValue, forKey: "cause")
            object.append(detail, forKey: "detail")
            if !permission.isEmpty { permission.write(to: &object) }
        }
    }
}

extension LocationMessage {
    fileprivate func write(to object: inout ObjectWriter) {
        object.append(timestamp, forKey: "timestamp")
        object.append(latitude, forKey: "latitude", decimals: 9)
        object.append(longitude, forKey: "longitude", decimals: 9)
        object.append(horizontalAccuracy, forKey: "horizontalAccuracy", decimals: 3)
        object.append(accuracySource.rawValue, forKey: "accuracySource")
        object.append(altitude, forKey: "altitude", decimals: 3)
        object.append(ellipsoidalAltitude, forKey: "ellipsoidalAltitude", decimals: 3)
        object.append(verticalAccuracy, forKey: "verticalAccuracy", decimals: 3)
        object.append(speed, forKey: "speed", decimals: 3)
        object.append(speedAccuracy, forKey: "speedAccuracy", decimals: 3)
        object.append(course, forKey: "course", decimals: 3)
        object.append(courseAccuracy, forKey: "courseAccuracy", decimals: 3)
        object.append(mode.rawValue, forKey: "mode")
        object.append(quality.rawValue, forKey: "quality")
        object.append(satellitesUsed, forKey: "satellitesUsed")
        object.append(hdop, forKey: "hdop", decimals: 3)
        object.append(datum, forKey: "datum")
        object.append(simulated, forKey: "simulated")
        object.append(accessory, forKey: "accessory")
        object.append(receiver, forKey: "receiver")
    }
}
