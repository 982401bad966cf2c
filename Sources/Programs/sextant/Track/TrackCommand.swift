import ArgumentParser
import Chronology
import Geodesy
import SextantAPI
import VarlinkClient

/// `sextant track`: the track of the device, which the daemon keeps.
struct TrackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "track",
        abstract: "Print the track of the device, or export it to a file.",
        discussion: """
            The daemon keeps a track if its configuration says how long: keep = "30 d" in the section [track]. It \
            records the positions that other programs cause, and never keeps a receiver on. Reading it needs the \
            authorization "always" and full accuracy. To erase it: sudo sextant forget
              sextant track                                 list the days
              sextant track export --from 2026-11-27 > day.gpx
            """,
        subcommands: [TrackListCommand.self, TrackExportCommand.self], defaultSubcommand: TrackListCommand.self)
}

/// The options of both commands.
struct TrackOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Leave out what was before this: a date in local time, or a time.", valueName: "moment"))
    var from: MomentArgument?

    @Option(help: ArgumentHelp("Leave out what was at this time or later.", valueName: "moment"))
    var to: MomentArgument?

    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if let from, let to, to.time < from.time { throw ValidationError("--to is before --from") }
    }

    /// Returns the points, all by one connection, and why nothing is recorded now; nil if
    /// positions are.
    func points() throws(CommandError) -> (points: [RecordedPoint], notRecording: String?) {
        let client = try daemon.connect()
        var parameters = TrackParameters(since: from?.text, until: to?.text)
        var points: [RecordedPoint] = []
        while true {
            let page: TrackReply
            do throws(ClientError) {
                page = try client.call(LocationMethods.track, with: parameters, timeout: DaemonOptions.replyTime)
            } catch {
                throw CommandError(daemon: error)
            }
            points += page.points
            parameters.after = page.next
            guard parameters.after != nil else { return (points, page.recording ? nil : page.detail ?? "unknown") }
        }
    }

    /// States on standard error that there are no points, and why nothing is recorded now.
    func report(isEmpty: Bool, _ notRecording: String?) {
        if isEmpty {
            StandardError.line(from == nil && to == nil ? "No track is kept." : "No track is kept of this time.")
        }
        if let notRecording { StandardError.line("Nothing is recorded: \(notRecording)") }
    }
}

/// `sextant track list`: a row for each day.
struct TrackListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the days with their times, distances and numbers of points.")

    @OptionGroup var track: TrackOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let (points, notRecording) = try track.points()
        if output.isJSON { return try JSONLineWriter.print(points) }
        if !points.isEmpty {
            try StandardOutput.write(lines: TrackDayTable(points).lines(columns: StandardOutput.columns))
        }
        track.report(isEmpty: points.isEmpty, notRecording)
    }
}

/// `sextant track export`: the track in the form of other programs.
struct TrackExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the track as GPX, GeoJSON or CSV, with the visits of this user.",
        discussion: """
            GPX is version 1.1, with the accuracy as an extension, and visits as waypoints. The accuracy is the radius \
            that contains the true position with 68 %. Times are in UTC, lengths in metres. A track has a part for \
            each time without a gap. Simulated positions are marked.
            """)

    @OptionGroup var track: TrackOptions

    @Option(help: "Print this form.")
    var format = TrackExport.Format.gpx

    func run() throws {
        let (points, notRecording) = try track.points()
        track.report(isEmpty: points.isEmpty, notRecording)
        let visits = try track.daemon.visits(from: track.from, to: track.to)
        let export = TrackExport(points: points, visits: visits, placeName: PlaceNames().text)
        try StandardOutput.write(trusted: export.bytes(format))
    }
}

/// The days of a track as text.
struct TrackDayTable {
    private struct Day {
        var date: CivilDate
        var from: UTCTime
        var to: UTCTime
        var metres = 0.0
        var count = 0
    }

    private var days: [Day] = []

    init(_ points: [RecordedPoint]) {
        var last: Coordinate?
        for point in points {
            let date = LocalTime(point.timestamp).time.date
            if days.last?.date != date {
                days.append(Day(date: date, from: point.timestamp, to: point.timestamp))
            }
            let here = Coordinate(latitude: point.latitude, longitude: point.longitude)
            if let last, let here, point.begins != true {
                days[days.count - 1].metres += last.distance(to: here)
            }
            last = here
            days[days.count - 1].to = max(days[days.count - 1].to, point.timestamp)
            days[days.count - 1].count += 1
        }
    }

    func lines(columns: Int?) -> [String] {
        var table = TextTable(["DAY", "FROM", "TO", "DISTANCE", "POINTS"], rightAligned: [3, 4])
        for day in days {
            table.add([
                TimeText.day(day.date), TimeText.minutes(day.from), TimeText.minutes(day.to),
                LengthText.metres(day.metres), DecimalText.grouped(day.count),
            ])
        }
        return table.lines(columns: columns)
    }
}
