import Wire

/// The daemon's status for people.
enum StatusText {
    private static let labelWidth = 15

    static func lines(_ status: StatusMessage) -> [String] {
        var rows = [
            ("sextantd", "\(status.version), process \(status.pid), up \(TimeText.span(status.uptime))"),
            ("doing", Columns.harmless(status.summary)),
            ("socket", status.socket),
            ("state", status.stateDirectory ?? "none is kept"),
            ("configuration", status.configuration.isEmpty ? "built in" : status.configuration.joined(separator: ", ")),
            ("receivers", receivers(status)),
            ("clients", counted(status.connections, "connection") + ", " + counted(status.streams, "stream")),
            ("updates", "\(Fixed.grouped(status.updatesSent)) sent, \(Fixed.grouped(status.updatesDropped)) dropped"),
        ]
        if let since = status.restingSince { rows.append(("device", PositionLine.rest(since: since))) }
        let perFix = status.wakeupsPerFix.map { ", \(Fixed.text($0, 1)) for each fix" } ?? ""
        let perMinute = status.wakeupsPerMinute.map { ", \(Fixed.text($0, 1)) a minute" } ?? ""
        rows.append(("wakeups", Fixed.grouped(status.wakeups) + perFix + perMinute))
        return rows.map { Columns.fit($0.0, to: labelWidth) + $0.1 }
    }

    private static func counted(_ number: Int, _ noun: String) -> String {
        "\(Fixed.grouped(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    private static func receivers(_ status: StatusMessage) -> String {
        status.receivers == 0 ? "none" : "\(status.receivers), of which \(status.receiversFixing) with a fix"
    }
}
