import Chronology
import Fleet
import Glibc
import ServiceRuntime
import Settings
import SystemCalls

/// What the program does without a subcommand: it reports positions and events.
struct FleetCommand {
    private let options: ReportOptions
    private let credentials: Credentials
    private let state: String
    private let log = ProgramLog(name: "sextant-fleet")

    init(_ options: ReportOptions) throws {
        credentials = try Credentials()
        try options.validate(hasCredential: credentials.destinations != nil)
        self.options = options
        state = options.state ?? ""
    }

    /// Reports until a signal ends the program, and returns the exit status.
    func run() throws -> CInt {
        let settings = try section()
        try StateDirectory.check(state)
        do { try Directory.make(state, mode: 0o700) } catch { throw FleetError.system(error) }
        let destinations = try reporters(settings)
        do {
            return try EventLoop.serve { loop in
                try FleetService(
                    destinations, state: state, monitors: options.monitors + settings.monitors,
                    socket: FleetCommand.socket, loop: loop, log: log)
            } stop: { service in
                service.stop()
            }
        } catch let error as SystemError {
            throw FleetError.system(error)
        }
    }

    /// The section of the configuration; without one the defaults.
    private func section() throws(FleetError) -> FleetSections.Settings {
        guard let configured = options.configured else { return FleetSections.Settings() }
        do throws(ConfigurationError) {
            if let settings = try FleetSections.load(file: options.config)[configured] { return settings }
        } catch {
            throw .settings("\(error)")
        }
        guard !options.hasDestination, credentials.destinations == nil else { return FleetSections.Settings() }
        throw .settings(
            "there is no section [fleet.\(configured)] in sextant.toml, "
                + "and no /etc/sextant/fleet/\(configured)/destination"
        )
    }

    /// The destinations of the options; without these options, those of the section and of the
    /// credential.
    private func destinations(_ section: FleetSections.Settings) throws(FleetError) -> [Destination] {
        var servers: [Destination] = []
        for text in options.hasDestination ? options.destinations : section.destinations {
            do throws(Destination.Invalid) { servers.append(try Destination(text)) } catch {
                throw .destination(error)
            }
        }
        let files =
            options.hasDestination ? options.destinationFiles.map(DestinationFile.init) : [credentials.destinations]
        for file in files.compactMap({ $0 }) { servers += try file.destinations() }
        return servers
    }

    /// Combines the options, which come first, with those of the section.
    private func reporters(_ section: FleetSections.Settings) throws -> [Reporter.Options] {
        func invalid(_ reason: String) -> any Error {
            options.configured == nil ? UsageError(message: reason) : FleetError.settings(reason)
        }
        let filter = try filter(section)
        var reporters: [Reporter.Options] = []
        for server in try destinations(section) {
            guard !reporters.contains(where: { $0.destination.fileName == server.fileName }) else {
                throw invalid("the destination \(server.name) is given twice")
            }
            var reporter = Reporter.Options(
                destination: server, user: options.user ?? section.user ?? "sextant",
                device: options.device ?? section.device ?? hostName() ?? "device",
                tolerance: options.tolerance ?? section.tolerance ?? 25, filter: filter)
            reporter.credentials = credentials
            reporter.batchInterval = FleetCommand.span(options.batch ?? section.batch)
            reporter.keepalive = FleetCommand.span(options.keepalive ?? section.keepalive)
            if let spread = FleetCommand.span(options.spread ?? section.spread) { reporter.firstRetry = spread }
            reporter.sendsTraccarJSON = options.traccarJSON || section.traccarJSON
            reporter.hasHomeAssistant = options.homeAssistant ?? section.homeAssistant ?? true
            guard reporter.batchInterval == nil || server.isMQTT else {
                throw invalid("\(server.name) cannot receive batches: use mqtt:// or mqtts://, or omit batch")
            }
            reporters.append(reporter)
        }
        return reporters
    }

    private func filter(_ section: FleetSections.Settings) throws(FleetError) -> ReportFilter {
        let isReduced = (options.accuracy ?? section.accuracy.flatMap(ReportAccuracy.init)) == .reduced
        var filter = ReportFilter(reducedBy: isReduced ? try ReducedSecretFile(state: state).secret(log: log) : nil)
        filter.quietHours = options.quietHours + section.quietHours
        filter.quietPlaces = options.quietPlaces + section.quietPlaces
        return filter
    }

    private static func span(_ seconds: Int?) -> Instant.Span? { seconds.map { .seconds(Double($0)) } }

    private static var socket: String { ServiceSocket.named ?? ServiceSocket.daemon }
}
