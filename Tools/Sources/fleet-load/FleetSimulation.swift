import Chronology
import Fleet
import ServiceRuntime
import SystemCalls

/// Simulated devices that report to a broker, and an observer of their events.
final class FleetSimulation {
    /// What is simulated.
    struct Plan {
        var devices: Int
        var duration: Instant.Span
        var eventInterval: Instant.Span
        var tolerance: Double
        var batchInterval: Instant.Span?
        /// The seconds over which the first connections, and those after an outage, are spread.
        var spread: Double
        /// The time between two positions of a device.
        var step: Instant.Span
        /// Whether the track is sent as fast as the broker acknowledges it, without events.
        var isCompressed: Bool
        /// Whether Home Assistant gets messages of its own.
        var hasHomeAssistant: Bool
        /// The time after which a message is sent without need; nil: the default.
        var keepalive: Instant.Span?
    }

    private static let user = "simulation"
    /// A tenth of the devices moves in each interval, so that all move once a second.
    private static let interval = Instant.Span.milliseconds(100)
    private static let parts = 10
    /// The time to wait at the end until everything has arrived.
    private static let finishTimeout = Instant.Span.seconds(300)

    private let plan: Plan
    private let loop: EventLoop
    private let tracks: SimulatedTracks
    private var devices: [SimulatedDevice] = []
    private var observer: EventObserver?
    private(set) var figures: SimulationFigures
    private var start: Instant
    private var nextTick: Instant
    private var part = 0
    /// The time in the compressed track.
    private var elapsed = Instant.Span.zero
    /// UTC in the compressed track; nil for one that is not.
    private var trackTime: UTCTime?
    private var keepalive = Reporter.defaultKeepalive
    private var lastMessage = Instant.Span.zero
    private var isOver = false
    private let credentials: Credentials

    /// Creates the devices with outboxes in the directory `state`.
    init(_ plan: Plan, of server: Destination, tracks: SimulatedTracks, state: String, loop: EventLoop) throws {
        self.plan = plan
        self.loop = loop
        credentials = try Credentials()
        self.tracks = tracks
        figures = SimulationFigures(devices: plan.devices)
        start = loop.now
        nextTick = loop.now
        for number in 0..<plan.devices {
            devices.append(try makeDevice(number, server, state: state))
        }
        if !plan.isCompressed {
            observer = EventObserver(
                server, user: FleetSimulation.user, credentials: credentials, loop: loop
            ) { [weak self] device, identifier in
                guard let self, let device = Int(device), let number = Int(identifier) else { return }
                figures.arrive(number, of: device, at: HostClock.now)
            }
        }
        // To create the outboxes takes time.
        start = HostClock.now
        nextTick = start
        loop.onDeadline = { [unowned self] now in tick(at: now) }
        loop.afterEachIteration = { [unowned self] in finishIteration() }
        loop.setDeadline(nextTick)
    }

    private func makeDevice(_ number: Int, _ server: Destination, state: String) throws -> SimulatedDevice {
        var options = Reporter.Options(
            destination: server, user: FleetSimulation.user, device: "\(number)", tolerance: plan.tolerance)
        options.credentials = credentials
        options.batchInterval = plan.batchInterval
        options.hasHomeAssistant = plan.hasHomeAssistant
        options.keepalive = plan.keepalive
        options.firstRetry = .seconds(max(plan.spread, 1))
        options.connectDelay = .seconds(plan.isCompressed ? 0 : Double.random(in: 0...max(plan.spread, 0)))
        if plan.isCompressed { options.time = { [weak self] in self?.trackTime } }
        keepalive = options.effectiveKeepalive
        let reporter = try Reporter(
            options, outbox: "\(state)/device-\(number).db", socket: nil, loop: loop,
            log: ProgramLog(name: "sextant-fleet", isSilent: true))
        let first = Double.random(in: 0...plan.eventInterval.seconds)
        return SimulatedDevice(
            reporter, route: tracks.routes[number % tracks.routes.count],
            offset: .seconds(plan.isCompressed ? 0 : Double.random(in: 0...600)), tolerance: plan.tolerance,
            firstEvent: .seconds(first), eventInterval: plan.eventInterval)
    }

    private func tick(at now: Instant) {
        observer?.tick(at: now)
        for device in devices where device.reporter.deadline.map({ now >= $0 }) ?? false {
            device.reporter.tick(at: now)
        }
        guard now >= nextTick else { return }
        // A slow machine leaves out intervals instead of falling behind.
        nextTick = max(nextTick + FleetSimulation.interval, now)
        updateConnections(at: now)
        guard !plan.isCompressed else { return }
        if now - start < plan.duration { moveDevices(at: now) } else { finishWhenDone(at: now) }
    }

    private func updateConnections(at now: Instant) {
        var connected: Set<Int> = []
        for index in devices.indices where devices[index].reporter.isConnected { connected.insert(index) }
        figures.update(connected: connected, at: now)
    }

    private func moveDevices(at now: Instant) {
        // Events before the subscription of the observer would be lost for it.
        guard observer?.isReady == true || figures.hasEvents else { return }
        part = (part + 1) % FleetSimulation.parts
        let time = HostClock.utc
        let second = Int((now - start).seconds)
        for number in stride(from: part, to: devices.count, by: FleetSimulation.parts) {
            if second % Int(plan.step.seconds) == 0 {
                figures.positions += devices[number].move(to: now - start, time: time)
            }
            if let event = devices[number].addEvent(at: now - start, time: time) {
                figures.add(event, of: number, at: now)
            }
        }
    }

    private func finishWhenDone(at now: Instant) {
        let isDone = figures.missing == 0 && devices.allSatisfy { $0.reporter.presentStatus.events == 0 }
        if isDone || now - start > plan.duration + FleetSimulation.finishTimeout { end() }
    }

    private func end() {
        guard !isOver else { return }
        isOver = true
        for device in devices {
            figures.bytes += device.reporter.presentStatus.bytes
            device.reporter.stop()
        }
        loop.exit(0)
    }

    private func finishIteration() {
        for device in devices { device.reporter.sendDue() }
        if plan.isCompressed { advanceCompressed() }
        var next: Instant? = nextTick
        next = earliest(next, observer?.deadline)
        for device in devices { next = earliest(next, device.reporter.deadline) }
        loop.setDeadline(isOver ? nil : next)
    }

    /// Moves the device to its next message, when the broker has acknowledged the one before.
    private func advanceCompressed() {
        guard !isOver, let device = devices.first, device.reporter.isIdle(at: HostClock.now) else { return }
        let begin = tracks.start ?? UTCTime(milliseconds: 1_750_000_000_000)
        while elapsed <= tracks.duration {
            let time = begin.advanced(by: elapsed)
            trackTime = time
            let count = device.move(to: elapsed, time: time, looping: false)
            elapsed = elapsed + plan.step
            guard count > 0 else { continue }
            figures.positions += count
            device.reporter.sendDue()
            guard !device.reporter.isIdle(at: HostClock.now) else { continue }
            let pause = (elapsed - lastMessage).seconds
            figures.idleIntervals += max(Int((pause / keepalive.seconds).rounded(.up)) - 1, 0)
            lastMessage = elapsed
            return
        }
        end()
    }
}
