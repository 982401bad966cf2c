import ArgumentParser
import Bridges
import ServiceRuntime
import Settings
import SystemCalls
import Wire

/// `sextant-bridge inlet`
struct InletCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inlet", abstract: "Use NMEA 0183 from outside as a receiver, or corrections for one.",
        discussion: """
            The service treats the sentences like those of a receiver on a port and marks them as coming from the \
            network. They are neither authenticated nor encrypted: any program that can send them decides the position.
            """)

    @Argument(help: "The name of the receiver, or with --ntrip a name of your choice.")
    var name: String

    @Option(help: ArgumentHelp("Connect to this TCP server and read sentences.", valueName: "host:port"))
    var tcp: String?

    @Option(
        name: .customLong("tcp-listen"),
        help: ArgumentHelp("Accept programs that send sentences at this TCP address.", valueName: "host:port"))
    var tcpListen: String?

    @Option(
        name: .customLong("udp-listen"),
        help: ArgumentHelp(
            "Receive sentences at this UDP address, which may be a multicast address.", valueName: "host:port"))
    var udpListen: String?

    @Option(help: ArgumentHelp("Read the sentences of this gpsd.", valueName: "host:port"))
    var gpsd: String?

    @Option(
        help: ArgumentHelp("Read a named pipe or a file; - is standard input.", valueName: "path"),
        completion: .file())
    var file: String?

    @Option(
        help: ArgumentHelp(
            "Fetch corrections from this caster and write them to a receiver.", valueName: "ntrip://user@host/stream"))
    var ntrip: String?

    @Option(
        help: ArgumentHelp("Read the password for the caster from this file.", valueName: "path"), completion: .file())
    var passwordFile: String?

    @Option(
        help: ArgumentHelp("Write corrections to this receiver (default: the primary one).", valueName: "name"))
    var receiver: String?

    @Flag(help: "Use the options in the section [inlet.NAME] of sextant.toml.")
    var configured = false

    @Option(help: ArgumentHelp("Show this text as the product of the receiver.", valueName: "text"))
    var product: String?

    @Option(
        help: ArgumentHelp(
            "Use only these sentences, separated by commas: RMC, or GNRMC of one talker.", valueName: "list"))
    var sentences: String?

    @Flag(help: "Use all senders at the same time. By default another one is used after 10 s of silence.")
    var allSources = false

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var options: BridgeOptions

    private var types: [String]? { sentences.map { $0.split(separator: ",").map { $0.uppercased() } } }

    private func sources() throws(ValidationError) -> [BridgeSettings.Inlet.Source] {
        var caster: NTRIPAddress?
        if let ntrip {
            do throws(NTRIPAddress.Invalid) { caster = try NTRIPAddress(ntrip) } catch {
                throw ValidationError("--ntrip: \(error.reason)")
            }
        }
        let sources: [BridgeSettings.Inlet.Source?] = [
            tcp.map { .tcp($0) }, tcpListen.map { .tcpListen($0) }, udpListen.map { .udpListen($0) },
            gpsd.map { .gpsd($0) }, file.map { .file($0) },
            caster.map { .ntrip($0) },
        ]
        return sources.compactMap { $0 }
    }

    func validate() throws {
        guard FeedParameters.isName(name) else {
            throw ValidationError("The name needs 1 to 64 letters, digits, dots, hyphens and underscores.")
        }
        guard FeedParameters(name: name, product: product).hasDisplayableProduct else {
            throw ValidationError("--product needs at most 255 bytes without control characters.")
        }
        guard SentencesParameters(types: types).hasValidTypes else {
            throw ValidationError("--sentences needs types such as RMC or GNRMC.")
        }
        guard ntrip != nil || configured || passwordFile == nil && receiver == nil else {
            throw ValidationError("--password-file and --receiver belong to --ntrip.")
        }
        guard ntrip == nil || product == nil && sentences == nil && !allSources else {
            throw ValidationError("--product, --sentences and --all-sources do not apply to --ntrip.")
        }
        guard try sources().count == (configured ? 0 : 1) else {
            throw ValidationError(
                "Use one of --tcp, --tcp-listen, --udp-listen, --gpsd, --file, --ntrip and --configured.")
        }
    }

    func run() throws {
        let settings = try settings()
        switch settings.source {
        case .ntrip(let address): try fetchCorrections(from: address, settings)
        case .tcp(let address):
            let host = try InletCommand.host(address)
            try read(settings) { TCPClientSource(host, request: [], in: $0, handler: $1) }
        case .gpsd(let address):
            let host = try InletCommand.host(address)
            try read(settings) { TCPClientSource(host, request: TCPClientSource.gpsdRequest, in: $0, handler: $1) }
        case .tcpListen(let address):
            try read(settings) { try TCPServerSource(try BridgeListeners.allTCP([address]), in: $0, handler: $1) }
        case .udpListen(let address):
            try read(settings) { try DatagramSource(try NetworkAddress(address), in: $0, handler: $1) }
        case .file(let path): try read(settings) { try PipeSource(path, in: $0, handler: $1) }
        }
    }

    private func fetchCorrections(from address: NTRIPAddress, _ settings: BridgeSettings.Inlet) throws {
        let password = try settings.passwordFile.map(PasswordFile.read) ?? ""
        try options.run { loop, log in
            try NTRIPBridge(
                address, password: password, receiver: settings.receiver, socket: options.daemon, loop: loop, log: log)
        }
    }

    private func read(
        _ settings: BridgeSettings.Inlet,
        from open: (EventLoop, @escaping (InletEvent) -> Void) throws -> any InletSource
    ) throws {
        try options.run { loop, log in
            try InletBridge(
                FeedParameters(name: name, product: settings.product), socket: options.daemon,
                sentences: SentenceSources(acceptsAll: settings.allSources, types: settings.sentences), loop: loop,
                log: log
            ) { handler in try open(loop, handler) }
        }
    }

    /// The settings of the command line, or those of the section.
    private func settings() throws -> BridgeSettings.Inlet {
        if configured {
            guard let section = try configuration.load().inlet[name] else {
                throw BridgeError.missingSection("inlet.\(name)")
            }
            return section
        }
        guard let source = try sources().first else { throw ValidationError("There is no source.") }
        var settings = BridgeSettings.Inlet(source: source)
        settings.product = product
        settings.allSources = allSources
        settings.sentences = types
        settings.passwordFile = passwordFile
        settings.receiver = receiver
        return settings
    }

    private static func host(_ text: String) throws(BridgeError) -> HostPort {
        guard let host = HostPort(text), host.isHost else { throw .invalidHost(text) }
        return host
    }
}
