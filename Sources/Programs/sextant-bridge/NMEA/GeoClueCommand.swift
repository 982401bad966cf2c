import ArgumentParser
import Bridges
import ServiceRuntime

/// `sextant-bridge geoclue`
struct GeoClueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "geoclue", abstract: "Give the location to GeoClue, and so to desktop programs.",
        discussion: """
            GeoClue reads sentences from a Unix socket. The bridge writes GGA and RMC together, with an HDOP from \
            which GeoClue computes no better accuracy than the location's. Without --unix the bridge uses the \
            socket of the service manager.
            """)

    @Option(help: ArgumentHelp("Accept GeoClue at this Unix socket.", valueName: "path"), completion: .file())
    var unix: String?

    @OptionGroup var options: BridgeOptions

    func run() throws {
        let sockets = unix == nil ? try BridgeListeners.claim() : []
        let listeners = if let unix { [try BridgeListeners.unix(unix)] } else { BridgeListeners.listening(sockets) }
        guard !listeners.isEmpty else { throw ValidationError("There is no socket for GeoClue: use --unix.") }
        let settings = NMEABridge.Options(
            kinds: [.gga, .rmc], talker: "GN", isForGeoClue: true, interval: nil, endsWhenIdle: unix == nil)
        try options.run { loop, log in
            let bridge = try NMEABridge(
                socket: options.daemon, listeners: listeners, senders: [], options: settings, loop: loop, log: log)
            bridge.restore(sockets.filter { !$0.isListening })
            return bridge
        }
    }
}
