import Bridges
import ServiceRuntime

/// `sextant-bridge geoclue`
struct GeoClueCommand: ProgramRole {
    private var unix: String?
    private var options = BridgeOptions()

    mutating func set(_ option: String, to value: String) throws(UsageError) {
        if option == "unix" {
            unix = try OptionValue.path(value, of: option)
        } else {
            try options.set(option, to: value)
        }
    }

    static let table = OptionTable(
        program: SextantBridge.name, role: "geoclue", usage: "[--unix PATH] [--socket PATH]",
        abstract: "Give the location to GeoClue, and so to desktop programs.",
        discussion: """
            GeoClue reads sentences from a Unix socket. The bridge writes GGA and RMC together, with an HDOP from \
            which GeoClue computes no better accuracy than the location's. Without --unix the bridge uses the \
            socket of the service manager.
            """,
        entries: [.init("unix", "PATH", .files, "Accept GeoClue at this Unix socket.")] + BridgeOptions.entries)

    func run() throws -> CInt {
        let sockets = unix == nil ? try BridgeListeners.claim() : []
        let listeners = if let unix { [try BridgeListeners.unix(unix)] } else { BridgeListeners.listening(sockets) }
        guard !listeners.isEmpty else { throw UsageError(message: "there is no socket for GeoClue: use --unix") }
        let settings = NMEABridge.Options(
            kinds: [.gga, .rmc], talker: "GN", isForGeoClue: true, interval: nil, endsWhenIdle: unix == nil)
        return try options.run { loop, log in
            let bridge = try NMEABridge(
                socket: options.daemon, listeners: listeners, senders: [], options: settings, loop: loop, log: log)
            bridge.restore(sockets.filter { !$0.isListening })
            return bridge
        }
    }
}
