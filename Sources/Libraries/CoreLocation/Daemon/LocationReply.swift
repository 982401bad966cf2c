internal import Chronology
import Foundation
internal import Varlink
internal import VarlinkClient

/// One reply of `io.sextant.Location.Subscribe`. Values that this module does not know are ignored.
struct LocationReply: Sendable {
    let location: CLLocation?
    /// True in the last update before a pause, false in the first one after it.
    let stationary: Bool?
    let isUnavailable: Bool
    /// The cause of a missing position, such as `noFix`.
    let cause: String?
    /// The cause as text, with the remedy.
    let detail: String?
    let flags: PermissionFlags

    init(_ members: [String: JSONValue]) {
        stationary = members["stationary"]?.bool
        location = members["location"]?.object.flatMap { [stationary] in
            CLLocation(members: $0, isAtRest: stationary == true, age: members["age"]?.double ?? 0)
        }
        isUnavailable = members["locationUnavailable"]?.bool == true
        cause = members["cause"]?.string
        detail = members["detail"]?.string
        flags = PermissionFlags(members)
    }

    /// Whether the reply has anything to report.
    var hasContent: Bool { location != nil || stationary != nil || isUnavailable || !flags.isEmpty }
}

extension CLLocation {
    /// Creates a location from the members of `Location` on the socket; nil without a coordinate.
    ///
    /// - Parameters:
    ///   - members: the members.
    ///   - isAtRest: whether the device is stationary: the speed is then 0 and the course unknown.
    ///   - age: the seconds since the end of its epoch, for a receiver that does not know the date.
    convenience init?(members: [String: JSONValue], isAtRest: Bool = false, age: Double = 0) {
        guard let latitude = members["latitude"]?.double, let longitude = members["longitude"]?.double else {
            return nil
        }
        func number(_ name: String, otherwise absent: Double) -> Double { members[name]?.double ?? absent }
        let hasAltitude = members["mode"]?.string != "2d" && members["altitude"]?.double != nil
        self.init(
            content: Content(
                coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude),
                altitude: number("altitude", otherwise: 0),
                ellipsoidalAltitude: number("ellipsoidalAltitude", otherwise: 0),
                horizontalAccuracy: number("horizontalAccuracy", otherwise: -1),
                verticalAccuracy: hasAltitude ? number("verticalAccuracy", otherwise: -1) : -1,
                course: isAtRest ? -1 : number("course", otherwise: -1),
                courseAccuracy: isAtRest ? -1 : number("courseAccuracy", otherwise: -1),
                speed: isAtRest ? 0 : number("speed", otherwise: -1),
                speedAccuracy: number("speedAccuracy", otherwise: -1),
                timestamp: Date(rfc3339: members["timestamp"]?.string) ?? Date(timeIntervalSinceNow: -age),
                source: Source(
                    isSimulatedBySoftware: members["simulated"]?.bool == true,
                    isProducedByAccessory: members["accessory"]?.bool == true)))
    }
}

extension Date {
    /// The moment of a text as the daemon writes it; nil for nil and for any other text.
    init?(rfc3339 text: String?) {
        guard let text, let time = UTCTime(rfc3339: text) else { return nil }
        self.init(timeIntervalSince1970: Double(time.milliseconds) / 1000)
    }
}
