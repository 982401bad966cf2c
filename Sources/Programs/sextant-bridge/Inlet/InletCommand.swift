import Bridges
import ServiceRuntime
import Settings
import SextantAPI

/// `sextant-bridge inlet`
struct InletCommand: ProgramRole {
    private var name = ""
    private var sources: [BridgeSettings.Inlet.Source] = []
    private var passwordFile: String?
    private var authorities: String?
    private var receiver: String?
    private var isConfigured = false
    private var product: String?
    private var types: [String]?
    private var acceptsAllSources = false
    private var options = BridgeOptions()

    mutating func set(_ option: String, to value: String) throws(UsageError) {
        switch option {
        case "tcp": sources.append(.tcp(value))
        case "tcp-listen": sources.append(.tcpListen(value))
        case "udp-listen": sources.append(.udpListen(value))
        case "gpsd": sources.append(.gpsd(value))
        case "file": sources.append(.file(try OptionValue.path(value, of: option)))
        case "ntrip":
            do throws(NTRIPAddress.Invalid) { sources.append(.ntrip(try NTRIPAddress(value))) } catch {
                throw UsageError(message: "--ntrip: \(error.reason)")
            }
        case "password-file": passwordFile = try OptionValue.path(value, of: option)
        case "ca-file": authorities = try OptionValue.path(value, of: option)
        case "receiver": receiver = value
        case "configured": isConfigured = true
        case "product": product = value
        case "sentences": types = value.split(separator: ",").map { $0.uppercased() }
        case "all-sources": acceptsAllSources = true
        default: try options.set(option, to: value)
        }
    }

    mutating func set(operands: [String]) throws(UsageError) {
        guard operands.count == 1 else { throw UsageError(message: "the role needs one name besides its options") }
        name = operands[0]
    }

    static let table = OptionTable(
        program: SextantBridge.name, role: "inlet", usage: "[options] NAME",
        abstract: "Use NMEA 0183 from outside as a receiver, or corrections for one.",
        discussion: """
            NAME is the name of the receiver, or with --ntrip a name of your choice. The service treats the sentences \
            like those of a receiver on a port and marks them as coming from the network. They are neither \
            authenticated nor encrypted: any program that can send them decides the position.
            """,
        entries: [
            .init("tcp", "HOST:PORT", "Connect to this TCP server and read sentences."),
            .init("tcp-listen", "HOST:PORT", "Accept programs that send sentences at this TCP address."),
            .init(
                "udp-listen", "HOST:PORT",
                "Receive sentences at this UDP address, which may be a multicast address."),
            .init("gpsd", "HOST:PORT", "Read the sentences of this gpsd."),
            .init("file", "PATH", .files, "Read a named pipe or a file; - is standard input."),
            .init(
                "ntrip", "ntrip://USER@HOST/STREAM",
                "Fetch corrections from this caster and write them to a receiver; with ntrips:// over TLS."),
            .init("password-file", "PATH", .files, "Read the password for the caster from this file."),
            .init("ca-file", "PATH", .files, "Verify the caster with these certificates, not those of the system."),
            .init("receiver", "NAME", "Write corrections to this receiver (default: the primary one)."),
            .init("configured", "Use the options in the section [inlet.NAME] of sextant.toml."),
            .init("product", "TEXT", "Show this text as the product of the receiver."),
            .init(
                "sentences", "LIST",
                "Use only these sentences, separated by commas: RMC, or GNRMC of one talker."),
            .init(
                "all-sources",
                "Use all senders at the same time. By default another one is used after 10 s of silence."),
            BridgeOptions.configEntry,
        ] + BridgeOptions.entries)

    private var isCaster: Bool { if case .ntrip? = sources.first { true } else { false } }

    func validate() throws(UsageError) {
        guard FeedParameters.isName(name) else {
            throw UsageError(message: "the name needs 1 to 64 letters, digits, dots, hyphens and underscores")
        }
        guard FeedParameters(name: name, product: product).hasDisplayableProduct else {
            throw UsageError(message: "--product needs at most 255 bytes without control characters")
        }
        guard SentencesParameters(types: types).hasValidTypes else {
            throw UsageError(message: "--sentences needs types such as RMC or GNRMC")
        }
        guard isCaster || isConfigured || passwordFile == nil && authorities == nil && receiver == nil else {
            throw UsageError(message: "--password-file, --ca-file and --receiver belong to --ntrip")
        }
        guard !isCaster || product == nil && types == nil && !acceptsAllSources else {
            throw UsageError(message: "--product, --sentences and --all-sources do not apply to --ntrip")
        }
        guard sources.count == (isConfigured ? 0 : 1) else {
            throw UsageError(
                message: "use one of --tcp, --tcp-listen, --udp-listen, --gpsd, --file, --ntrip and --configured")
        }
    }

    func run() throws -> CInt {
        let settings = try settings()
        switch settings.source {
        case .ntrip(let address): return try fetchCorrections(from: address, settings)
        case .tcp(let address):
            let host = try InletCommand.host(address)
            return try read(settings) { TCPClientSource(host, request: [], in: $0, handler: $1) }
        case .gpsd(let address):
            let host = try InletCommand.host(address)
            return try read(settings) {
                TCPClientSource(host, request: TCPClientSource.gpsdRequest, in: $0, handler: $1)
            }
        case .tcpListen(let address):
            return try read(settings) {
                try TCPServerSource(try BridgeListeners.allTCP([address]), in: $0, handler: $1)
            }
        case .udpListen(let address):
            return try read(settings) { try DatagramSource(try NetworkAddress(address), in: $0, handler: $1) }
        case .file(let path): return try read(settings) { try PipeSource(path, in: $0, handler: $1) }
        }
    }

    private func fetchCorrections(from address: NTRIPAddress, _ settings: BridgeSettings.Inlet) throws -> CInt {
        let password = try settings.passwordFile.map(PasswordFile.read) ?? ""
        return try options.run { loop, log in
            try NTRIPBridge(
                address, password: password, authorities: settings.authorities, receiver: settings.receiver,
                socket: options.daemon, loop: loop, log: log)
        }
    }

    private func read(
        _ settings: BridgeSettings.Inlet,
        from open: (EventLoop, @escaping (InletEvent) -> Void) throws -> any InletSource
    ) throws -> CInt {
        return try options.run { loop, log in
            try InletBridge(
                FeedParameters(name: name, product: settings.product), socket: options.daemon,
                sentences: SentenceSources(acceptsAll: settings.allSources, types: settings.sentences), loop: loop,
                log: log
            ) { handler in try open(loop, handler) }
        }
    }

    /// The settings of the command line, or those of the section.
    private func settings() throws -> BridgeSettings.Inlet {
        if isConfigured {
            guard let section = try options.load().inlet[name] else {
                throw BridgeError.missingSection("inlet.\(name)", file: options.config)
            }
            return section
        }
        guard let source = sources.first else { throw UsageError(message: "there is no source") }
        var settings = BridgeSettings.Inlet(source: source)
        settings.product = product
        settings.allSources = acceptsAllSources
        settings.sentences = types
        settings.passwordFile = passwordFile
        settings.authorities = authorities
        settings.receiver = receiver
        return settings
    }

    private static func host(_ text: String) throws(BridgeError) -> HostPort {
        guard let host = HostPort(text), host.isHost else { throw .invalidHost(text) }
        return host
    }
}
