import Chronology
import Locator
import Logging
import ServiceRuntime
import SextantAPI
import SystemCalls
import Varlink

/// What the services share. Everything runs on the thread of the event loop.
final class ServiceContext {
    var locator = Locator()
    private(set) var settings: Settings
    let log: Logger
    let loop: EventLoop
    let memory = MemoryTrimmer()
    let server: VarlinkServer<ClientState>
    let database: StateDatabase
    let permissions: PermissionCenter
    let uses: UseRecorder
    /// Why no beacons are received, as text; nil if they are, or if nothing needs them.
    var beaconProblem: String?

    init(_ settings: Settings, log: Logger) throws {
        self.settings = settings
        self.log = log
        loop = try EventLoop()
        server = VarlinkServer(
            try ServiceDirectory(
                vendor: "Sextant", product: "sextantd", version: SextantVersion.current, url: "https://sextant.io",
                naming: Interface.allCases.map(\.rawValue), upgradable: [ReceiverMethods.feed.name],
                text: { Interface(rawValue: $0)?.text }),
            limits: ServerLimits(settings),
            subordinateUsers: SubordinateUserFile { error in
                log.warning("programs in containers of users count as users of their own: \(error)")
            }, loop: loop)
        database = StateDatabase(directory: settings.state, log: log)
        permissions = PermissionCenter(database: database, policy: settings.permissions, log: log)
        uses = UseRecorder(
            database, server: server, permissions: permissions, memory: memory, socket: settings.socket, log: log)
        locator.emitsPlans = settings.power == .auto
        locator.emitsReadPolicies = true
        locator.publishesEarly = true
    }

    /// Applies settings, before the services apply them.
    func apply(_ settings: Settings, at now: Instant) {
        self.settings = settings
        server.limits = ServerLimits(settings)
        updateReferenceTime(at: now)
        permissions.apply(settings.permissions)
    }

    /// Sets the core's reference date to the host's date, or to the release date if the host's
    /// clock was never set.
    func updateReferenceTime(at now: Instant) {
        let host = HostClock.utc
        guard let released = UTCTime(rfc3339: SextantVersion.releaseDate) else { return }
        locator.setReference(max(host, released), guessesDay: host >= released, isFloor: host < released, at: now)
    }
}
