import ArgumentParser

/// The command line of the location service.
@main
struct Sextant: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sextant",
        abstract: "Where this device is, which receivers tell, and what they hear.",
        subcommands: [ReplayCommand.self, SimulateCommand.self])
}
