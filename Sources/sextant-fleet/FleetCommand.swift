import ArgumentParser
import Fleet
import Glibc
import SystemCalls
import Systemd
import Wire

/// The program `sextant-fleet`.
@main
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sextant-fleet",
        abstract: "Report positions and events to a server: OwnTracks, Home Assistant, Traccar.",
        discussion: """
            Positions and events wait on disk until the server has acknowledged them. Keys are read from \
            $CREDENTIALS_DIRECTORY: ca.pem, cert.pem, key.pem and password.
            """,
        version: SextantVersion.current)

    @Option(
        help: ArgumentHelp("Keep unacknowledged records in this directory.", valueName: "dir"), completion: .directory)
    var state: String

    @Option(
        help: ArgumentHelp(
            """
            Report to this server: mqtt://HOST:PORT, mqtts://..., owntracks+http(s)://..., traccar+http(s)://... \
            Repeat for several.
            """,
            valueName: "url"))
    var destination: [String]

    @Option(help: "Name of the user in topics (default: sextant).")
    var user = "sextant"

    @Option(help: "Name of the device in topics (default: the host name).")
    var device: String?

    @Option(
        help: ArgumentHelp(
            "Maximum error of the reported track in metres; 0: report every position.", valueName: "metres"))
    var tolerance = 25.0

    @Option(help: ArgumentHelp("Report the events of this monitor; repeat for several.", valueName: "name"))
    var monitor: [String] = []

    func validate() throws {
        guard !destination.isEmpty else { throw ValidationError("--destination is missing") }
        guard SubscribeParameters.toleranceRange.contains(tolerance) else {
            throw ValidationError("--tolerance must be 0 to 100000 metres")
        }
        for name in [user] + (device.map { [$0] } ?? [])
        where name.isEmpty || name.contains(where: { "/+#".contains($0) }) {
            throw ValidationError("--user and --device must be names without /, + and #")
        }
    }

    static func main() {
        StandardDescriptors.openMissing()
        do {
            let command = try parse()
            try command.run()
        } catch let error as FleetError {
            FleetLog().write("\(error)", priority: .error)
            Glibc.exit(1)
        } catch {
            exit(withError: error)
        }
    }

    func run() throws {
        var destinations: [Reporter.Options] = []
        for text in destination {
            let server: Destination
            do { server = try Destination(text) } catch { throw FleetError.destination(error) }
            guard !destinations.contains(where: { $0.destination.fileName == server.fileName }) else {
                throw FleetError.settings("the destination \(text) is there twice")
            }
            destinations.append(
                Reporter.Options(
                    destination: server, user: user, device: device ?? FleetCommand.hostName, tolerance: tolerance))
        }
        EventLoop.ignoreBrokenPipes()
        do {
            let loop = try EventLoop()
            try loop.handle(.terminate) { [unowned loop] in loop.exit(0) }
            try loop.handle(.interrupt) { [unowned loop] in loop.exit(0) }
            let service = try FleetService(
                destinations, state: state, monitors: monitor, socket: FleetCommand.socket, loop: loop, log: FleetLog())
            ServiceManager.ready()
            let code = try loop.run()
            service.stop()
            if code != 0 { throw ExitCode(code) }
        } catch let error as SystemError {
            throw FleetError.system(error)
        }
    }

    private static var socket: String {
        let name = getenv("SEXTANT_SOCKET").map { String(cString: $0) } ?? ""
        return name.isEmpty ? "/run/sextant/io.sextant" : name
    }

    private static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, 255) == 0 else { return "device" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let name = String(decoding: bytes, as: UTF8.self)
        return name.isEmpty ? "device" : name
    }
}
