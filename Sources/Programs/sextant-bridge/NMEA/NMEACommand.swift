import ArgumentParser
import Bridges
import ServiceRuntime
import Settings
import SystemCalls

/// `sextant-bridge nmea`
struct NMEACommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nmea", abstract: "Send the location as NMEA 0183 sentences.",
        discussion: """
            The sentences are written from the location; they are not those of the receiver. Receivers stay on while \
            a program is connected, and always with --udp and --pty. Without these options and --unix the bridge uses \
            the sockets of the service manager.
            """)

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Accept clients at these TCP addresses; may be repeated.", valueName: "host:port"))
    var tcp: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Send to this UDP address, which may be a broadcast or multicast address; may be repeated.",
            valueName: "host:port"))
    var udp: [String] = []

    @Option(help: ArgumentHelp("Accept clients at this Unix socket.", valueName: "path"), completion: .file())
    var unix: String?

    @Option(
        help: ArgumentHelp("Write to a pseudo-terminal, and create this link to it.", valueName: "link"),
        completion: .file())
    var pty: String?

    @Option(
        help: ArgumentHelp(
            "Use the options in the section [nmea.NAME] of sextant.toml, besides those given here.",
            valueName: "name"))
    var configured: String?

    @Option(
        help: ArgumentHelp(
            "Write these sentences, separated by commas: rmc, gga, gsa, gsv, vtg, gst, zda.", valueName: "list"))
    var sentences: String?

    @Option(help: ArgumentHelp("Begin sentences with this talker (default: GP).", valueName: "letters"))
    var talker: String?

    @Option(help: ArgumentHelp("Write at most once in this many seconds.", valueName: "seconds"))
    var interval: Double?

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var options: BridgeOptions

    func validate() throws {
        if let talker, talker.utf8.count != 2 || !talker.utf8.allSatisfy({ (65...90).contains($0) }) {
            throw ValidationError("--talker needs two capital letters, such as GP.")
        }
        if let interval, !(1...3600).contains(interval) {
            throw ValidationError("--interval must be between 1 and 3600 seconds.")
        }
        _ = try kinds()
    }

    func run() throws {
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
            if let configured { throw BridgeError.missingSection("nmea.\(configured)") }
            throw ValidationError("Nothing to send to: use --tcp, --udp, --unix or --pty.")
        }
        let settings = NMEABridge.Options(
            kinds: try kinds() ?? section.sentences?.compactMap(SentenceKind.init) ?? NMEACommand.standardKinds,
            talker: talker ?? section.talker ?? "GP", isForGeoClue: false, interval: interval ?? section.interval,
            endsWhenIdle: endsWhenIdle)
        try options.run { loop, log in
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
        return try configuration.load().nmea[configured] ?? BridgeSettings.NMEA()
    }

    private func kinds() throws -> [SentenceKind]? {
        guard let sentences else { return nil }
        let kinds = sentences.split(separator: ",").map { (name: $0, kind: SentenceKind(rawValue: $0.lowercased())) }
        if let unknown = kinds.first(where: { $0.kind == nil }) {
            throw ValidationError("\(unknown.name) is not a sentence that the bridge writes.")
        }
        guard !kinds.isEmpty else { throw ValidationError("--sentences needs at least one sentence.") }
        return kinds.compactMap(\.kind)
    }

    private static let standardKinds: [SentenceKind] = [.rmc, .gga, .gsa, .gsv, .vtg]
}
