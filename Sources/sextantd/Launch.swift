import Glibc
import Logging
import Wire

/// The service as a command line asks for it, and the way from there to a daemon that serves.
struct Launch: Equatable {
    /// `--device`, in their order.
    var devices: [String] = []
    /// `--socket`.
    var socket: String?
    /// `--state`.
    var state: String?
    /// `--config`.
    var config: String?

    init() {}

    /// The command line of a service that is simply to run: the four options above, each with its value, none but `--device` twice.
    /// Nil where anything else is said, good or bad; ArgumentParser answers that.
    ///
    /// ArgumentParser is not asked first, because what it touches stays with a process that runs for months: 100 kB of private memory.
    init?(plain words: some Sequence<String>) {
        var words = words.makeIterator()
        while let word = words.next() {
            guard let value = words.next(), !value.isEmpty, !value.hasPrefix("-") else { return nil }
            switch word {
            case "--device": devices.append(value)
            case "--socket" where socket == nil: socket = value
            case "--state" where state == nil: state = value
            case "--config" where config == nil: config = value
            default: return nil
            }
        }
    }

    /// Serves until told to end; returns the process's exit code.
    func run() -> Int32 {
        let sources = sources
        guard let settings = settings(sources) else { return Launch.badConfiguration }
        LoggingSystem.bootstrap { _ in DaemonLog() }
        var log = Logger(label: "sextantd")
        log.logLevel = settings.logLevel
        do {
            return try Daemon(sources, settings, log).run()
        } catch {
            Launch.complain("\(error)")
            return 1
        }
    }

    /// Says whether the configuration is good; returns the process's exit code.
    func check() -> Int32 {
        guard let settings = settings(sources) else { return Launch.badConfiguration }
        print(settings.files.isEmpty ? "no configuration file; the defaults hold" : "good: \(settings.files.joined(separator: ", "))")
        return 0
    }

    /// EX_CONFIG of sysexits(3), which the unit does not restart on.
    private static let badConfiguration: Int32 = 78

    private var sources: SettingsSources {
        let named = getenv("SEXTANT_SOCKET").map { String(cString: $0) }
        return SettingsSources(file: config, socket: socket ?? named.flatMap { $0.isEmpty ? nil : $0 }, state: state, devices: devices)
    }

    private func settings(_ sources: SettingsSources) -> Settings? {
        do {
            return try sources.load()
        } catch {
            Launch.complain("\(error)")
            return nil
        }
    }

    private static func complain(_ words: String) {
        let line = Array("sextantd: \(words)\n".utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
