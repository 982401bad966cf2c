import Positioning
import Wire

/// A position in one line, for people.
enum PositionLine {
    /// "48.117300° N 11.516667° E ±2.4 m · 519 m · 44.3 km/h WSW · declination 3.6° E, 244° magnetic · 3D, satellites alone · 9 satellites · ttyACM0"
    static func text(_ location: LocationMessage, _ unit: SpeedUnit = .kmh) -> String {
        let decimals = AngleText.decimals(accuracy: location.horizontalAccuracy)
        let place =
            AngleText.latitude(location.latitude, decimals: decimals) + " " + AngleText.longitude(location.longitude, decimals: decimals)
        var parts = ["\(place) ±\(LengthText.metres(location.horizontalAccuracy))"]
        if let altitude = location.altitude { parts.append("\(Fixed.text(altitude, 0)) m high") }
        if let speed = location.speed {
            parts.append(unit.text(speed) + (location.course.map { " " + AngleText.wind($0) } ?? ""))
        }
        if let north = MagneticNorth(location) { parts.append([north.words, north.courseWords].compactMap { $0 }.joined(separator: ", ")) }
        parts.append("\(location.mode.words), \(location.quality.words)")
        if let used = location.satellitesUsed { parts.append("\(used) satellites") }
        parts.append(Columns.harmless(location.receiver))
        return parts.joined(separator: " · ")
    }

    /// "at rest since 2026-03-14 10:00:00 UTC"
    static func rest(since: String?) -> String { "at rest" + (since.map { " since " + TimeText.moment($0) } ?? "") }

    /// A visit in one line.
    static func text(_ visit: VisitMessage?) -> String {
        guard let visit else { return "at no place" }
        let decimals = AngleText.decimals(accuracy: visit.horizontalAccuracy)
        let place = AngleText.latitude(visit.latitude, decimals: decimals) + " " + AngleText.longitude(visit.longitude, decimals: decimals)
        let arrival = visit.arrival.map { "since " + TimeText.moment($0) } ?? "since nobody knows when"
        let departure = visit.departed ? "left" + (visit.departure.map { " " + TimeText.moment($0) } ?? "") : "there"
        let times = visit.departed ? "\(arrival), \(departure)" : "\(departure) \(arrival)"
        return "\(place) ±\(LengthText.metres(visit.horizontalAccuracy)) · \(times)"
    }

    /// An update in one line, its time first.
    static func text(_ update: SubscribeReply, _ unit: SpeedUnit) -> String {
        if update.locationUnavailable == true {
            return "no position: \(Columns.harmless(update.detail ?? update.cause?.headline ?? "the daemon gives no reason"))"
        }
        guard let location = update.location else { return "no position yet" }
        let rest = update.stationary == true ? " · " + rest(since: update.restingSince) : ""
        return (location.timestamp.map { $0 + " " } ?? "") + text(location, unit) + rest
    }
}
