import Bridges
import ServiceRuntime
import Settings
import SystemCalls

/// `sextant-bridge nmea`
struct NMEACommand: ProgramRole {
    private var tcp: [String] = []
    private var udp: [String] = []
    private var unix: String?
    private var pty: String?
    private var configured: String?
    private var kinds: [SentenceKind]?
    private var talker: String?
    private var interval: Double?
    private var options = BridgeOptions()

    mutating func set(_ option: String, to value: String) throws(UsageError) {
        switch option {
        case "tcp": tcp.append(value)
        case "udp": udp.append(value)
        case "unix": unix = try OptionValue.path(value, of: option)
        case "pty": pty = try OptionValue.path(value, of: option)
        case "configured": configured = value
        case "sentences": kinds = try NMEACommand.kinds(value)
        case "talker":
            guard value.utf8.count == 2, value.utf8.allSatisfy({ (65...90).contains($0) }) else {
                throw UsageError(message: "--talker needs two capital letters, such as GP")
            }
            talker = value
        case "interval": interval = try OptionValue.number(value, 1...3600, "seconds", of: option)
        default: try options.set(option, to: value)
        }
    }

    static let table = OptionTable(
        program: SextantBridge.name, role: "nmea", usage: "[options]",
        abstract: "Send the location as NMEA 0183 sentences.",
        discussion: """
            The sentences are written from the location; they are not those of the receiver. Receivers stay on while \
            a program is connected, and always with --udp and --pty. Without these options and --unix the bridge uses \
            the sockets of the service manager.
            """,
        entries: [
            .init("tcp", "HOST:PORT", "Accept clients at this TCP address; may be repeated."),
            .init(
                "udp", "HOST:PORT",
                "Send to this UDP address, which may be a broadcast or multicast address; may be repeated."),
            .init("unix", "PATH", .files, "Accept clients at this Unix socket."),
            .init("pty", "LINK", .files, "Write to a pseudo-terminal, and create this link to it."),
            .init(
                "configured", "NAME",
                "Use the options in the section [nmea.NAME] of sextant.toml, besides those given here."),
            .init(
                "sentences", "LIST", "Write these sentences, separated by commas: rmc, gga, gsa, gsv, vtg, gst, zda."),
            .init("talker", "LETTERS", "Begin sentences with this talker (default: GP)."),
            .init("interval", "SECONDS", "Write at most once in this many seconds."),
            BridgeOptions.configEntry,
        ] + BridgeOptions.entries)

    func run() throws -> CInt {
        let section = try section()
        let tcp = tcp.isEmpty ? section.tcp : tcp
        let udp = udp.isEmpty ? section.udp : udp
        let (unix, pty) = (unix ?? section.unix, pty ?? section.pty)
        // Sockets of the service manager are those of a unit, which has a section or none.
        let mayBeManaged = self.tcp.isEmpty && self.udp.isEmpty && self.unix == nil && self.pty == nil
        let sockets = mayBeManaged ? try BridgeListeners.claim() : []
        var listeners = BridgeListeners.listening(sockets)
        let endsWhenIdle = !listeners.isEmpty && tcp.isEmpty && udp.isEmpty && unix == nil && pty == nil
        listeners += try BridgeListeners.allTCP(tcp)
        if let unix { listeners.append(try BridgeListeners.unix(unix)) }
        var senders: [DatagramSender] = []
        for address in udp { senders.append(try DatagramSender(address)) }
        let terminal = try pty.map { try TerminalSender(link: $0) }
        guard !listeners.isEmpty || !senders.isEmpty || terminal != nil else {
            if let configured { throw BridgeError.missingSection("nmea.\(configured)", file: options.config) }
            throw UsageError(message: "nothing to send to: use --tcp, --udp, --unix or --pty")
        }
        let settings = NMEABridge.Options(
            kinds: kinds ?? section.sentences?.compactMap(SentenceKind.init) ?? NMEACommand.standardKinds,
            talker: talker ?? section.talker ?? "GP", isForGeoClue: false, interval: interval ?? section.interval,
            endsWhenIdle: endsWhenIdle)
        return try options.run { loop, log in
            let bridge = try NMEABridge(
                socket: options.daemon, listeners: listeners, senders: senders, terminal: terminal,
                options: settings, loop: loop, log: log)
            bridge.restore(sockets.filter { !$0.isListening })
            return bridge
        }
    }

    /// The section of the configuration; without one the defaults.
    private func section() throws(BridgeError) -> BridgeSettings.NMEA {
        guard let configured else { return BridgeSettings.NMEA() }
        return try options.load().nmea[configured] ?? BridgeSettings.NMEA()
    }

    private static func kinds(_ list: String) throws(UsageError) -> [SentenceKind] {
        let kinds = list.split(separator: ",").map { (name: $0, kind: SentenceKind(rawValue: $0.lowercased())) }
        if let unknown = kinds.first(where: { $0.kind == nil }) {
            throw UsageError(message: "\(unknown.name) is not a sentence that the bridge writes")
        }
        guard !kinds.isEmpty else { throw UsageError(message: "--sentences needs at least one sentence") }
        return kinds.compactMap(\.kind)
    }

    private static let standardKinds: [SentenceKind] = [.rmc, .gga, .gsa, .gsv, .vtg]
}

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
