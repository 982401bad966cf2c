import Chronology
import Wire

/// Visits as text: one line per visit, below the day of its arrival.
struct VisitTimeline {
    /// The visits, the oldest first.
    var visits: [VisitMessage]
    /// Returns the name of the place of a visit, if known.
    var placeName: (VisitMessage) -> String? = { _ in nil }

    /// The lines of the output.
    var lines: [String] {
        guard !visits.isEmpty else { return ["No visits are kept for this user: see sextant help visits"] }
        var lines: [String] = []
        var day: String?
        for visit in visits {
            let arrival = visit.arrival.flatMap { UTCTime(rfc3339: $0) }
            let next = arrival.map { TimeText.day($0.date) } ?? "unknown day"
            if next != day { lines.append(next) }
            day = next
            lines.append(line(visit, arrival: arrival))
        }
        return lines
    }

    private func line(_ visit: VisitMessage, arrival: UTCTime?) -> String {
        let departure = visit.departure.flatMap { UTCTime(rfc3339: $0) }
        let from = arrival.map(VisitTimeline.minutes) ?? "?"
        let to =
            departure.map { VisitTimeline.minutes($0) + VisitTimeline.laterDay($0, than: arrival) }
            ?? (visit.departed ? "?" : "now")
        var span = ""
        if let arrival, let departure { span = TimeText.span(departure.span(since: arrival).seconds) }
        let position =
            "\(DecimalText.text(visit.latitude, decimals: 5)), \(DecimalText.text(visit.longitude, decimals: 5))"
        let place = placeName(visit).map { "\($0) · \(position)" } ?? position
        return "  " + DisplayWidth.fit("\(from) to \(to)", to: 29) + DisplayWidth.fit(span, to: 12) + place
    }

    /// Returns the UTC time of day such as "07:22".
    private static func minutes(_ time: UTCTime) -> String { String(TimeText.clock(time).prefix(5)) }

    /// Returns the day of a departure that is not the day of the arrival.
    private static func laterDay(_ time: UTCTime, than arrival: UTCTime?) -> String {
        guard let arrival, arrival.date != time.date else { return "" }
        return ", \(TimeText.day(time.date))"
    }
}
