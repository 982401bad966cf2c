import ArgumentParser
import SextantAPI

/// `sextant status`: shows the state of the daemon.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "status", abstract: "Show the state of the daemon.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let status = try daemon.call(ManagerMethods.getStatus).status
        try output.print([status], or: StatusFormatter.lines(status))
    }
}

/// The daemon's status as text.
enum StatusFormatter {
    private static let labelWidth = 15

    static func lines(_ status: Status) -> [String] {
        var rows = [
            ("sextantd", "\(status.version), process \(status.pid), up \(TimeText.span(status.uptime))"),
            ("activity", status.summary),
            ("socket", status.socket),
            ("state", status.stateDirectory ?? "not saved"),
            ("configuration", status.configuration.isEmpty ? "built-in" : status.configuration.joined(separator: ", ")),
            ("receivers", receivers(status)),
            (
                "clients",
                DecimalText.count(status.connections, "connection") + ", " + DecimalText.count(status.streams, "stream")
            ),
        ]
        if let station = status.station {
            rows.insert(("fixed place", "\(station.name): \(StationText.finding(station))"), at: 2)
        }
        if status.enabled == false {
            let text = "is switched off for all programs; to switch it on: sudo sextant enable"
            rows.insert(("location", text), at: 2)
        }
        if let problem = status.state?.problem {
            let location = status.state?.permissionsUnreadable == true ? "no program gets the location: " : ""
            rows.insert(("problem", "\(location)\(problem.reason); \(problem.remedy)"), at: 2)
        }
        if let since = status.restingSince { rows.append(("device", PositionLine.stationaryText(since: since))) }
        // A program without the full location may not know them. Earlier daemons then send 0, and a
        // daemon that replies has woken.
        guard let wakeups = status.wakeups, wakeups > 0 else { return rows.map(line) }
        let (sent, dropped) = (status.updatesSent ?? 0, status.updatesDropped ?? 0)
        rows.append(("updates", "\(DecimalText.grouped(sent)) sent, \(DecimalText.grouped(dropped)) dropped"))
        let perFix = status.wakeupsPerFix.map { ", \(DecimalText.text($0, decimals: 1)) per fix" } ?? ""
        let perMinute = status.wakeupsPerMinute.map { ", \(DecimalText.text($0, decimals: 1)) per minute" } ?? ""
        rows.append(("wakeups", DecimalText.grouped(wakeups) + perFix + perMinute))
        return rows.map(line)
    }

    private static func line(_ label: String, _ text: String) -> String {
        DisplayWidth.fit(label, to: labelWidth) + text
    }

    private static func receivers(_ status: Status) -> String {
        status.receivers == 0 ? "none" : "\(status.receivers), \(status.receiversWithFix) of them with a fix"
    }
}
