import Chronology
import Glibc
import SextantAPI
import TestSupport
import Testing
import Varlink
import VarlinkClient

@testable import sextantd

extension WholeDaemon {
    /// Clients that see what others use, without taking it from them.
    @Suite struct Watching {
        private static let watch = "io.sextant.Monitor.Watch"

        @Test func `events of a monitor are seen without being taken from the client that has it open`() throws {
            try TestDaemon.runWithPort { daemon, port in
                var places = Places()
                try daemon.waitForFix(&places, port)
                let client = try daemon.connect()
                let owner = try daemon.connect().open("home")
                let watch = try Watch(daemon, Watching.watch)
                let first = try watch.next()
                #expect(first["name"] == "home" && first["monitor"]?["isOpen"] == true && first["event"] == nil)
                try client.addCircle("x", at: Places.origin, to: "home")

                try port.send(places.next(3))
                let event = try owner.next()
                let seen = try watch.next { $0["event"] != nil }
                #expect(seen["event"] == event.json && seen["record"]?["state"] == "satisfied")
                #expect(seen["monitor"]?["pending"] == 1)
                #expect(try client.acknowledge([event.id], of: "home") == 1, "the event is still pending")
                let acknowledged = try watch.next { $0["monitor"]?["pending"] == 0 }
                #expect(acknowledged["event"] == nil)

                // A second monitor appears, changes and goes.
                try client.addCircle("y", at: Places.origin, to: "boat")
                let added = try watch.next { $0["name"] == "boat" }
                #expect(added["monitor"]?["conditions"] == 1)
                try client.call("io.sextant.Monitor.Delete", ["name": "boat"])
                let deleted = try watch.next { $0["name"] == "boat" && $0["monitor"] == nil }
                #expect(deleted["program"] == added["program"])
            }
        }

        @Test func `a monitor that does not exist can be watched until it does`() throws {
            try TestDaemon.run { daemon in
                let watch = try Watch(daemon, Watching.watch, ["name": "home"])
                #expect(try watch.next()["monitor"] == nil)
                let client = try daemon.connect()
                try client.addCircle("x", at: Places.origin, to: "boat")
                try client.addCircle("x", at: Places.origin, to: "home")
                let reply = try watch.next()
                #expect(reply["name"] == "home" && reply["monitor"]?["conditions"] == 1, "only this monitor")
                let failure = try client.failure(of: Watching.watch)
                #expect(failure.name == "org.varlink.service.ExpectedMore")
            }
        }

        @Test(.needsAdministrator) func `a denied program sees its monitor and the denial, until a grant`() throws {
            let configuration = "[receivers]\ndiscover = false\n[permissions]\ndefault = \"denied\"\n"
            try TestDaemon.run(configuration: configuration) { daemon in
                let client = try daemon.connect()
                try client.addCircle("x", at: Places.origin, to: "home")
                let watch = try Watch(daemon, Watching.watch)
                let first = try watch.next()
                let monitor = try #require(first["monitor"])
                #expect(monitor["authorizationDenied"] == true || monitor["authorizationRestricted"] == true)
                let grant: JSONValue = ["program": first["program"] ?? .null, "authorization": "always"]
                try client.call("io.sextant.Permission.Set", grant)
                let granted = try watch.next()
                #expect(granted["monitor"]?["authorizationDenied"] == nil)
            }
        }

        @Test(.enabled(if: Foreign.runsAsOtherUser, "no python3 that user 65534 may run"), arguments: [true, false])
        func `a denied reader gets nothing at an event, and a removed grant ends a watch`(isDenied: Bool) throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            let gate = scratch("gate")
            #expect(mkfifo(gate, 0o666) == 0)
            let base = "[receivers]\ndiscover = false\n"
            let denial = "[[permissions.grant]]\nuser = \(OtherUser.id)\nauthorization = \"denied\"\n"
            let configuration = base + "[monitors]\nreaders = [\(OtherUser.id)]\n" + (isDenied ? denial : "")
            try TestDaemon.run(devices: [port.link], configuration: configuration, scratch: scratch) { daemon in
                var places = Places()
                try daemon.waitForFix(&places, port)
                let owner = try daemon.connect().open("home")
                try daemon.connect().addCircle("x", at: Places.origin, to: "home")
                let script = try Foreign.run(
                    "watching_user.py", [daemon.socket, isDenied ? "denied" : "revoked", gate], asOtherUser: true,
                    scratch)
                // The script opens the pipe after the first reply; before, it has no reader.
                var pipe: Int32 = -1
                try waitUntil("the first reply") {
                    pipe = open(gate, O_WRONLY | O_NONBLOCK)
                    return pipe >= 0 || !script.isRunning
                }
                if isDenied {
                    try port.send(places.next(3))
                    _ = try owner.next()
                } else {
                    try scratch.write(base, to: "sextant.toml")
                    daemon.process.send(SIGHUP)
                    try waitUntil("the reload") { daemon.logged("configuration reloaded") == 1 }
                }
                close(pipe)
                #expect(try script.waitForEnd() == .code(0), "\(script.output)")
            }
        }

