import ArgumentParser
import Chronology
import Locator
import SextantAPI

/// `sextant motion`: the sensors and programs that report when the device is moved. `sextant power`
/// and `sextant doctor motion` show them.
struct MotionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "motion",
        abstract: "Report that the device was moved, or forget what a motion source has proven.",
        subcommands: [MotionReportCommand.self, MotionForgetCommand.self])
}

/// `sextant motion report`: reports that the device was moved.
struct MotionReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Report that the device was moved: a vibration, an ignition, a door.",
        discussion: """
            A sleeping receiver then checks at once whether the device departs, at most once a minute. The first \
            report of a name adds the source. Only root, the user of the daemon and programs in motion.reporters of \
            the configuration may report.
            """)

    @Argument(help: "Name of the source, such as ignition.")
    var source: String

    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard FeedParameters.isName(source) else {
            throw ValidationError("the name must have 1 to 64 letters, digits, dots, hyphens and underscores")
        }
    }

    func run() throws {
        _ = try daemon.call(ManagerMethods.reportMotion, with: ReportMotionParameters(source: source))
    }
}

/// `sextant motion forget`: forgets what a motion source has proven.
struct MotionForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Forget what a motion source has proven, for example after its sensor was moved.",
        discussion: """
            A source that is not a device of the configuration disappears until its next report. Only root and the \
            user of the daemon may forget a source.
            """)

    @Argument(help: "Name of the source.")
    var source: String

    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        _ = try daemon.call(ManagerMethods.forgetMotionSource, with: ForgetMotionSourceParameters(source: source))
    }
}

/// The motion sources as a table.
struct MotionTable {
    private let reply: MotionSourcesReply
    private let now: UTCTime

    /// - Parameter now: The time of the reply.
    init(_ reply: MotionSourcesReply, now: UTCTime) {
        self.reply = reply
        self.now = now
    }

    func lines(columns: Int?) -> [String] {
        guard !reply.sources.isEmpty else { return ["No source has reported motion yet."] }
        var table = TextTable(["SENSOR", "STATE", "TRUST", "REPORTS", "LAST", "FALSE CHECKS"], rightAligned: [3, 5])
        for source in reply.sources {
            table.add([
                source.name, source.activity.rawValue, MotionTable.trust(of: source),
                DecimalText.grouped(source.reports), source.lastReport.map(ago) ?? "-",
                DecimalText.grouped(source.falseChecks),
            ])
        }
        return table.lines(columns: columns) + ["", MotionTable.checks(reply)]
    }

    private func ago(_ moment: UTCTime) -> String {
        TimeText.span(max(0, now.span(since: moment).seconds)) + " ago"
    }

    private static func trust(of source: MotionSourceReport) -> String {
        let until = source.distrustedUntil.map { " until \(TimeText.moment($0))" } ?? ""
        return source.trust == .unproven
            ? "unproven, \(source.departures) of \(MotionSource.requiredDepartures) departures"
            : source.trust.rawValue + until
    }

    /// How often a device at rest is checked, and why.
    static func checks(_ reply: MotionSourcesReply) -> String {
        switch reply.use {
        case .off: "Reports are ignored: motion.trust is \"off\"."
        case .wakeOnly: "A device at rest is checked as without any source: motion.trust is \"wake-only\"."
        case .auto, .unknown:
            reply.rareChecks
                ? "The device is at rest, and is checked once an hour while trusted sources are silent."
                : "A device at rest is checked as without any source: none is trusted and silent now."
        }
    }
}
