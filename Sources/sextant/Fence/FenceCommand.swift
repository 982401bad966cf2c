import ArgumentParser

/// `sextant fence`: places that the daemon watches while nobody is connected.
struct FenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fence",
        abstract: "Watch places, with nobody connected: come in, go out, stay.",
        discussion: """
            A fence is a named place. What happens at it is written down and waits until it was dealt with, over restarts of programs, \
            daemon and machine. Fences are kept in monitors, which are followed as a whole; one that is added without --monitor has \
            a monitor of its own name.
              sextant fence add home --circle 48.1173,11.5167,150
              sextant fence show home                where the device is against it
              sextant fence watch home               print what happens
              sextant fence watch home --exec 'notify-send "$SEXTANT_KIND $SEXTANT_FENCE"'
              sextant doctor fence home              why nothing has happened
            """,
        subcommands: [
            FenceAddCommand.self, FenceListCommand.self, FenceRemoveCommand.self, FenceShowCommand.self, FenceWatchCommand.self,
            FenceImportCommand.self, FenceExportCommand.self,
        ])
}
