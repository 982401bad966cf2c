import ArgumentParser
import SextantAPI

/// `sextant enable`: switches location on for all programs.
struct EnableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Switch location on for all programs of all users.",
        discussion: """
            The state outlives restarts; see it with: sextant grants. User 0 and the groups in \
            permissions.administrators of the configuration may change it.
            """)

    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        _ = try daemon.call(PermissionMethods.setEnabled, with: SetEnabledParameters(enabled: true))
        try StandardOutput.write(lines: ["location is switched on for all programs"])
    }
}

/// `sextant disable`: switches location off for all programs.
struct DisableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Switch location off for all programs of all users.",
        discussion: """
            The state outlives restarts; see it with: sextant grants. User 0 and the groups in \
            permissions.administrators of the configuration may change it.
            """)

    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        _ = try daemon.call(PermissionMethods.setEnabled, with: SetEnabledParameters(enabled: false))
        try StandardOutput.write(lines: ["location is switched off for all programs"])
    }
}
