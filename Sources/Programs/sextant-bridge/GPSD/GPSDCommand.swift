import ArgumentParser
import Glibc
import ServiceRuntime
import Settings
import SystemCalls

/// `sextant-bridge gpsd`
struct GPSDCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gpsd", abstract: "Serve programs that are written for gpsd.",
        discussion: """
            Without --listen, the bridge uses the sockets of the service manager, else 127.0.0.1:2947 and [::1]:2947. \
            Receivers stay on while a program watches, and a program that only polls gets the purpose "default".
            """)

    @Flag(help: "Use the options in the section [gpsd] of sextant.toml, besides those given here.")
    var configured = false

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Accept clients at these addresses; may be repeated.", valueName: "host:port"))
    var listen: [String] = []

    @Option(
        help: ArgumentHelp(
            "State this release of gpsd (default: 3.22); cgps waits if it has another one.", valueName: "version"))
    var release: String?

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var options: BridgeOptions

    /// The release in Debian 12.
    private static let standardRelease = "3.22"
    /// gpsd's own addresses.
    private static let addresses = ["127.0.0.1:2947", "[::1]:2947"]

    func run() throws {
        let section = configured ? try configuration.load().gpsd : nil
        let sockets = listen.isEmpty ? try BridgeListeners.claim() : []
        let passed = BridgeListeners.listening(sockets)
        let addresses = listen.isEmpty ? section?.listen ?? [] : listen
        let own = try BridgeListeners.allTCP(addresses)
        let listeners =
            passed.isEmpty && own.isEmpty ? try BridgeListeners.availableTCP(GPSDCommand.addresses) : passed + own
        try options.run { loop, log in
            let bridge = try GPSDBridge(
                socket: options.daemon, listeners: listeners,
                release: release ?? section?.release ?? GPSDCommand.standardRelease,
                endsWhenIdle: !passed.isEmpty && own.isEmpty, loop: loop, log: log)
            bridge.restore(sockets.filter { !$0.isListening })
            return bridge
        }
    }
}