        @Test func `the status and the consumers are sent when they change, at the interval of the client`() throws {
            try TestDaemon.run { daemon in
                let watch = try Watch(daemon, "io.sextant.Manager.Watch", ["minimumInterval": 0.2])
                let first = try watch.next()
                #expect(first["status"]?["streams"] == 0 && first["consumers"]?.array?.isEmpty == true)
                let stream = try daemon.subscribe(options: ["application": "anna"])
                let second = try watch.next { $0["status"]?["streams"] == 1 }
                let owner = second["consumers"]?.array?.first?["owner"]?.string ?? ""
                #expect(owner.hasSuffix("/anna"), "who looks is a part of the program: \(owner)")
                withExtendedLifetime(stream) {}
                let client = try daemon.connect()
                for interval in [0.1, 3601.0] {
                    let failure = try client.failure(
                        of: "io.sextant.Manager.Watch", ["minimumInterval": .double(interval)])
                    #expect(failure.name == "org.varlink.service.InvalidParameter")
                }
            }
        }

        @Test(.enabled(if: Foreign.runsAsOtherUser, "no python3 that user 65534 may run"))
        func `programs that the configuration names read and edit the monitors of all users`() throws {
            for mode in ["readers", "editors"] {
                let configuration = "[receivers]\ndiscover = false\n[monitors]\n\(mode) = [\(OtherUser.id)]\n"
                try TestDaemon.run(configuration: configuration) { daemon in
                    let client = try daemon.connect()
                    try client.addCircle("x", at: Places.origin, to: "home")
                    let monitors = try client.call("io.sextant.Monitor.ListMonitors")["monitors"]?.array ?? []
                    let own = try #require(monitors.first?["program"]?.string)
                    let script = try Foreign.run(
                        "granted_user.py", [daemon.socket, own, mode], asOtherUser: true, daemon.scratch)
                    #expect(try script.waitForEnd() == .code(0), "\(script.output)")
                }
            }
        }
    }
}

/// A stream whose replies are checked.
private final class Watch {
    private var stream: ReplyStream
    private let checks: InterfaceChecks
    private let method: String

    init(_ daemon: TestDaemon, _ method: String, _ parameters: JSONValue = [:]) throws {
        checks = try daemon.interfaces()
        stream = try BlockingClient.connect(path: daemon.socket).stream(method, with: parameters)
        self.method = method
    }

    /// Waits for the next reply that satisfies a predicate.
    func next(where isWanted: (JSONValue) -> Bool = { _ in true }) throws -> JSONValue {
        while let reply = try stream.next(timeout: timeout) {
            try checks.check(reply.parameters, replyTo: method)
            let message = JSONValue.object(reply.parameters)
            if isWanted(message) { return message }
        }
        throw TestFailure("\(method) has ended")
    }
}

@Suite struct StatusWatchesTests {
    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    private func status(uptime: Double, streams: Int = 0) -> WatchedStatus {
        WatchedStatus(
            status: Status(
                version: "1", pid: 1, uptime: uptime, socket: "s", configuration: [], connections: 1, streams: streams,
                receivers: 0, receiversWithFix: 0, summary: ""))
    }

    /// Ends a turn with this state, and returns the clients that get it.
    private func endTurn(_ watches: inout StatusWatches, _ seconds: Double, streams: Int = 0) -> [Int] {
        watches.endTurn(at: at(seconds)) { _ in status(uptime: seconds, streams: streams) }.map(\.number)
    }

    @Test func `ages are no change, and a client waits for its interval`() {
        var watches = StatusWatches()
        watches.begin(1, interval: .seconds(5), with: status(uptime: 0), at: at(0))
        #expect(endTurn(&watches, 2) == [] && watches.deadline == at(5), "something may have changed")
        #expect(endTurn(&watches, 5) == [] && watches.deadline == nil, "an idle daemon is not woken")
        #expect(endTurn(&watches, 60, streams: 1) == [1], "a change after a while is sent at once")
        #expect(endTurn(&watches, 61, streams: 2) == [] && watches.deadline == at(65))
        watches.invalidate(1, at: at(61))
        #expect(endTurn(&watches, 61, streams: 2) == [1], "a change of permission does not wait")
    }

    @Test func `a client that gets the consumers is compared, though one that does not saw no change`() {
        var watches = StatusWatches()
        watches.begin(1, interval: .seconds(1), with: status(uptime: 0), at: at(0))
        var full = status(uptime: 0)
        full.consumers = []
        watches.begin(2, interval: .seconds(5), with: full, at: at(0))
        // A new lease, for example.
        #expect(endTurn(&watches, 2) == [] && watches.deadline == at(5))
    }

    @Test func `clients of an idle daemon do not wake it for each other`() {
        var watches = StatusWatches()
        for number in 0..<60 {
            watches.begin(number, interval: .seconds(1), with: status(uptime: 0), at: at(Double(number) * 0.01))
        }
        #expect(endTurn(&watches, 0.7) == [])
        var turns = 0
        while let deadline = watches.deadline, turns < 1000 {
            _ = watches.endTurn(at: deadline) { _ in status(uptime: 1) }
            turns += 1
        }
        #expect(turns <= 60, "each compares once")
        #expect(endTurn(&watches, 9, streams: 1).count == 60)
    }
}
