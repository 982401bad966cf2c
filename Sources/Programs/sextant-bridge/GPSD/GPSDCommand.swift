import Glibc
import ServiceRuntime
import Settings

/// `sextant-bridge gpsd`
struct GPSDCommand: ProgramRole {
    private var isConfigured = false
    private var listen: [String] = []
    private var release: String?
    private var options = BridgeOptions()

    mutating func set(_ option: String, to value: String) throws(UsageError) {
        switch option {
        case "configured": isConfigured = true
        case "listen": listen.append(value)
        case "release": release = value
        default: try options.set(option, to: value)
        }
    }

    static let table = OptionTable(
        program: SextantBridge.name, role: "gpsd",
        usage: "[--configured] [--listen HOST:PORT]... [--release VERSION] [--config FILE] [--socket PATH]",
        abstract: "Serve programs that are written for gpsd.",
        discussion: """
            Without --listen, the bridge uses the sockets of the service manager, else 127.0.0.1:2947 and [::1]:2947. \
            Receivers stay on while a program watches, and a program that only polls gets the purpose "default".
            """,
        entries: [
            .init("configured", "Use the options in the section [gpsd] of sextant.toml, besides those given here."),
            .init("listen", "HOST:PORT", "Accept clients at this address; may be repeated."),
            .init(
                "release", "VERSION", "State this release of gpsd (default: 3.22); cgps waits if it has another one."),
            BridgeOptions.configEntry,
        ] + BridgeOptions.entries)

    /// The release in Debian 12.
    private static let standardRelease = "3.22"
    /// gpsd's own addresses.
    private static let addresses = ["127.0.0.1:2947", "[::1]:2947"]

    func run() throws -> CInt {
        let section = isConfigured ? try options.load().gpsd : nil
        let sockets = listen.isEmpty ? try BridgeListeners.claim() : []
        let passed = BridgeListeners.listening(sockets)
        let addresses = listen.isEmpty ? section?.listen ?? [] : listen
        let own = try BridgeListeners.allTCP(addresses)
        let listeners =
            passed.isEmpty && own.isEmpty ? try BridgeListeners.availableTCP(GPSDCommand.addresses) : passed + own
        return try options.run { loop, log in
            let bridge = try GPSDBridge(
                socket: options.daemon, listeners: listeners,
                release: release ?? section?.release ?? GPSDCommand.standardRelease,
                endsWhenIdle: !passed.isEmpty && own.isEmpty, loop: loop, log: log)
            bridge.restore(sockets.filter { !$0.isListening })
            return bridge
        }
    }
}
