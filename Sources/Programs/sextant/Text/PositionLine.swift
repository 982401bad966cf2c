import Chronology
import SextantAPI

/// A position as one line of text.
enum PositionLine {
    /// Returns a line such as "48.117300° N 11.516667° E ±2.4 m · altitude 519 m · 44.3 km/h WSW ·
    /// declination 3.6° E, 244° magnetic · 3D, autonomous · 9 satellites · ttyACM0".
    static func text(_ location: Location, units: DisplayUnits = DisplayUnits()) -> String {
        let decimals = location.decimals
        let place =
            units.latitude(location.latitude, decimals: decimals) + " "
            + units.longitude(location.longitude, decimals: decimals)
        var parts = ["\(place) ±\(LengthText.metres(location.horizontalAccuracy))"]
        if location.isReduced {
            parts.append(location.accuracySource.displayText)
            if location.simulated == true { parts.append("simulated") }
            return (parts + [location.receiver]).joined(separator: " · ")
        }
        if let altitude = location.altitude { parts.append("altitude \(DecimalText.text(altitude, decimals: 0)) m") }
        if let speed = location.speed {
            parts.append(units.speed.text(speed) + (location.course.map { " " + AngleText.compassPoint($0) } ?? ""))
        }
        if let north = MagneticNorth(location) {
            parts.append([north.displayText, north.courseText].compactMap { $0 }.joined(separator: ", "))
        }
        parts.append("\(location.mode.displayText), \(location.quality.displayText)")
        if location.simulated == true { parts.append("simulated") }
        if let used = location.satellitesUsed { parts.append("\(used) satellites") }
        parts.append(location.receiver)
        return parts.joined(separator: " · ")
    }

    /// Returns a visit as one line, or why there is none.
    static func text(_ reply: VisitUpdate, units: DisplayUnits) -> String {
        reply.permissionDenied.map { "no visits: \(ProgramFormatter.sentence($0))" } ?? text(reply.visit, units: units)
    }

    /// Returns a text such as "at rest since 21 Nov 2026 07:22:02 UTC".
    static func stationaryText(since: UTCTime?) -> String {
        "at rest" + (since.map { " since " + TimeText.moment($0) } ?? "")
    }

    static func text(_ visit: Visit?, units: DisplayUnits = DisplayUnits()) -> String {
        guard let visit else { return "no visit" }
        let decimals = AngleText.decimals(accuracy: visit.horizontalAccuracy)
        let place =
            units.latitude(visit.latitude, decimals: decimals) + " "
            + units.longitude(visit.longitude, decimals: decimals)
        let arrival = visit.arrival.map { "since " + TimeText.moment($0) } ?? "since an unknown time"
        let departure = visit.departed ? "left" + (visit.departure.map { " " + TimeText.moment($0) } ?? "") : "present"
        let times = visit.departed ? "\(arrival), \(departure)" : "\(departure) \(arrival)"
        return "\(place) ±\(LengthText.metres(visit.horizontalAccuracy)) · \(times)"
    }

    /// Returns an update as one line, its time first.
    static func text(_ update: SubscribeReply, units: DisplayUnits = DisplayUnits()) -> String {
        if update.locationUnavailable == true {
            let reason = update.detail ?? update.cause?.displayText ?? "the daemon gives no reason"
            return "no position: \(reason)"
        }
        let isDenied = !update.permission.isDisjoint(with: .blocking)
        guard let location = update.location, !isDenied else {
            let reason =
                update.permission.isEmpty
                ? nil : update.detail.map(ProgramFormatter.sentence) ?? update.permission.headline
            return "no position" + (isDenied ? "" : " yet") + (reason.map { ": \($0)" } ?? "")
        }
        let stationary = update.stationary == true ? " · " + stationaryText(since: update.restingSince) : ""
        return (location.timestamp.map { TimeText.moment($0) + " " } ?? "") + text(location, units: units) + stationary
    }
}

extension Location {
    /// Whether the location is reduced to an area, because the program may not know more.
    var isReduced: Bool { accuracySource == .reduced }

    /// The number of decimals of a degree that suits the location.
    var decimals: Int {
        isReduced ? AngleText.reducedDecimals : AngleText.decimals(accuracy: horizontalAccuracy)
    }
}
