import ArgumentParser

/// `sextant fence`: manages the fences that the daemon monitors without a connected client.
struct FenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fence",
        abstract: "Manage geofences. Events are kept until acknowledged.",
        discussion: """
            A fence is a named area. The daemon records when the device enters, leaves or stays inside. Events stay \
            pending until they are acknowledged, across restarts of programs, daemon and machine. Fences belong to \
            monitors; a program follows a whole monitor. A fence added without --monitor gets a monitor of its own \
            name.
              sextant fence add home --circle 48.1173,11.5167,150
              sextant fence show home      show where the device is relative to the fence
              sextant fence watch home     print the events
              sextant fence watch home --exec 'notify-send "$SEXTANT_KIND $SEXTANT_FENCE"'
              sextant doctor fence home    find out why there is no event
            """,
        subcommands: [
            FenceAddCommand.self, FenceListCommand.self, FenceRemoveCommand.self, FenceShowCommand.self,
            FenceWatchCommand.self,
            FenceImportCommand.self, FenceExportCommand.self,
        ])
}
