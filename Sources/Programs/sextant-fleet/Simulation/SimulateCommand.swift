import Chronology
import Fleet
import Glibc
import ServiceRuntime
import Varlink

/// `sextant-fleet simulate`: many devices in one process, with the outboxes and connections of the
/// real program.
struct SimulateCommand {
    private let options: SimulateOptions
    private let state: String

    init(_ options: SimulateOptions) throws(UsageError) {
        guard let state = options.state else { throw UsageError(message: "--state is missing") }
        self.options = options
        self.state = state
    }

    /// Simulates, and returns the exit status: 1 if an event was lost or out of order.
    func run() throws -> CInt {
        let server: Destination
        do throws(Destination.Invalid) { server = try Destination(options.destination) } catch {
            throw FleetError.destination(error)
        }
        guard server.isMQTT else { throw FleetError.settings("the simulation needs mqtt:// or mqtts://") }
        let tracks = try SimulatedTracks(folder: options.gpx)
        EventLoop.ignoreBrokenPipes()
        raiseDescriptorLimit()
        let loop = try EventLoop()
        try loop.handle(.terminate) { [unowned loop] in loop.exit(2) }
        try loop.handle(.interrupt) { [unowned loop] in loop.exit(2) }
        let plan = FleetSimulation.Plan(
            devices: options.isCompressed ? 1 : options.devices, duration: .seconds(Double(options.seconds)),
            eventInterval: .seconds(Double(options.eventInterval)), tolerance: options.tolerance,
            batchInterval: options.batch.map { .seconds(Double($0)) }, spread: Double(options.spread),
            step: .seconds(Double(options.every)),
            isCompressed: options.isCompressed, hasHomeAssistant: options.hasHomeAssistant,
            keepalive: options.keepalive.map { .seconds(Double($0)) })
        let simulation = try FleetSimulation(plan, of: server, tracks: tracks, state: state, loop: loop)
        let code = try loop.run()
        let figures = simulation.figures
        let text = options.isJSON ? [String(decoding: figures.json.bytes, as: UTF8.self)] : figures.lines
        print(text.joined(separator: "\n"))
        return code != 0 || !figures.isGood ? 1 : 0
    }

    /// Each device has a connection and the files of its outbox.
    private func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
