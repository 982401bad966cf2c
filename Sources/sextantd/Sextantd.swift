import ArgumentParser
import Glibc
import Logging
import SystemCalls
import Systemd
import Wire

/// The location service.
@main
struct Sextantd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sextantd",
        abstract: "Run the location service: read GNSS receivers and report this device's location to programs.",
        discussion: """
            Without configuration, the service finds USB and kernel GNSS receivers and listens on \
            /run/sextant/io.sextant. \
            It reads /etc/sextant/sextant.toml and /etc/sextant/conf.d/*.toml; flags override files. \
            SIGHUP reloads the configuration; SIGTERM stops the service.
            """,
        version: SextantVersion.current)

    @Option(
        help: ArgumentHelp(
            "Use the receiver at this port; may be repeated. Disables discovery of other ports.", valueName: "path"))
    var device: [String] = []

    @Option(
        help: ArgumentHelp(
            "Accept clients on this socket. Default: $SEXTANT_SOCKET, then the configuration.", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("Keep persistent state in this directory.", valueName: "dir"))
    var state: String?

    @Option(
        help: ArgumentHelp("Read only this configuration file.", valueName: "file"),
        completion: .file(extensions: ["toml"]))
    var config: String?

    @Flag(help: "Check the configuration, report errors, and exit.")
    var checkConfig = false

    /// Rejects empty paths. They result from unset variables in scripts, and "" as the state
    /// directory would mean the root of the file system.
    func validate() throws {
        for (name, value) in [("socket", socket), ("state", state), ("config", config)] + device.map({ ("device", $0) })
        where value == "" {
            throw ValidationError("--\(name) needs a path, but its value is empty.")
        }
    }

    func run() throws {
        StandardDescriptors.openMissing()
        let named = getenv("SEXTANT_SOCKET").map { String(cString: $0) }
        let sources = SettingsSources(
            file: config, socket: socket ?? named.flatMap { $0.isEmpty ? nil : $0 }, state: state, devices: device,
            checksBridges: checkConfig)
        let settings: Settings
        do {
            settings = try sources.load()
        } catch {
            report("\(error)")
            if !checkConfig { InvalidConfigurationResponder.run(error) }
            // 78 is EX_CONFIG of sysexits(3), on which the unit does not restart.
            throw ExitCode(78)
        }
        if checkConfig {
            print(
                settings.files.isEmpty
                    ? "no configuration file; using the defaults" : "good: \(settings.files.joined(separator: ", "))")
            return
        }
        LoggingSystem.bootstrap { _ in DaemonLog() }
        var log = Logger(label: "sextantd")
        log.logLevel = settings.logLevel
        do {
            let code = try Daemon(sources, settings: settings, log: log).run()
            throw ExitCode(code)
        } catch let code as ExitCode {
            throw code
        } catch {
            report("\(error)")
            throw ExitCode(1)
        }
    }

    /// Reports why the service does not start.
    private func report(_ message: String) {
        // The text quotes files, their keys and paths.
        let message = TerminalText.sanitized(message)
        // Writes to the journal with a priority if possible, so that a search for errors shows it.
        if Journal.isStandardErrorConnected, Journal.write(message, priority: .error) { return }
        let line = Array("sextantd: \(message)\n".utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
