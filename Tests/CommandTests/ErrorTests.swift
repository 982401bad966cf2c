import SextantAPI
import TestSupport
import Testing
import Varlink
import VarlinkClient

@testable import sextant

@Suite("Errors and exit statuses")
struct ErrorTests {
    private let path = "/run/sextant/io.sextant"

    @Test(arguments: [
        (2 as Int32, "there is no socket"), (111, "no process listens"), (13, "permission denied"),
        (88, "is not a socket"),
    ])
    func `an unreachable daemon is reported with path and reason and exits with 69`(code: Int32, reason: String) {
        let error = CommandError(daemon: .connecting(path: path, errno: code))
        #expect(error.description.contains(reason) && error.description.contains(path))
        #expect(error.exitStatus == .unavailable)
    }

    @Test(arguments: [2 as Int32, 111], [Observations.Service.installed, .notInstalled, .noSystemd])
    func `the remedy starts the service for the default socket, else the daemon`(
        code: Int32, service: Observations.Service
    ) {
        for place in [path, "/tmp/sextant-no-such-socket"] {
            let error = CommandError(daemon: .connecting(path: place, errno: code), service: service)
            let remedy = DaemonStartAdvice(
                socket: place, service: service, hasEnded: code == 111, user: SystemService.user)
            #expect(error.description.hasSuffix("; \(remedy.displayText): \(remedy.command)"))
            #expect(remedy.command.contains("systemctl") == (place == path && service == .installed))
        }
    }

    @Test
    func `the daemon of a user who is not root gets a state directory of its own`() {
        func command(_ user: String) -> String {
            DaemonStartAdvice(socket: "/tmp/s", service: .installed, hasEnded: false, user: user).command
        }
        #expect(command("ann") == "sextantd --socket /tmp/s --state ~/.local/state/sextant")
        #expect(command("root") == "sextantd --socket /tmp/s")
    }

    @Test
    func `a missing position exits with 2 and the reason of the daemon`() {
        let reply = VarlinkError(
            name: "io.sextant.Location.LocationUnavailable", parameters: ["cause": "noFix", "detail": "no sky"])
        let error = CommandError(daemon: .failed(method: "m", error: reply))
        #expect(error == CommandError("no position: no sky", exitStatus: .noResult))
    }

    @Test
    func `an unknown receiver exits with 2 and lists the known receivers`() {
        let reply = VarlinkError(
            name: NoSuchReceiverError.name(in: .receiver),
            parameters: ["receiver": "ttyUSB9", "known": ["ttyACM0", "gps"]])
        let error = CommandError(daemon: .failed(method: "m", error: reply))
        #expect(error.exitStatus == .noResult && error.description.contains("ttyUSB9"))
        #expect(error.description.hasSuffix("known receivers: ttyACM0, gps"))
    }

    @Test(arguments: [Interface.location, .manager, .monitor, .receiver])
    func `a call without permission exits with 77 and the remedy of the daemon`(interface: Interface) {
        let reply = VarlinkError(
            name: PermissionDeniedError.name(in: interface),
            parameters: [
                "authorization": "denied", "decidedBy": "x", "detail": "no; to allow it: sudo sextant grant 7",
            ])
        let error = CommandError(daemon: .failed(method: "m", error: reply))
        #expect(error == CommandError("no; to allow it: sudo sextant grant 7", exitStatus: .notPermitted))
    }

    @Test
    func `a path that is not a socket is reported as such`() {
        for path in ["/", "/dev/null"] {
            let error = CommandError(daemon: .connecting(path: path, errno: 111))
            #expect(error.description.hasPrefix("\(path) is not a socket; name the socket of sextantd with --socket"))
            #expect(error.exitStatus == .unavailable)
        }
    }

    @Test(arguments: [
        ClientError.connecting(path: "/s", errno: 91),
        .protocolFailure(method: "m", .violation(.notAnObject)),
        .failed(method: "m", error: ServiceError.interfaceNotFound(interface: "io.sextant.Manager").reply),
    ])
    func `another program on the socket is reported with a remedy and exits with 69`(error: ClientError) {
        let error = CommandError(daemon: error)
        #expect(error.exitStatus == .unavailable && !error.description.contains("Varlink"))
        #expect(error.description.contains("; name the socket of sextantd with --socket or SEXTANT_SOCKET"))
        #expect(!error.description.contains("not sextantd") || error.description.contains(", or it is an earlier"))
    }

    @Test
    func `a daemon that does not reply ends a command before its call`() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/sock"
        let listener = try FakeDaemon.listener(at: path)
        let client = try BlockingClient.connect(path: path)
        let error = #expect(throws: ClientError.self) {
            try DaemonOptions.declareSession(on: client, timeout: .milliseconds(10))
        }
        guard case .timedOut? = error else { throw TestFailure("\(String(describing: error))") }
        withExtendedLifetime(listener) {}
    }

    @Test
    func `a full daemon exits with 69, its limit and the remedy`() throws {
        let settings = [
            "program": "max_connections_per_program", "user": "max_connections_per_user", "all": "max_connections ",
        ]
        for scope in LimitScope.allCases {
            let reply = ManagerError.tooManyConnections(limit: 64, scope: scope).reply
            let error = CommandError(daemon: .failed(method: "m", error: reply))
            #expect(error.exitStatus == .unavailable)
            let setting = try #require(settings[scope.rawValue])
            #expect(error.description.contains("limit: 64") && error.description.contains(setting))
        }
        let earlier = ManagerError.tooManyConnections(limit: 64, scope: nil).reply
        #expect(CommandError(daemon: .failed(method: "m", error: earlier)).description.contains("limit: 64"))
    }

    @Test
    func `a disconnected or unresponsive daemon exits with 69`() {
        #expect(CommandError(daemon: .disconnected(method: "m")).exitStatus == .unavailable)
        #expect(CommandError(daemon: .timedOut(method: "m")).exitStatus == .unavailable)
    }

    @Test(arguments: [["fence", "list"], ["usage"], ["fence", "add", "a", "--circle", "1,2,300"], ["grant", "7"]])
    func `a locked database is named, and no change is claimed that nobody made`(arguments: [String]) throws {
        let parameters = #"{"reason":"opening sextant.db: database is locked; stop that process"}"#
        let monitor = FakeDaemon.CallResult.error("io.sextant.Monitor.PersistenceUnavailable", parameters)
        let permission = FakeDaemon.CallResult.error("io.sextant.Permission.PersistenceUnavailable", parameters)
        let daemon = FakeDaemon(results: [
            MonitorMethods.listMonitors.name: monitor, MonitorMethods.add.name: monitor,
            PermissionMethods.getUsage.name: permission, PermissionMethods.set.name: permission,
        ])
        let outcome = try daemon.run(arguments)
        #expect(outcome.status == 1 && outcome.errors.contains("cannot use its database: opening sextant.db: database"))
        #expect(!outcome.errors.contains("save the change"), "\(outcome.errors)")
    }

    @Test
    func `exit statuses keep their numbers`() {
        #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 64, 66, 69, 77])
    }
}
