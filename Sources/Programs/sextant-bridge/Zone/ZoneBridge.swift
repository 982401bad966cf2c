import Bridges
import Chronology
import Geodesy
import Glibc
import ServiceRuntime
import SextantAPI
import SystemCalls
import Varlink

/// The role `zone`: sets the time zone of the machine to that of the place, by timedated.
final class ZoneBridge {
    private static let service = "org.freedesktop.timedate1"
    private static let path = "/org/freedesktop/timedate1"

    private let bus: SystemBus
    private let loop: EventLoop
    private let log: ProgramLog
    private let places: String
    private let file: AtomicFile?
    private var follower: ZoneFollower
    private var updates: DaemonStream<SubscribeParameters, SubscribeReply>?
    /// The calls of a survey. Without one there is no connection, so that the service of places can
    /// end.
    private var calls: DaemonCalls?
    private var problem = RepeatedProblem()

    /// Creates the bridge, which reads the zone of the machine first.
    ///
    /// - Parameters:
    ///   - places: The socket of the service of places.
    ///   - state: The state directory; nil: nothing is kept.
    ///   - stableTime: How long the device must have been in a zone.
    init(
        socket daemon: String, places: String, state: String?, stableTime: Instant.Span, bus: SystemBus,
        loop: EventLoop, log: ProgramLog
    ) throws(SystemError) {
        self.bus = bus
        self.loop = loop
        self.log = log
        self.places = places
        file = state.map { AtomicFile(path: "\($0)/zone") }
        var kept: [UInt8] = []
        do throws(SystemError) { if let file { kept = try file.contents() } } catch {
            // Without it, somebody else's zone could be replaced.
            guard error.code == ENOENT else { throw error }
        }
        follower = ZoneFollower(
            kept: String(decoding: kept, as: UTF8.self).split(separator: "\n").map(String.init), stableTime: stableTime)
        updates = DaemonStream(LocationMethods.subscribe, of: daemon, in: loop, isInSession: true) {
            [weak self] event in
            self?.handle(event)
        }
        updates?.request(SubscribeParameters(desiredAccuracy: .threeKilometres, significantChange: true))
        loop.onDeadline = { [unowned self] now in
            updates?.tick(at: now)
            calls?.tick(at: now)
            follower.tick(at: now)
        }
        loop.afterEachIteration = { [unowned self] in finishTurn() }
        finishTurn()
    }

    private func finishTurn() {
        var actions = follower.takeActions()
        while !actions.isEmpty {
            for action in actions { perform(action) }
            actions = follower.takeActions()
        }
        loop.setDeadline(earliest(earliest(updates?.deadline, calls?.deadline), follower.deadline))
    }

    private func perform(_ action: ZoneFollower.Action) {
        switch action {
        case .readPresent: readPresent()
        case .lookUp(let points): lookUp(points)
        case .set(let zone): set(zone)
        case .keep(let zones):
            do throws(SystemError) { try file?.replace(with: zones.joined(separator: "\n")) } catch {
                report("the zone is not kept: \(error)")
            }
        case .reportSet(let zone): log.write("set the time zone to \(zone)")
        case .reportOverride(let zone):
            // The unit has a state directory.
            let remedy =
                getenv("STATE_DIRECTORY") != nil
                ? "systemctl stop sextant-zone && systemctl clean --what=state sextant-zone && "
                    + "systemctl start sextant-zone"
                : "remove \(file?.path ?? "the state"), and start this program again"
            log.write("the time zone was set to \(zone) by somebody else, and stays; to follow again: \(remedy)")
        }
    }

    private func handle(_ event: DaemonStream<SubscribeParameters, SubscribeReply>.Event) {
        switch event {
        case .reply(let reply):
            if let reason = reply.location?.simulationReason { report(reason) }
            follower.update(reply)
        case .lost(let error): report("\(error); trying again")
        }
    }

