import Glibc
import Logging
import ServiceRuntime
import SystemCalls
import Wire

/// The location service.
@main
enum Sextantd {
    static func main() {
        StandardDescriptors.openMissing()
        switch CommandLineOptions.read() {
        case .run(let options): exit(run(options))
        case .help: print(CommandLineOptions.help, terminator: "")
        case .version: print(SextantVersion.current)
        case .invalid(let message):
            if let message { writeError(message) }
            writeError("see 'sextantd --help'")
            // EX_USAGE of sysexits(3).
            exit(64)
        }
    }

    /// Runs the service, or checks its configuration, and returns the exit status.
    private static func run(_ options: CommandLineOptions) -> CInt {
        let named = getenv("SEXTANT_SOCKET").map { String(cString: $0) }
        let sources = SettingsSources(
            file: options.config, socket: options.socket ?? named.flatMap { $0.isEmpty ? nil : $0 },
            state: options.state, devices: options.devices, checksBridges: options.checkConfig)
        let settings: Settings
        do {
            settings = try sources.load()
        } catch {
            report("\(error)")
            if !options.checkConfig { InvalidConfigurationResponder.run(error) }
            // EX_CONFIG of sysexits(3), on which the unit does not restart.
            return 78
        }
        if options.checkConfig {
            print(
                settings.files.isEmpty
                    ? "no configuration file; using the defaults" : "good: \(settings.files.joined(separator: ", "))")
            return 0
        }
        LoggingSystem.bootstrap { _ in DaemonLog() }
        var log = Logger(label: "sextantd")
        log.logLevel = settings.logLevel
        do {
            try StateDirectory.check(settings.state)
            return try Daemon(sources, settings: settings, log: log).run()
        } catch let error as ListenerError {
            report(error.description(option: "--socket"))
            return 1
        } catch {
            report("\(error)")
            return 1
        }
    }

    /// Reports why the service does not start.
    private static func report(_ message: String) {
        // The text quotes files, their keys and paths.
        let message = TerminalText.sanitized(message)
        // Writes to the journal with a priority if possible, so that a search for errors shows it.
        if Journal.isStandardErrorConnected, Journal.write(message, priority: .error) { return }
        writeError(message)
    }

    private static func writeError(_ message: String) {
        let line = Array("sextantd: \(message)\n".utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
