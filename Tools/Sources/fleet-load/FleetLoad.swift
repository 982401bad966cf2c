import ArgumentParser
import Chronology
import Fleet
import Glibc
import ServiceRuntime
import SystemCalls
import Varlink

/// Simulates many devices in one process, with the outboxes and connections of `sextant-fleet`, to
/// test a broker under load. Not installed.
@main
struct FleetLoad: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet-load",
        abstract: "Report the positions and events of simulated devices to a broker, and print what arrives.",
        discussion: """
            Each device has its own outbox, connection and track. An observer subscribes to the events. Kill or stop \
            the broker meanwhile: no event is lost. Exit with status 1 if an event is lost or out of order.
            """)

    @Option(help: "Number of devices, 1 to 5000.")
    var devices = 100

    @Option(help: "Follow the tracks of the GPX files in this folder.")
    var gpx: String?

    @Option(help: "Report to this broker: mqtt://HOST:PORT or mqtts://HOST:PORT.")
    var destination = "mqtt://127.0.0.1:1883"

    @Option(help: "Keep the outboxes in this directory.")
    var state: String

    @Option(help: "Duration of the simulation in seconds.")
    var seconds = 60

    @Option(help: "Seconds between two events of a device.")
    var eventInterval = 30

    @Option(help: "Maximum error of the tracks in metres.")
    var tolerance = 25.0

    @Option(help: "Send positions in batches of this many seconds, as sextant-fleet does.")
    var batch: Int?

    @Option(help: "Send a message after this many seconds without one, as sextant-fleet does.")
    var keepalive: Int?

    @Option(help: "Spread the connections over this many seconds.")
    var spread = 10

    @Option(help: "Move each device once in this many seconds.")
    var every = 1

    @Flag(
        help: ArgumentHelp(
            "Send one track as fast as the broker acknowledges it.",
            discussion: "It is sent from its start to its end, without events. Its times are those of the file."))
    var compressed = false

    @Flag(help: "Send no messages to Home Assistant.")
    var noHomeAssistant = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (1...5000).contains(devices) else { throw ValidationError("--devices must be 1 to 5000") }
        let intervals = [("seconds", seconds), ("event-interval", eventInterval), ("every", every)]
        for (name, value) in intervals where value < 1 {
            throw ValidationError("--\(name) must be 1 or more")
        }
        guard spread >= 0 else { throw ValidationError("--spread must be 0 or more") }
    }

    func run() throws {
        let server = try Destination(destination)
        guard server.isMQTT else { throw ValidationError("the simulation needs mqtt:// or mqtts://") }
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
            isCompressed: compressed, hasHomeAssistant: !noHomeAssistant,
            keepalive: keepalive.map { .seconds(Double($0)) })
        let simulation = try FleetSimulation(plan, of: server, tracks: tracks, state: state, loop: loop)
        let code = try loop.run()
        let figures = simulation.figures
        let text = json ? [String(decoding: figures.json.bytes, as: UTF8.self)] : figures.lines
        print(text.joined(separator: "\n"))
        if code != 0 || !figures.isGood { throw ExitCode(1) }
    }

    /// Each device has a connection and the files of its outbox.
    private func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
