import ArgumentParser
import SextantAPI

/// `sextant usage`: lists which programs have used the location.
struct UsageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "usage",
        abstract: "List which programs have used the location in the last 30 days, and why they were allowed.",
        discussion: """
            PROGRAM is \(ProgramName.help)

            The newest use is the first. Users who may not decide about permissions see the programs of their own user \
            only. To erase the record, use: sudo sextant forget
            """)

    @Argument(help: "The only program to list, for example 998:navigator.service or alice.")
    var program: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        var parameters = GetUsageParameters(program: try program.map { try ProgramName.textForm(of: $0, at: daemon) })
        var records: [Use] = []
        repeat {
            let page = try daemon.call(PermissionMethods.getUsage, with: parameters)
            records += page.records
            parameters.after = page.next
        } while parameters.after != nil
        try output.print(records, or: UsageTable(records: records, columns: StandardOutput.columns).lines)
    }
}

/// `sextant forget`: erases what the daemon remembers about places and use.
struct ForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Erase the record of use, the visits, the track and the last positions.",
        discussion: """
            Nothing ends: programs continue to get positions, and their use is recorded from now on. Fences, their \
            events, decisions and energy use stay. User 0 and the groups in permissions.administrators of the \
            configuration may do this.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let reply = try daemon.call(PermissionMethods.forget)
        try output.print([reply], or: [ForgetCommand.text(reply)])
    }

    private static func text(_ reply: ForgetReply) -> String {
        let uses = DecimalText.count(reply.uses, "record of use", "records of use")
        let positions = DecimalText.count(reply.positions, "last position", "last positions")
        let visits = DecimalText.count(reply.visits, "visit", "visits")
        guard let points = reply.points, points > 0 else { return "erased \(uses), \(positions) and \(visits)" }
        return "erased \(uses), \(positions), \(visits) and a track of \(DecimalText.count(points, "point", "points"))"
    }
}

/// The record of use as text.
struct UsageTable {
    var records: [Use]
    /// The width of the terminal; nil for whole lines.
    var columns: Int?

    var lines: [String] {
        guard !records.isEmpty else { return ["No program has used the location in the last 30 days."] }
        var table = TextTable(
            ["PROGRAM", "WHAT", "FROM", "TO", "UPDATES", "ACCURACY", "ALLOWED BY"], rightAligned: [4])
        for record in records {
            table.add([
                ProgramFormatter.program(record.program), UsageTable.what(record.kind),
                record.from.map(TimeText.moment) ?? "unknown",
                UsageTable.end(of: record), String(record.updates), record.accuracy.rawValue,
                ProgramFormatter.sentence(record.decidedBy),
            ])
        }
        return table.lines(columns: columns)
    }

    private static func what(_ kind: UseKind) -> String {
        switch kind {
        case .stream: "updates"
        case .oneShot: "single locations"
        case .visits: "visits"
        case .heading: "heading"
        case .monitors: "fences"
        case .beacons: "beacons"
        case .unknown: kind.rawValue
        }
    }

    /// Returns the end of a use; its duration if the host's clock was not set.
    private static func end(of record: Use) -> String {
        let end = record.to.map(TimeText.moment) ?? "\(TimeText.span(record.seconds)) later"
        return switch record.state {
        case .open: "now"
        case .ended, .unknown: end
        case .interrupted: "\(end) or later"
        }
    }
}
