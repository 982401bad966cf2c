import ArgumentParser
import Glibc
import Wire

/// The location service.
@main
struct Sextantd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sextantd",
        abstract: "The location service: reads GNSS receivers and tells programs where this device is.",
        discussion: """
            With nothing configured it finds USB and kernel GNSS receivers by itself and listens on /run/sextant/io.sextant. \
            Settings come from /etc/sextant/sextant.toml and /etc/sextant/conf.d/*.toml; flags win over files. \
            SIGHUP reads them again, SIGTERM ends the service.
            """,
        version: SextantVersion.current)

    @Option(help: ArgumentHelp("A receiver's port; may be given again. With it no other ports are looked for.", valueName: "path"))
    var device: [String] = []

    @Option(help: ArgumentHelp("Where clients connect; else $SEXTANT_SOCKET says, else the configuration.", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("Directory for what is remembered.", valueName: "dir"))
    var state: String?

    @Option(help: ArgumentHelp("Read this file and no other.", valueName: "file"), completion: .file(extensions: ["toml"]))
    var config: String?

    @Flag(help: "Check the configuration, say what is wrong, and end.")
    var checkConfig = false

    static func main() {
        if let launch = Launch(plain: CommandLine.arguments.dropFirst()) { Glibc.exit(launch.run()) }
        main(nil)
    }

    func run() throws {
        throw ExitCode(checkConfig ? launch.check() : launch.run())
    }

    var launch: Launch {
        var launch = Launch()
        (launch.devices, launch.socket, launch.state, launch.config) = (device, socket, state, config)
        return launch
    }
}
