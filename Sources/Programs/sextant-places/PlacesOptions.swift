import Places
import SystemCalls

/// The options of the command line of `sextant-places`.
struct PlacesOptions: Equatable {
    /// The path of the socket that is created if the service manager passes none.
    var socket = PlacesOptions.defaultSocket
    /// The folder of the data.
    var data: String?
    /// The folder of the places that programs add.
    var state: String?

    /// The default path of the socket, which its unit uses too.
    static let defaultSocket = "/run/sextant/io.sextant.Places"
    /// The default path of the daemon's socket.
    static let defaultDaemon = "/run/sextant/io.sextant"
    /// The default folder of the places that programs add.
    static let defaultState = "/var/lib/sextant-own-places"

    /// What the command line asks for.
    enum Request: Equatable {
        case run(PlacesOptions)
        case help
        case version
        /// It is not understood. `message` is nil if `getopt_long` has written it.
        case invalid(message: String?)
    }

    /// The text of `--help`.
    static let help = """
        Usage: sextant-places [--socket PATH] [--data DIR] [--state DIR]

        Serve names of positions over a Varlink socket.

        The service manager starts it for the first connection. It ends when no program is connected.
        The data is imported with "sextant places import".

        Options:
          --socket PATH  Create this socket if the service manager passes none.
                         Default: \(defaultSocket).
          --data DIR     Read the data in this folder.
                         Default: $SEXTANT_PLACES, else \(PlacesFolder.defaultPath).
          --state DIR    Keep the places that programs add in this folder.
                         Default: $STATE_DIRECTORY, else \(defaultState).
          --version      Show the version.
          -h, --help     Show this help.

        """

    /// Reads the arguments of this process.
    static func read() -> Request {
        let arguments = LongOptions([
            ("socket", "s", true), ("data", "d", true), ("state", "t", true), ("version", "v", false),
            ("help", "h", false),
        ])
        var options = PlacesOptions()
        do throws(LongOptions.Failure) {
            while let (code, value) = try arguments.next() {
                switch code {
                case "s": options.socket = value
                case "d": options.data = value
                case "t": options.state = value
                case "v": return .version
                default: return .help
                }
            }
        } catch {
            return .invalid(message: error.message)
        }
        // Empty paths result from unset variables in scripts.
        let paths = [("socket", options.socket), ("data", options.data), ("state", options.state)]
        if let (name, _) = paths.first(where: { $0.1 == "" }) {
            return .invalid(message: "--\(name) needs a path, but its value is empty")
        }
        return .run(options)
    }
}
