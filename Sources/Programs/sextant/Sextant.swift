import ArgumentParser
import Glibc
import SystemCalls

/// The command line of the location service.
@main
struct Sextant: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sextant",
        abstract: "Show this device's position, receivers and satellites.",
        discussion: """
            Examples:
              sextant demo                        simulate a receiver; q quits
              sextant watch                       show the position live; q quits
              sextant sky                         show the satellites
              sextant locate --json               print the position once, for a script
              sextant fence add home --here 150   monitor an area around the device
              sextant record -o drive.nmea        record the data of a receiver
              sextant replay drive.nmea           run the daemon's core over a capture
              sextant rehearse --route day.gpx --stream default
                                                  estimate the energy use of a day
              sextant power                       show the energy use by day and program
              sextant who                         show which programs keep a receiver on
              sextant doctor                      find the first problem and how to fix it
              sudo sextant grant alice --reduced  give the programs of a user an area only

            Exit status:
            \(exitStatusLines)
            """,
        version: SextantVersion.current,
        groupedSubcommands: [
            CommandGroup(
                name: "Position",
                subcommands: [WatchCommand.self, LocateCommand.self, DemoCommand.self, WebCommand.self]),
            CommandGroup(
                name: "Places",
                subcommands: [
                    WhereCommand.self, ZoneCommand.self, FindCommand.self, VisitsCommand.self, TrackCommand.self,
                    PlacesCommand.self,
                ]),
            CommandGroup(name: "Geofencing", subcommands: [FenceCommand.self]),
            CommandGroup(
                name: "Receiver and daemon",
                subcommands: [
                    ReceiversCommand.self, SkyCommand.self, TimeCommand.self, StatusCommand.self, DoctorCommand.self,
                    MotionCommand.self, StationCommand.self, BeaconsCommand.self,
                ]),
            CommandGroup(
                name: "Permission",
                subcommands: [
                    GrantCommand.self, RevokeCommand.self, GrantsCommand.self, EnableCommand.self,
                    DisableCommand.self, AgentCommand.self, UsageCommand.self, ForgetCommand.self,
                ]),
            CommandGroup(name: "Servers", subcommands: [FleetReportCommand.self]),
            CommandGroup(
                name: "Capture",
                subcommands: [TailCommand.self, RecordCommand.self, ReplayCommand.self, SimulateCommand.self]),
            CommandGroup(name: "Energy", subcommands: [PowerCommand.self, WhoCommand.self, RehearseCommand.self]),
        ])

    /// The exit statuses with their meanings, one per line.
    private static var exitStatusLines: String {
        ExitStatus.allCases.map { "  " + DisplayWidth.fit(String($0.rawValue), to: 4) + $0.meaning }
            .joined(separator: "\n")
    }

    /// Returns the arguments so that a number such as `-1` is the value of the option before it,
    /// and `-33.8,151.2` the position of `where`. Each would be an option otherwise. No option
    /// begins with a digit.
    static func parsable(_ arguments: [String]) -> [String] {
        var result: [String] = []
        for (index, argument) in arguments.enumerated() {
            if argument == "--" { return result + arguments[index...] }
            if arguments.first == "where", isNegative(argument) {
                result.append(" " + argument)
            } else if isNegative(argument), let last = result.last, last.hasPrefix("--"), !last.contains("=") {
                result[result.count - 1] = "\(last)=\(argument)"
            } else {
                result.append(argument)
            }
        }
        return result
    }

    private static func isNegative(_ text: some StringProtocol) -> Bool {
        guard text.first == "-", let second = text.dropFirst().first else { return false }
        return second.isNumber || second == "."
    }

    /// Returns the text of an error of the command line. That of the library for arguments does not
    /// name the reason. Coordinates may be negative.
    static func message(for error: any Error) -> String {
        let text = fullMessage(for: error)
        let start = "Error: The value '"
        let line = text.prefix { $0 != "\n" }
        guard line.hasPrefix(start), line.hasSuffix(">'") else { return text }
        let value = line.dropFirst(start.count).prefix { $0 != "'" }
        let isNegative = isNegative(value) && !value.contains { $0 == "," || $0.isWhitespace }
        let name = line.split(separator: "<").last?.dropLast(2) ?? ""
        guard let reason = isNegative ? "it must not be negative" : ValueRule.text(forValue: String(name)) else {
            return text
        }
        return "\(line): \(reason)\(text.dropFirst(line.count))"
    }

    /// Runs the requested command. The command's own errors exit with their exit status; command
    /// line errors with 64. Their text quotes the command line, which may have foreign file names.
    static func main() {
        StandardDescriptors.openMissing()
        do {
            let arguments = CommandNames.withHelpFirst(Array(CommandLine.arguments.dropFirst()))
            try CommandNames.check(arguments)
            var command = try parseAsRoot(parsable(arguments))
            try command.run()
        } catch let error as CommandError {
            error.report()
            Glibc.exit(error.exitStatus.rawValue)
        } catch {
            let code = exitCode(for: error)
            let text = message(for: error)
            if code.isSuccess || text.isEmpty { exit(withError: error) }
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                StandardError.line(String(line))
            }
            Glibc.exit(code.rawValue)
        }
    }
}

/// What the values of options may be, as texts of errors.
private enum ValueRule {
    private static let wholeNumber = "it must be a whole number"
    private static let moment = "it must be a date or a time, such as 2027-01-31 or 2027-01-31T12:00:00Z"
    private static let points = "it must be two or more points in quotes, such as \"48.1,11.5 48.2,11.6\""

    /// The rules by the names of the values in the help.
    private static let texts = [
        "time": "it must be a number of seconds, or have a unit, such as 10, 500ms, 90s, 5m or 1h; 366 days at most",
        "metres": "it must be a number of metres, or have a unit, such as 150, 150m or 0.2km",
        "moment": moment,
        "rfc3339": moment,
        "lat,lon,radius": "it must be three numbers with commas and no spaces, the last above 0, such as 48.1,11.5,150",
        "lat,lon lat,lon …": points,
        "key=value": "it must be a name and a value, such as door=front",
        "baud": wholeNumber, "count": wholeNumber, "number": wholeNumber, "seed": wholeNumber,
        "deviation": "it must be a number of metres, such as 1.5",
        "hours": "it must be a number of hours, such as 0.5 or 24",
        "hz": "it must be a number, such as 1 or 0.5", "m/s": "it must be a number of metres per second, such as 14",
    ]

    /// Returns the rule for a value; nil if there is none.
    static func text(forValue name: String) -> String? { texts[name] }
}
