import ArgumentParser
import Glibc

/// The options that select a monitor and its owner.
struct FenceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use only this monitor (default: every monitor of the owner; for add, one named after the fence).",
            valueName: "name"))
    var monitor: String?

    @Option(
        help: ArgumentHelp(
            "Owner of the monitors: a user ID; for a service, add \":\" and its unit (default: this user).",
            valueName: "program"))
    var program: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    /// The owner of the monitors.
    var owner: String { program ?? FenceOptions.user }

    /// The user ID. A shell and a unit of one user use the same fences, so the owner is the user
    /// alone unless `--program` is given.
    static var user: String { String(getuid()) }
}
