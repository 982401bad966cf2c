import ArgumentParser
import Glibc
import SystemCalls
import Systemd

/// `sextant-bridge gpsd`
struct GPSDCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gpsd", abstract: "Serve programs that are written for gpsd.",
        discussion: """
            Without --listen, the bridge uses the sockets of the service manager, else 127.0.0.1:2947 and [::1]:2947. \
            Receivers stay on while a program watches, and a program that only polls gets the purpose "default".
            """)

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Accept clients at these addresses; may be repeated.", valueName: "host:port"))
    var listen: [String] = []

    @Option(help: ArgumentHelp("State this release of gpsd; cgps waits if it has another one.", valueName: "version"))
    var release = "3.22"

    @OptionGroup var options: BridgeOptions

    /// gpsd's own addresses.
    private static let addresses = ["127.0.0.1:2947", "[::1]:2947"]

    func run() throws {
        let sockets = listen.isEmpty ? try BridgeListeners.claim() : []
        let passed = BridgeListeners.listening(sockets)
        let listeners =
            !passed.isEmpty
            ? passed
            : listen.isEmpty
                ? try BridgeListeners.availableTCP(GPSDCommand.addresses) : try BridgeListeners.allTCP(listen)
        try options.run { loop, log in
            let bridge = try GPSDBridge(
                socket: options.daemon, listeners: listeners, release: release, endsWhenIdle: !passed.isEmpty,
                loop: loop, log: log)
            bridge.restore(sockets.filter { !$0.isListening })
            return bridge
        }
    }
}
