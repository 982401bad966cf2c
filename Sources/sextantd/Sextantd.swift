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

    /// An empty path is a variable that a script forgot to set; "" as the state would be the root of the file system.
    func validate() throws {
        for (name, value) in [("socket", socket), ("state", state), ("config", config)] + device.map({ ("device", $0) }) where value == "" {
            throw ValidationError("--\(name) needs a path, and was given an empty one.")
        }
    }

    func run() throws {
        StandardDescriptors.fill()
        let named = getenv("SEXTANT_SOCKET").map { String(cString: $0) }
        let sources = SettingsSources(
            file: config, socket: socket ?? named.flatMap { $0.isEmpty ? nil : $0 }, state: state, devices: device)
        let settings: Settings
        do {
            settings = try sources.load()
        } catch {
            // 78: EX_CONFIG of sysexits(3), which the unit does not restart on.
            try fail("\(error)", 78)
        }
        if checkConfig {
            print(settings.files.isEmpty ? "no configuration file; the defaults hold" : "good: \(settings.files.joined(separator: ", "))")
            return
        }
        LoggingSystem.bootstrap { _ in DaemonLog() }
        var log = Logger(label: "sextantd")
        log.logLevel = settings.logLevel
        do {
            let code = try Daemon(sources, settings, log).run()
            throw ExitCode(code)
        } catch let code as ExitCode {
            throw code
        } catch {
            try fail("\(error)", 1)
        }
    }

    private func fail(_ words: String, _ code: Int32) throws -> Never {
        // With its priority where it can have one: who asks the journal for errors shall find why the service is not there.
        if Journal.isStandardError, Journal.write(.error, words) { throw ExitCode(code) }
        let line = Array("sextantd: \(words)\n".utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        throw ExitCode(code)
    }
}
