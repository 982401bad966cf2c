import ArgumentParser
import Permission
import SextantAPI

/// `sextant grant`: decides what a program may know.
struct GrantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant",
        abstract: "Decide whether a program may know the location.",
        discussion: """
            PROGRAM is \(ProgramName.help)

            The decision replaces an earlier one and outlives restarts. A rule of the configuration overrules it; the \
            command then names the rule and exits with status 1. User 0 and the groups in permissions.administrators \
            of the configuration may decide.
            """)

    @Argument(help: "The program, for example 998:navigator.service or alice.")
    var program: String

    @Flag(help: "Allow the location at any time (default).")
    var always = false

    @Flag(help: "Allow the location while the program is in use.")
    var whenInUse = false

    @Flag(help: "Deny the location.")
    var denied = false

    @Flag(help: "Reduce the location to an area of a few kilometres.")
    var reduced = false

    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard [always, whenInUse, denied].count(where: { $0 }) <= 1 else {
            throw ValidationError("use only one of --always, --when-in-use and --denied")
        }
        guard !denied || !reduced else { throw ValidationError("--denied gives no location; omit --reduced") }
    }

    var choice: AuthorizationChoice { denied ? .denied : whenInUse ? .whenInUse : .always }

    func run() throws {
        let program = try ProgramName.textForm(of: program, at: daemon)
        let parameters = SetParameters(
            program: program, authorization: choice, accuracy: reduced ? .reduced : nil)
        let overruledBy = try daemon.call(PermissionMethods.set, with: parameters).overruledBy
        let now = try daemon.call(PermissionMethods.explain, with: ExplainParameters(program: program))
        let allowed =
            "\(ProgramFormatter.program(program)) \(PermissionText.allowed(now.authorization, accuracy: now.accuracy))"
        if let overruledBy {
            throw CommandError(
                "the decision is saved, but the rule in \(overruledBy) decides: \(allowed); to change the rule: "
                    + PermissionText.editCommand(PermissionText.place(overruledBy)))
        }
        try StandardOutput.write(lines: [allowed])
        // The decision applies, and something else prevents the location now.
        if choice != .denied, !reduced, let detail = now.detail {
            StandardError.line("sextant: \(ProgramFormatter.sentence(detail))")
        }
    }
}

/// `sextant revoke`: deletes a decision about a program.
struct RevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Delete the decision about a program. Rules and the default then decide.",
        discussion: """
            PROGRAM is \(ProgramName.help)

            To deny a program the location, use: sextant grant PROGRAM --denied. Exit with status 2 if there is no \
            decision.
            """)

    @Argument(help: "The program, for example 998:navigator.service or alice.")
    var program: String

    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let program = try ProgramName.textForm(of: program, at: daemon)
        guard try daemon.call(PermissionMethods.remove, with: ProgramParameters(program: program)).removed else {
            throw CommandError(
                "there is no decision about \(ProgramFormatter.program(program)); list the decisions with: "
                    + "sextant grants",
                exitStatus: .noResult)
        }
        let now = try daemon.call(PermissionMethods.explain, with: ExplainParameters(program: program))
        let allowed = PermissionText.allowed(now.authorization, accuracy: now.accuracy)
        let decidedBy = ProgramFormatter.sentence(now.decidedBy)
        try StandardOutput.write(lines: ["\(ProgramFormatter.program(program)) \(allowed), decided by \(decidedBy)"])
    }
}
