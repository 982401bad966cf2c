import ArgumentParser
import Chronology
import Fleet
import Glibc
import ReceiverSimulator
import SettingsFiles
import SystemCalls
import Systemd
import Varlink
import Wire

/// `sextant-fleet simulate`: many devices in one process, with the outboxes and connections of the
/// real program.
struct FleetSimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Report the positions and events of simulated devices to a broker, and print what arrives.",
        discussion: """
            Each device has its own outbox, connection and track. An observer subscribes to the events. Kill or stop \
            the broker meanwhile: no event is lost. Exit with status 1 if an event is lost or out of order.
            """)

    @Option(help: ArgumentHelp("Number of devices, 1 to 5000 (default: 100).", valueName: "count"))
    var devices = 100

    @Option(
        help: ArgumentHelp("Follow the tracks of the GPX files in this folder.", valueName: "folder"),
        completion: .directory)
    var gpx: String?

    @Option(help: ArgumentHelp("Report to this broker: mqtt://HOST:PORT or mqtts://HOST:PORT.", valueName: "url"))
    var destination = "mqtt://127.0.0.1:1883"

    @Option(help: ArgumentHelp("Keep the outboxes in this directory.", valueName: "dir"), completion: .directory)
    var state: String

    @Option(help: ArgumentHelp("Duration of the simulation (default: 60).", valueName: "seconds"))
    var seconds = 60

    @Option(help: ArgumentHelp("Time between two events of a device (default: 30).", valueName: "seconds"))
    var eventInterval = 30

    @Option(help: ArgumentHelp("Maximum error of the tracks (default: 25).", valueName: "metres"))
    var tolerance = 25.0

    @Option(help: ArgumentHelp("Send positions in batches, as sextant-fleet does.", valueName: "seconds"))
    var batch: Int?

    @Option(help: ArgumentHelp("Spread the connections over this time (default: 10).", valueName: "seconds"))
    var spread = 10

    @Option(help: ArgumentHelp("Move each device once in this time (default: 1).", valueName: "seconds"))
    var every = 1

    @Flag(
        help: """
            Send one track from its start to its end as fast as the broker acknowledges it, without events. Its times \
            are those of the file.
            """)
    var compressed = false

    @Flag(inversion: .prefixedNo, help: "Send messages to Home Assistant too (default: yes).")
    var homeAssistant = true

    @Option(
        help: ArgumentHelp("Send a message after this time without one, as sextant-fleet does.", valueName: "seconds"))
    var keepalive: Int?

    @Flag(name: .customLong("json"), help: "Print JSON.")
    var isJSON = false

    func validate() throws {
        guard (1...5000).contains(devices), (1...86_400).contains(seconds), (1...3600).contains(eventInterval),
            (0...3600).contains(spread), (1...3600).contains(every)
        else {
            throw ValidationError(
                "--devices must be 1 to 5000, --seconds 1 to 86400, --event-interval 1 to 3600, --spread 0 to 3600, "
                    + "--every 1 to 3600")
        }
        guard SubscribeParameters.toleranceRange.contains(tolerance) else {
            throw ValidationError("--tolerance must be 0 to 100000 metres")
        }
        guard [batch, keepalive].allSatisfy({ $0.map(FleetSections.intervals.contains) ?? true }) else {
            throw ValidationError("--batch and --keepalive must be 10 to 3600 seconds")
        }
    }

    func run() throws {
        let server: Destination
        do throws(Destination.Invalid) { server = try Destination(destination) } catch {
            throw FleetError.destination(error)
        }
        guard server.isMQTT else { throw FleetError.settings("the simulation needs mqtt:// or mqtts://") }
        let tracks = try SimulatedTracks(folder: gpx)
        EventLoop.ignoreBrokenPipes()
        raiseDescriptorLimit()
        let loop = try EventLoop()
        try loop.handle(.terminate) { [unowned loop] in loop.exit(2) }
        try loop.handle(.interrupt) { [unowned loop] in loop.exit(2) }
        let plan = FleetSimulation.Plan(
            devices: compressed ? 1 : devices, duration: .seconds(Double(seconds)),
            eventInterval: .seconds(Double(eventInterval)), tolerance: tolerance,
            batchInterval: batch.map { .seconds(Double($0)) }, spread: Double(spread), step: .seconds(Double(every)),
            isCompressed: compressed, hasHomeAssistant: homeAssistant,
            keepalive: keepalive.map { .seconds(Double($0)) })
        let simulation = try FleetSimulation(plan, of: server, tracks: tracks, state: state, loop: loop)
        let code = try loop.run()
        let figures = simulation.figures
        let text = isJSON ? [String(decoding: figures.json.bytes, as: UTF8.self)] : figures.lines
        print(text.joined(separator: "\n"))
        if code != 0 || !figures.isGood { throw ExitCode(1) }
    }

    /// Each device has a connection and the files of its outbox.
    private func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
