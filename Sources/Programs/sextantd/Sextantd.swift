import Glibc
import Logging
import ServiceRuntime
import SystemCalls
import sextant_beacons
import sextant_bridge
import sextant_places

/// The location service.
@main
struct Sextantd: ProgramRole {
    private var devices: [String] = []
    private var socket: String?
    private var state: String?
    private var config: String?
    private var checksConfiguration = false

    static func main() {
        // Other services are links to this program.
        switch CommandLine.arguments.first?.split(separator: "/").last {
        case SextantBeacons.name?: return SextantBeacons.main()
        case SextantBridge.name?: return SextantBridge.main()
        case SextantPlaces.name?: return SextantPlaces.main()
        default: break
        }
        RoleProgram([Sextantd.self], abstract: table.abstract, version: SextantVersion.current).run()
    }

    mutating func set(_ option: String, to value: String) throws(UsageError) {
        switch option {
        case "device": devices.append(try OptionValue.path(value, of: option))
        case "socket": socket = try OptionValue.path(value, of: option)
        case "state": state = try OptionValue.path(value, of: option)
        case "config": config = try OptionValue.path(value, of: option)
        default: checksConfiguration = true
        }
    }

    /// Runs the service, or checks its configuration, and returns the exit status.
    func run() throws -> CInt {
        let sources = SettingsSources(
            file: config, socket: socket ?? ServiceSocket.named, state: state, devices: devices,
            checksOthers: checksConfiguration)
        // The text of an error quotes files, their keys and paths.
        let report = ProgramLog(name: "sextantd")
        let settings: Settings
        do {
            settings = try sources.load()
        } catch {
            report.write("\(error)", priority: .error)
            if !checksConfiguration { InvalidConfigurationResponder.run(error) }
            // EX_CONFIG of sysexits(3), on which the unit does not restart.
            return 78
        }
        if checksConfiguration {
            print(
                settings.files.isEmpty
                    ? "no configuration file; using the defaults" : "good: \(settings.files.joined(separator: ", "))")
            return 0
        }
        LoggingSystem.bootstrap { _ in DaemonLog() }
        var log = Logger(label: "sextantd")
        log.logLevel = settings.logLevel
        try StateDirectory.check(settings.state)
        do {
            return try Daemon(sources, settings: settings, log: log).run()
        } catch let error as ListenerError {
            report.write(error.description(option: "--socket"), priority: .error)
            return 1
        }
    }

    static let table = OptionTable(
        program: "sextantd",
        usage: "[--device PATH]... [--socket PATH] [--state DIR] [--config FILE] [--check-config]",
        abstract: "Run the location service: read GNSS receivers and report this device's location to programs.",
        discussion: """
            Without configuration, the service finds USB and kernel GNSS receivers and listens on \
            /run/sextant/io.sextant. It reads /etc/sextant/sextant.toml and /etc/sextant/conf.d/*.toml; options \
            override files. SIGHUP reloads the configuration; SIGTERM stops the service.
            """,
        entries: [
            .init(
                "device", "PATH", .files,
                "Use the receiver at this port; may be repeated. Disables discovery of other ports."),
            .init(
                "socket", "PATH", .files,
                "Accept clients on this socket. Default: $SEXTANT_SOCKET, then the configuration."),
            .init("state", "DIR", .folders, "Keep persistent state in this directory."),
            .init("config", "FILE", .files, "Read only this configuration file."),
            .init("check-config", "Check the configuration, report errors, and exit."),
        ])
}
