import ArgumentParser
import Chronology
import SextantAPI

/// `sextant visits`: prints where the device stayed, and when.
struct VisitsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "visits",
        abstract: "Print the visits of the device, day by day.",
        discussion: """
            The daemon detects visits while a program of this user watches them, such as: sextant watch --visits. It \
            keeps them for 90 days. This needs the authorization "always" and full accuracy. To erase the visits of \
            this user, use --forget; those of all users: sudo sextant forget

            A moment is a date in local time such as 2026-11-23, or a time such as 2026-11-23T08:00:00Z. Times are \
            printed in local time.
            """)

    @Option(help: ArgumentHelp("Leave out visits that ended before this.", valueName: "moment"))
    var from: MomentArgument?

    @Option(help: ArgumentHelp("Leave out visits that began at this time or later.", valueName: "moment"))
    var to: MomentArgument?

    @Flag(help: "Erase the visits that began before --to, or all.")
    var forget = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if forget, from != nil { throw ValidationError("--forget erases from the oldest visit on: omit --from") }
        if let from, let to, to.time < from.time { throw ValidationError("--to is before --from") }
    }

    func run() throws {
        if forget { return try eraseVisits() }
        let visits = try daemon.visits(from: from, to: to)
        if output.isJSON {
            try JSONLineWriter.print(visits)
        } else {
            let timeline = VisitTimeline(
                visits: visits, placeName: PlaceNames().text, columns: StandardOutput.columns)
            try StandardOutput.write(lines: timeline.lines)
        }
    }

    private func eraseVisits() throws {
        let parameters = ForgetVisitsParameters(before: to?.text)
        let reply = try daemon.call(LocationMethods.forgetVisits, with: parameters)
        try output.print([reply], or: ["erased \(DecimalText.count(reply.visits, "visit"))"])
    }
}

extension DaemonOptions {
    /// Returns the kept visits of this user, the oldest first.
    func visits(from: MomentArgument?, to: MomentArgument?) throws(CommandError) -> [Visit] {
        var parameters = VisitsParameters(since: from?.text, until: to?.text)
        var visits: [Visit] = []
        repeat {
            let page = try call(LocationMethods.visits, with: parameters)
            visits += page.visits
            parameters.after = page.next
        } while parameters.after != nil
        return visits.reversed()
    }
}

/// Visits as text: one row per visit, below the day of its arrival in local time.
struct VisitTimeline {
    /// The visits, the oldest first.
    var visits: [Visit]
    /// Returns the name of the place of a visit, if known.
    var placeName: (Visit) -> String? = { _ in nil }

    /// The width of the terminal; nil for whole lines.
    var columns: Int?

    var lines: [String] {
        guard !visits.isEmpty else { return ["No visits are kept for this user: see sextant help visits"] }
        var table = TextTable()
        var day: String?
        for visit in visits {
            let local = visit.arrival.map { LocalTime($0) }
            // The zone may change during a day.
            let next = local.map { TimeText.day($0.time.date) } ?? "unknown day"
            if next != day { table.add([next + (local.map { " \($0.zone)" } ?? "")]) }
            day = next
            table.add(cells(visit))
        }
        return table.lines(columns: columns)
    }

    private func cells(_ visit: Visit) -> [String] {
        let (arrival, departure) = (visit.arrival, visit.departure)
        let from = arrival.map(TimeText.minutes) ?? "?"
        let to =
            departure.map { TimeText.minutes($0) + VisitTimeline.laterDay($0, than: arrival) }
            ?? (visit.departed ? "?" : "now")
        var span = ""
        if let arrival, let departure { span = TimeText.span(departure.span(since: arrival).seconds) }
        let position =
            "\(DecimalText.text(visit.latitude, decimals: 5)), \(DecimalText.text(visit.longitude, decimals: 5))"
        let place = placeName(visit).map { "\($0) · \(position)" } ?? position
        return ["  \(from) to \(to)", span, place]
    }

    /// Returns the day of a departure that is not the day of the arrival.
    private static func laterDay(_ time: UTCTime, than arrival: UTCTime?) -> String {
        let local = LocalTime(time).time.date
        guard let arrival, LocalTime(arrival).time.date != local else { return "" }
        return ", \(TimeText.day(local))"
    }
}
