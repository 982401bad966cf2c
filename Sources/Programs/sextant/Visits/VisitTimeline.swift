import Chronology
import Wire

/// Visits as text: one row per visit, below the day of its arrival in local time.
struct VisitTimeline {
    /// The visits, the oldest first.
    var visits: [VisitMessage]
    /// Returns the name of the place of a visit, if known.
    var placeName: (VisitMessage) -> String? = { _ in nil }

    /// The width of the terminal; nil for whole lines.
    var columns: Int?

    /// The lines of the output.
    var lines: [String] {
        guard !visits.isEmpty else { return ["No visits are kept for this user: see sextant help visits"] }
        var table = TextTable()
        var day: String?
        for visit in visits {
            let arrival = visit.arrival.flatMap { UTCTime(rfc3339: $0) }
            let local = arrival.map { LocalTime($0) }
            // The zone may change during a day.
            let next = local.map { TimeText.day($0.time.date) } ?? "unknown day"
            if next != day { table.add([next + (local.map { " \($0.zone)" } ?? "")]) }
            day = next
            table.add(cells(visit, arrival: arrival))
        }
        return table.lines(columns: columns)
    }

    private func cells(_ visit: VisitMessage, arrival: UTCTime?) -> [String] {
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
        return ["  \(from) to \(to)", span, place]
    }

    /// Returns the local time of day such as "07:22".
    private static func minutes(_ time: UTCTime) -> String { String(TimeText.clock(time).prefix(5)) }

    /// Returns the day of a departure that is not the day of the arrival.
    private static func laterDay(_ time: UTCTime, than arrival: UTCTime?) -> String {
        let local = LocalTime(time).time.date
        guard let arrival, LocalTime(arrival).time.date != local else { return "" }
        return ", \(TimeText.day(local))"
    }
}
