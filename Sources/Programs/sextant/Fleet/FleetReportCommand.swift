import ArgumentParser

/// `sextant fleet`: shows the reports of this device to servers.
struct FleetReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet", abstract: "Show the reports of this device to servers.",
        subcommands: [FleetStatusCommand.self])
}
