import SystemCalls

/// The options of the command line of `sextantd`.
struct CommandLineOptions: Equatable {
    /// The ports of `--device`.
    var devices: [String] = []
    var socket: String?
    var state: String?
    /// The only configuration file to read.
    var config: String?
    var checkConfig = false

    /// What the command line asks for.
    enum Request: Equatable {
        case run(CommandLineOptions)
        case help
        case version
        /// It is not understood. `message` is nil if `getopt_long` has written it.
        case invalid(message: String?)
    }

    /// The text of `--help`.
    static let help = """
        Usage: sextantd [--device PATH]... [--socket PATH] [--state DIR] [--config FILE] [--check-config]

        Run the location service: read GNSS receivers and report this device's location to programs.

        Without configuration, the service finds USB and kernel GNSS receivers and listens on
        /run/sextant/io.sextant. It reads /etc/sextant/sextant.toml and /etc/sextant/conf.d/*.toml; options
        override files. SIGHUP reloads the configuration; SIGTERM stops the service.

        Options:
          --device PATH   Use the receiver at this port; may be repeated. Disables discovery of other ports.
          --socket PATH   Accept clients on this socket. Default: $SEXTANT_SOCKET, then the configuration.
          --state DIR     Keep persistent state in this directory.
          --config FILE   Read only this configuration file.
          --check-config  Check the configuration, report errors, and exit.
          --version       Show the version.
          -h, --help      Show this help.

        """

    private static let known: [(name: StaticString, code: Character, hasValue: Bool)] = [
        ("device", "d", true), ("socket", "s", true), ("state", "t", true), ("config", "c", true),
        ("check-config", "k", false), ("version", "v", false), ("help", "h", false),
    ]

    /// Reads the arguments of this process.
    static func read() -> Request {
        let arguments = LongOptions(known)
        var options = CommandLineOptions()
        do throws(LongOptions.Failure) {
            while let (code, value) = try arguments.next() {
                switch code {
                case "d": options.devices.append(value)
                case "s": options.socket = value
                case "t": options.state = value
                case "c": options.config = value
                case "k": options.checkConfig = true
                case "v": return .version
                default: return .help
                }
            }
        } catch {
            return .invalid(message: error.message)
        }
        if let name = options.emptyPath {
            return .invalid(message: "--\(name) needs a path, but its value is empty")
        }
        return .run(options)
    }

    /// The first option with an empty path. Empty paths result from unset variables in scripts, and
    /// "" as the state directory would mean the root of the file system.
    private var emptyPath: String? {
        let paths = [("socket", socket), ("state", state), ("config", config)] + devices.map { ("device", $0) }
        return paths.first { $0.1 == "" }?.0
    }
}
