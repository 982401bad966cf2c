import ArgumentParser
import SextantAPI

/// `sextant forget`: erases what the daemon remembers about places and use.
struct ForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Erase the record of use, the visits and the last positions.",
        discussion: """
            Nothing ends: programs continue to get positions, and their use is recorded from now on. Fences, their \
            events, decisions and energy use stay. User 0 and the groups in permissions.administrators of the \
            configuration may do this.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let reply = try daemon.call(PermissionMethods.forget)
        if output.isJSON {
            try JSONLineWriter.print([reply])
        } else {
            try StandardOutput.write(lines: [ForgetCommand.text(reply)])
        }
    }

    private static func text(_ reply: ForgetReply) -> String {
        func count(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }
        let uses = count(reply.uses, "record of use", "records of use")
        let positions = count(reply.positions, "last position", "last positions")
        return "erased \(uses), \(positions) and \(count(reply.visits, "visit", "visits"))"
    }
}
