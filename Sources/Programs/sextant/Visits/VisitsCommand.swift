import ArgumentParser
import Wire

/// `sextant visits`: prints where the device stayed, and when.
struct VisitsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "visits",
        abstract: "Print the visits of the device, day by day.",
        discussion: """
            The daemon detects visits while a program of this user watches them, such as: sextant watch --visits. It \
            keeps them for 90 days. This needs the authorization "always" and full accuracy. To erase the visits of \
            this user, use --forget; those of all users: sudo sextant forget

            TIME is a date in local time such as 2026-11-23, or a time such as 2026-11-23T08:00:00Z. Times are \
            printed in local time.
            """)

    @Option(help: ArgumentHelp("Leave out visits that ended before this.", valueName: "moment"))
    var since: MomentArgument?

    @Option(help: ArgumentHelp("Leave out visits that began at this time or later.", valueName: "moment"))
    var until: MomentArgument?

    @Flag(help: "Erase the visits that began before --until, or all.")
    var forget = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if forget, since != nil { throw ValidationError("--forget erases from the oldest visit on: omit --since") }
        if let since, let until, until.time < since.time { throw ValidationError("--until is before --since") }
    }

    func run() throws {
        if forget { return try eraseVisits() }
        let visits = try allVisits()
        if output.isJSON {
            try JSONLineWriter.print(visits)
        } else {
            let timeline = VisitTimeline(
                visits: visits, placeName: PlaceNames().text, columns: StandardOutput.columns)
            try StandardOutput.write(lines: timeline.lines)
        }
    }

    /// Returns the visits, the oldest first.
    private func allVisits() throws -> [VisitMessage] {
        var parameters = VisitsParameters(since: since?.text, until: until?.text)
        var visits: [VisitMessage] = []
        repeat {
            let page = try daemon.call(LocationMethods.visits, with: parameters)
            visits += page.visits
            parameters.after = page.next
        } while parameters.after != nil
        return visits.reversed()
    }

    private func eraseVisits() throws {
        let parameters = ForgetVisitsParameters(before: until?.text)
        let reply = try daemon.call(LocationMethods.forgetVisits, with: parameters)
        if output.isJSON {
            try JSONLineWriter.print([reply])
        } else {
            try StandardOutput.write(lines: ["erased \(reply.visits) \(reply.visits == 1 ? "visit" : "visits")"])
        }
    }
}
