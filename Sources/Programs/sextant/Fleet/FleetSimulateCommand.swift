import ArgumentParser
import Glibc

/// `sextant fleet simulate`: runs `sextant-fleet simulate`, which is a package of its own.
struct FleetSimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Report the positions and events of simulated devices to a broker.",
        discussion: "Passes all arguments to \"sextant-fleet simulate\"; see sextant-fleet(8).")

    @Argument(
        parsing: .captureForPassthrough, help: ArgumentHelp("Options of sextant-fleet simulate.", valueName: "options"))
    var options: [String] = []

    func run() throws {
        let words = ["sextant-fleet", "simulate"] + options
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        // Returns only if the program cannot be started.
        _ = execvp("sextant-fleet", arguments)
        throw CommandError(
            "sextant-fleet cannot be started: \(String(cString: strerror(errno))); install sextant-fleet")
    }
}
