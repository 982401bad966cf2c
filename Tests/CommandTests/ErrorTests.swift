import Testing
import Varlink
import Wire

@testable import sextant

@Suite("Errors and how they end")
struct ErrorTests {
    private let path = "/run/sextant/io.sextant"

    @Test(
        "A daemon that cannot be reached: the socket, the reason, the mend, and 69",
        arguments: [
            (2 as Int32, "there is no socket"), (111, "nobody listens"), (13, "may not be opened"), (88, "is not a socket"),
        ])
    func unreachable(_ code: Int32, _ words: String) {
        let error = CommandError(daemon: .connecting(path: path, errno: code))
        #expect(error.description.contains(words) && error.description.contains(path))
        #expect(error.exitStatus == .unavailable)
    }

    @Test(
        "The mend is doctor's: the service for the usual socket where there is one, else the daemon by hand",
        arguments: [2 as Int32, 111], [Observations.Service.installed, .notInstalled, .noSystemd])
    func mend(_ code: Int32, _ service: Observations.Service) {
        for place in [path, "/tmp/s"] {
            let error = CommandError(daemon: .connecting(path: place, errno: code), service: service)
            let mend = DaemonStart(socket: place, service: service, hasEnded: code == 111, user: SystemService.user)
            #expect(error.description.hasSuffix("; \(mend.words): \(mend.command)"))
            #expect(mend.command.contains("systemctl") == (place == path && service == .installed))
        }
    }

    @Test("No position is 2, with the daemon's reason")
    func noPosition() {
        let reply = VarlinkError(name: LocationUnavailableError.name, parameters: ["cause": "noFix", "detail": "no sky"])
        let error = CommandError(daemon: .failed(method: "m", error: reply))
        #expect(error == CommandError("no position: no sky", .nothing))
    }

    @Test("No such receiver is 2, with its name")
    func noReceiver() {
        let reply = VarlinkError(name: NoSuchReceiverError.receiverName, parameters: ["receiver": "ttyUSB9", "known": ["ttyACM0", "gps"]])
        let error = CommandError(daemon: .failed(method: "m", error: reply))
        #expect(error.exitStatus == .nothing && error.description.contains("ttyUSB9"))
        #expect(error.description.hasSuffix("there are: ttyACM0, gps"))
    }

    @Test("A file or a directory is no socket, though Linux says that it refuses")
    func noSocket() {
        for path in ["/", "/dev/null"] {
            let error = CommandError(daemon: .connecting(path: path, errno: 111))
            #expect(error == CommandError("\(path) is not a socket", .unavailable))
        }
    }

    @Test("A daemon without room for one more is 69, with the limit and the mend")
    func noRoom() {
        let reply = VarlinkError(name: TooManyConnectionsError.name, parameters: ["limit": 64])
        let error = CommandError(daemon: .failed(method: "m", error: reply))
        #expect(error.exitStatus == .unavailable)
        #expect(error.description.contains("64 are open") && error.description.contains("max_connections_per_user"))
    }

    @Test("A daemon that hangs up or is silent is 69")
    func gone() {
        #expect(CommandError(daemon: .disconnected(method: "m")).exitStatus == .unavailable)
        #expect(CommandError(daemon: .timedOut(method: "m")).exitStatus == .unavailable)
    }

    @Test("Statuses keep the numbers that scripts rely on")
    func statuses() {
        #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 64, 66, 69])
    }
}
