import Chronology
import Geodesy
import Varlink

/// The messages of Traccar's protocol for HTTP clients, one point a request
/// (https://www.traccar.org/osmand/).
package enum Traccar {
    /// The knots in a metre per second, 3600 / 1852.
    private static let knots = 3600.0 / 1852

    /// Returns the query of a GET or POST request in OsmAnd's form, with the time in seconds.
    ///
    /// - Parameters:
    ///   - device: The identifier of the device.
    ///   - state: The state of the device: a present position has the battery.
    ///   - attributes: Further attributes, such as an event.
    package static func query(
        _ point: FleetPoint, device: String, sequence: Int64, of state: DeviceState = DeviceState(),
        attributes: [(String, String)] = []
    ) -> String {
        var items = [
            ("id", device), ("lat", "\(OwnTracks.degrees(point.coordinate.latitude))"),
            ("lon", "\(OwnTracks.degrees(point.coordinate.longitude))"), ("timestamp", "\(point.seconds)"),
            ("accuracy", "\(point.roundedAccuracy)"), ("sequence", "\(sequence)"),
        ]
        func put(_ name: String, _ value: Double?) {
            if let value, value.isFinite { items.append((name, "\((value * 100).rounded() / 100)")) }
        }
        put("altitude", point.altitude)
        put("speed", point.speed.map { $0 * knots })
        put("bearing", point.course)
        if let battery = state.battery(at: point) {
            items.append(("batt", "\(battery.level)"))
            if let isCharging = battery.isCharging { items.append(("charge", "\(isCharging)")) }
        }
        return (items + attributes).map { "\(encoded($0.0))=\(encoded($0.1))" }.joined(separator: "&")
    }

    /// Returns the body of a POST request in the JSON form of Traccar 6.7. All members of `coords`
    /// are needed; -1 is an unknown speed or heading.
    ///
    /// - Parameters:
    ///   - state: The state of the device: a present position has the battery.
    ///   - event: The kind of an event.
    ///   - geofence: The identifier of its fence.
    package static func body(
        _ point: FleetPoint, device: String, sequence: Int64, of state: DeviceState = DeviceState(),
        event: String? = nil, geofence: String? = nil
    ) -> JSONValue {
        var extras: [String: JSONValue] = ["sequence": .int(sequence)]
        if let geofence { extras["geofence"] = .string(geofence) }
        var location: [String: JSONValue] = [
            "timestamp": .string(point.time.description),
            "coords": [
                "latitude": .double(OwnTracks.degrees(point.coordinate.latitude)),
                "longitude": .double(OwnTracks.degrees(point.coordinate.longitude)),
                "accuracy": .int(point.roundedAccuracy), "speed": .double(point.speed ?? -1),
                "heading": .double(point.course ?? -1), "altitude": .double(point.altitude ?? 0),
            ],
            "extras": .object(extras),
        ]
        if let event { location["event"] = .string(event) }
        if let battery = state.battery(at: point) {
            var members: [String: JSONValue] = ["level": .double(Double(battery.level) / 100)]
            if let isCharging = battery.isCharging { members["is_charging"] = .bool(isCharging) }
            location["battery"] = .object(members)
        }
        return ["device_id": .string(device), "location": .object(location)]
    }

    /// Returns a text in the percent-encoding of RFC 3986, section 2.3.
    package static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}
