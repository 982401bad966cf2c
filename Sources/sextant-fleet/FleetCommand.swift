import ArgumentParser
import Chronology
import Fleet
import Geodesy
import Glibc
import SettingsFiles
import SystemCalls
import Systemd
import Wire

/// `sextant-fleet report`: what the program does without a subcommand.
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Report positions and events to a server: OwnTracks, Home Assistant, Traccar.",
        discussion: """
            Positions and events wait on disk until the server has acknowledged them. Keys are read from \
            $CREDENTIALS_DIRECTORY: ca.pem, cert.pem, key.pem, password, encryption-key and destination.
            """)

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
    var destination: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Report to the servers in this file, one in each line; other users cannot read it. Repeat for several.
            """,
            valueName: "file"),
        completion: .file())
    var destinationFile: [String] = []

    @Option(
        help: ArgumentHelp("Read the other options from the section [fleet.NAME] of sextant.toml.", valueName: "name"))
    var configured: String?

    @Option(
        help: ArgumentHelp("Read the section from this file only.", valueName: "file"),
        completion: .file(extensions: ["toml"]))
    var config: String?

    @Option(help: "Name of the user in topics (default: sextant).")
    var user: String?

    @Option(help: "Name of the device in topics (default: the host name).")
    var device: String?

    @Option(
        help: ArgumentHelp(
            "Maximum error of the reported track in metres; 0: report every position (default: 25).",
            valueName: "metres"))
    var tolerance: Double?

    @Option(
        help: ArgumentHelp(
            "Report positions with this accuracy: full, or reduced to an area of several kilometres without events.",
            valueName: "accuracy"))
    var accuracy: ReportAccuracy?

    @Option(
        help: ArgumentHelp(
            "Report nothing in these hours of local time, such as 22:00-06:00; repeat for several.", valueName: "hours")
    )
    var quietHours: [String] = []

    @Option(
        help: ArgumentHelp(
            "Report nothing within RADIUS metres of this place; repeat for several.", valueName: "lat,lon,radius"))
    var quietPlace: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Send one position in this time alone, and the others together, 10 to 3600 seconds; MQTT only. Servers of \
            OwnTracks do not read these messages (default: send each position alone).
            """,
            valueName: "seconds"))
    var batch: Int?

    @Option(
        help: ArgumentHelp(
            """
            Send a message after this time without one, 10 to 3600 seconds; MQTT only (default: 300, or that of \
            --batch if it is longer).
            """,
            valueName: "seconds"))
    var keepalive: Int?

    @Option(
        help: ArgumentHelp(
            "Wait up to this time before the first attempt to connect again, 1 to 300 seconds (default: 1).",
            valueName: "seconds"))
    var spread: Int?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Describe the device to Home Assistant, and send it the newest position; MQTT only (default: yes). Brokers \
            that allow only topics of OwnTracks end the connection then.
            """)
    var homeAssistant: Bool?

    @Flag(help: "Send Traccar 6.7 and later its JSON form, instead of that of OsmAnd.")
    var traccarJSON = false

    @Option(help: ArgumentHelp("Report the events of this monitor; repeat for several.", valueName: "name"))
    var monitor: [String] = []

    func validate() throws {
        guard hasDestination || configured != nil || Credentials().destinations != nil else {
            throw ValidationError("--destination is missing")
        }
        if let tolerance, !SubscribeParameters.toleranceRange.contains(tolerance) {
            throw ValidationError("--tolerance must be 0 to 100000 metres")
        }
        guard [batch, keepalive].allSatisfy({ $0.map(FleetSections.intervals.contains) ?? true }) else {
            throw ValidationError("--batch and --keepalive must be 10 to 3600 seconds")
        }
        guard spread.map(FleetSections.spreads.contains) ?? true else {
            throw ValidationError("--spread must be 1 to 300 seconds")
        }
        for name in [user, device].compactMap({ $0 })
        where name.isEmpty || name.contains(where: { "/+#".contains($0) }) {
            throw ValidationError("--user and --device must be names without /, + and #")
        }
    }

    private var hasDestination: Bool { !destination.isEmpty || !destinationFile.isEmpty }

    func run() throws {
        let settings = try section()
        let destinations = try reporters(settings)
        EventLoop.ignoreBrokenPipes()
        do {
            let loop = try EventLoop()
            try loop.handle(.terminate) { [unowned loop] in loop.exit(0) }
            try loop.handle(.interrupt) { [unowned loop] in loop.exit(0) }
            let service = try FleetService(
                destinations, state: state, monitors: monitor + settings.monitors, socket: FleetCommand.socket,
                loop: loop, log: FleetLog())
            ServiceManager.ready()
            let code = try loop.run()
            service.stop()
            if code != 0 { throw ExitCode(code) }
        } catch let error as SystemError {
            throw FleetError.system(error)
        }
    }

    /// The section of the configuration; without one the defaults.
    private func section() throws(FleetError) -> FleetSections.Settings {
        guard let configured else { return FleetSections.Settings() }
        do throws(ConfigurationError) {
            if let settings = try FleetSections.load(file: config)[configured] { return settings }
        } catch {
            throw .settings("\(error)")
        }
        guard !hasDestination, Credentials().destinations == nil else { return FleetSections.Settings() }
        throw .settings(
            "there is no section [fleet.\(configured)] in sextant.toml, "
                + "and no /etc/sextant/fleet/\(configured)/destination"
        )
    }

    /// The destinations of the options; without these options, those of the section and of the
    /// credential.
    private func destinations(_ section: FleetSections.Settings) throws(FleetError) -> [Destination] {
        var servers: [Destination] = []
        for text in hasDestination ? destination : section.destinations {
            do throws(Destination.Invalid) { servers.append(try Destination(text)) } catch {
                throw .destination(error)
            }
        }
        let files = hasDestination ? destinationFile.map(DestinationFile.init) : [Credentials().destinations]
        for file in files.compactMap({ $0 }) { servers += try file.destinations() }
        return servers
    }

    /// Combines the options, which come first, with those of the section.
    private func reporters(_ section: FleetSections.Settings) throws(FleetError) -> [Reporter.Options] {
        let filter = try filter(section)
        var reporters: [Reporter.Options] = []
        for server in try destinations(section) {
            guard !reporters.contains(where: { $0.destination.fileName == server.fileName }) else {
                throw .settings("the destination \(server.name) is there twice")
            }
            var options = Reporter.Options(
                destination: server, user: user ?? section.user ?? "sextant",
                device: device ?? section.device ?? FleetCommand.hostName,
                tolerance: tolerance ?? section.tolerance ?? 25, filter: filter)
            options.batchInterval = (batch ?? section.batch).map { .seconds(Double($0)) }
            if let seconds = keepalive ?? section.keepalive { options.keepalive = .seconds(Double(seconds)) }
            if let seconds = spread ?? section.spread { options.firstRetry = .seconds(Double(seconds)) }
            options.sendsTraccarJSON = traccarJSON || section.traccarJSON
            options.hasHomeAssistant = homeAssistant ?? section.homeAssistant ?? true
            guard options.batchInterval == nil || server.isMQTT else {
                throw .settings("\(server.name) gets no batches: use mqtt:// or mqtts://, or no option batch")
            }
            reporters.append(options)
        }
        return reporters
    }

    private func filter(_ section: FleetSections.Settings) throws(FleetError) -> ReportFilter {
        let isReduced = (accuracy ?? section.accuracy.flatMap(ReportAccuracy.init)) == .reduced
        var filter = ReportFilter(reducedBy: isReduced ? try ReducedSecretFile(state: state).secret() : nil)
        for text in quietHours + section.quietHours {
            guard let hours = ReportFilter.QuietHours(text) else {
                throw .settings("\(text) is no time of quiet hours: use HH:MM-HH:MM, such as 22:00-06:00")
            }
            filter.quietHours.append(hours)
        }
        for text in quietPlace + section.quietPlaces {
            guard let place = ReportFilter.QuietPlace(text) else {
                throw .settings("\(text) is no quiet place: use LATITUDE,LONGITUDE,RADIUS, such as 51.5,-0.1,200")
            }
            filter.quietPlaces.append(place)
        }
        return filter
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

/// The accuracy of the positions that are reported.
enum ReportAccuracy: String, ExpressibleByArgument, CaseIterable { case full, reduced }
