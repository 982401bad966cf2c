@preconcurrency import CLinux
@preconcurrency import Glibc

/// The options of the command line of `sextantd`, read by `getopt_long`.
///
/// The other programs use ArgumentParser. Here its types would stay in private memory for as long
/// as the service runs: see decision 0013.
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
        let options = known.map { known in
            option(
                name: UnsafeRawPointer(known.name.utf8Start).assumingMemoryBound(to: CChar.self),
                has_arg: known.hasValue ? required_argument : no_argument, flag: nil,
                val: CInt(known.code.asciiValue ?? 0))
        }
        return read(options + [option()])
    }

    private static func read(_ known: [option]) -> Request {
        var options = CommandLineOptions()
        while true {
            let code = getopt_long(CommandLine.argc, CommandLine.unsafeArgv, "h", known, nil)
            guard code != -1 else { break }
            // A path with other bytes would name another file.
            guard let value = optarg.map({ String(validatingCString: $0) }) ?? "" else {
                return .invalid(message: "the value of an option is not UTF-8 text")
            }
            switch UInt8(exactly: code).map({ Character(Unicode.Scalar($0)) }) {
            case "d": options.devices.append(value)
            case "s": options.socket = value
            case "t": options.state = value
            case "c": options.config = value
            case "k": options.checkConfig = true
            case "v": return .version
            case "h": return .help
            default: return .invalid(message: nil)
            }
        }
        if optind < CommandLine.argc, let argument = CommandLine.unsafeArgv[Int(optind)] {
            return .invalid(message: "unexpected argument '\(String(cString: argument))'")
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
