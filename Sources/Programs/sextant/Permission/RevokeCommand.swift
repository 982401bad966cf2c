import ArgumentParser
import SextantAPI

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
