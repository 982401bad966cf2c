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
        help: ArgumentHelp("Owner of the monitors (default: this user): \(ProgramName.help)", valueName: "program"))
    var program: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    /// The user ID. A shell and a unit of one user use the same fences, so the owner is the user
    /// alone unless `--program` is given.
    static var user: String { String(getuid()) }
}
