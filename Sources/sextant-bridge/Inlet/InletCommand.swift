import ArgumentParser
import Bridges
import SystemCalls
import Systemd
import Wire

/// `sextant-bridge inlet`
struct InletCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inlet", abstract: "Use NMEA 0183 from outside as a receiver.",
        discussion: """
            The service treats the sentences like those of a receiver on a port and marks them as coming from the \
            network. They are neither authenticated nor encrypted: any program that can send them decides the position.
            """)

    @Argument(help: "The name of the receiver.")
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

    @Option(help: ArgumentHelp("Show this text as the product of the receiver.", valueName: "text"))
    var product: String?

    @Flag(help: "Use all senders at the same time. By default another one is used after 10 s of silence.")
    var allSources = false

    @OptionGroup var options: BridgeOptions

    private var sources: [String] { [tcp, tcpListen, udpListen, gpsd, file].compactMap { $0 } }

    private var receiver: FeedParameters { FeedParameters(name: name, product: product) }

    func validate() throws {
        guard FeedParameters.isName(name) else {
            throw ValidationError("The name needs 1 to 64 letters, digits, dots, hyphens and underscores.")
        }
        guard receiver.hasDisplayableProduct else {
            throw ValidationError("--product needs at most 255 bytes without control characters.")
        }
        guard sources.count == 1 else {
            throw ValidationError("Use one of --tcp, --tcp-listen, --udp-listen, --gpsd and --file.")
        }
    }

    func run() throws {
        try options.run { loop, log in
            try InletBridge(
                receiver, socket: options.daemon, acceptsAll: allSources, loop: loop, log: log
            ) { handler in try source(in: loop, handler) }
        }
    }

    private func source(in loop: EventLoop, _ handler: @escaping (InletEvent) -> Void) throws -> any InletSource {
        if let tcp { return TCPClientSource(try NetworkAddress(tcp), request: [], in: loop, handler: handler) }
        if let gpsd {
            return TCPClientSource(
                try NetworkAddress(gpsd), request: TCPClientSource.gpsdRequest, in: loop, handler: handler)
        }
        if let tcpListen {
            return try TCPServerSource(try BridgeListeners.allTCP([tcpListen]), in: loop, handler: handler)
        }
        if let udpListen { return try DatagramSource(try NetworkAddress(udpListen), in: loop, handler: handler) }
        return try PipeSource(file ?? "-", in: loop, handler: handler)
    }
}