    /// Looks the zones up one after the other, on one connection.
    private func lookUp(_ points: [Coordinate]) {
        let calls = DaemonCalls(of: places, in: loop)
        self.calls = calls
        var zones: [String?] = []
        for point in points {
            let parameters = ReverseParameters(latitude: point.latitude, longitude: point.longitude)
            calls.call(PlacesMethods.reverse, with: parameters) { [weak self, weak calls] result in
                // Another location may have come meanwhile.
                guard let self, let calls, self.calls === calls else { return }
                switch result {
                case .success(let reply): zones.append(reply.placemarks.first?.timeZone)
                case .failure(let error):
                    self.calls = nil
                    return fail("looking up the time zone: \(error)")
                }
                guard zones.count == points.count else { return }
                self.calls = nil
                follower.found(zones, at: loop.now)
            }
        }
    }

    private func call(_ interface: String, _ method: String, _ arguments: [SystemBus.Argument]) -> SystemBus.Call {
        SystemBus.Call(
            ZoneBridge.service, path: ZoneBridge.path, interface: interface, method: method, arguments: arguments,
            startsService: true)
    }

    private func readPresent() {
        let get = call(
            "org.freedesktop.DBus.Properties", "Get", [.string(ZoneBridge.service), .string("Timezone")])
        bus.call(get) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let values):
                guard let zone = values.first?.string, !zone.isEmpty else {
                    return fail("timedated does not tell the time zone; set one with timedatectl set-timezone")
                }
                follower.present(zone)
                // A zone of somebody else needs no locations.
                if follower.isOverridden { updates?.request(nil) }
            case .failure(let failure):
                report("reading the time zone from timedated: \(failure.message)")
                // The next start tries again.
                loop.exit(1)
            }
        }
    }

    private func set(_ zone: String) {
        bus.call(call(ZoneBridge.service, "SetTimezone", [.string(zone), .bool(false)])) { [weak self] result in
            switch result {
            case .success: self?.follower.wasSet()
            case .failure(let failure):
                self?.fail(
                    "the time zone is not set to \(zone): \(failure.message); polkit must let the user of this program "
                        + "do so, as sextant-zone.service has it")
            }
        }
    }

    /// Tries again later.
    private func fail(_ reason: String) {
        report(reason)
        follower.failed(at: loop.now)
    }

    /// Logs each problem once.
    private func report(_ reason: String) {
        if problem.shouldLog(reason) { log.write(reason, priority: .warning) }
    }
}

/// `sextant-bridge zone`
struct ZoneFollowCommand: ProgramRole {
    private var places = ServiceSocket.places
    private var state = getenv("STATE_DIRECTORY").map { String(cString: $0) }
    private var after = ZoneFollower.stableTime.seconds
    private var options = BridgeOptions()

    mutating func set(_ option: String, to value: String) throws(UsageError) {
        switch option {
        case "places": places = try OptionValue.path(value, of: option)
        case "after": after = try OptionValue.number(value, 0...86_400, "seconds", of: option)
        case "state": state = try OptionValue.path(value, of: option)
        default: try options.set(option, to: value)
        }
    }

    static let table = OptionTable(
        program: SextantBridge.name, role: "zone",
        usage: "[--after SECONDS] [--state DIR] [--places PATH] [--socket PATH]",
        abstract: "Set the time zone of the machine to that of the place.",
        discussion: """
            The zone is set by timedated, after 10 minutes in another zone and 20 km from its border. A zone that \
            somebody else has set stays. The service of places needs data, see sextant-places(8).
            """,
        entries: [
            .init("after", "SECONDS", "Set a zone after this time in it (default: 600)."),
            .init("state", "DIR", .folders, "Keep the zone that was set last here (default: $STATE_DIRECTORY)."),
            .init("places", "PATH", .files, "Use this socket of sextant-places (default: \(ServiceSocket.places))."),
        ] + BridgeOptions.entries)

    func run() throws -> CInt {
        try options.run { loop, log in
            try ZoneBridge(
                socket: options.daemon, places: places, state: state, stableTime: .seconds(after),
                bus: try SystemBus(in: loop), loop: loop, log: log)
        }
    }
}
