import Chronology
import DaemonSupport
import Geodesy
import ServiceRuntime
import SextantAPI
import SextantServiceAPI
import TestSupport
import Testing
import Varlink

@testable import Fleet

/// When the home location of Home Assistant follows the device.
@Suite struct HomeFollowerTests {
    /// A follower with what was sent and done, and a way to the north. A step is a minute.
    private struct Stage {
        var follower = HomeFollower()
        var minute = 0
        var sequence: Int64 = 0
        var sent: [Double] = []
        var done: [Int64] = []
        var isAccepted = true

        var now: Instant { .zero + .seconds(Double(minute) * 60) }

        mutating func report(metres: Double, accuracy: Double? = 5, minute: Int? = nil) throws {
            sequence += 1
            let start = try #require(Coordinate(latitude: 45, longitude: 0))
            let point = FleetPoint(
                start.moved(by: metres, bearing: 0),
                at: UTCTime(milliseconds: Int64(minute ?? self.minute) * 60_000 + sequence), accuracy: accuracy)
            done += follower.add(FleetRecord(sequence, .point(point)), at: now)
        }

        mutating func pass(minutes: Int) throws {
            for _ in 0..<minutes {
                minute += 1
                guard let (_, point) = follower.due(at: now) else { continue }
                let start = try #require(Coordinate(latitude: 45, longitude: 0))
                sent.append(start.distance(to: point.coordinate).rounded())
                #expect(follower.due(at: now) == nil && follower.deadline == nil)
                follower.finish(isAccepted: isAccepted)
            }
        }
    }

    @Test func `home is set after a rest of ten minutes, 500 m from the last one`() throws {
        var stage = Stage()
        try stage.report(metres: 0)
        try stage.pass(minutes: 9)
        #expect(stage.sent.isEmpty)
        try stage.pass(minutes: 100)
        #expect(stage.sent == [0] && stage.follower.deadline == nil)
        for metres in stride(from: 1_000.0, through: 20_000, by: 1_000) {
            try stage.report(metres: metres)
            try stage.pass(minutes: 1)
        }
        #expect(stage.sent == [0])
        try stage.report(metres: 20_100)
        try stage.pass(minutes: 10)
        #expect(stage.sent == [0, 20_100])
        // Each position but those that were sent is done with.
        #expect(stage.done == Array(2...21))
        try stage.report(metres: 20_500)
        try stage.pass(minutes: 60)
        #expect(stage.sent == [0, 20_100] && stage.done.last == 23)
    }

    @Test func `old, inaccurate and reduced positions, and events, are not used`() throws {
        var stage = Stage()
        stage.minute = 100
        try stage.report(metres: 0)
        try stage.report(metres: 5_000, minute: 50)
        try stage.report(metres: 5_000, accuracy: 201)
        try stage.report(metres: 5_000, accuracy: nil)
        #expect(stage.done == [2, 3, 4])
        try stage.pass(minutes: 30)
        #expect(stage.sent == [0])
        // Neither is an old one when nothing newer waits.
        try stage.report(metres: 5_000, minute: 60)
        try stage.pass(minutes: 30)
        #expect(stage.sent == [0])
    }

    @Test func `a position that is not accepted is sent again when the outbox repeats it`() throws {
        var stage = Stage()
        stage.isAccepted = false
        try stage.report(metres: 0)
        try stage.pass(minutes: 12)
        #expect(stage.sent == [0] && stage.follower.deadline == nil)
        stage.isAccepted = true
        try stage.report(metres: 0)
        try stage.pass(minutes: 1)
        #expect(stage.sent == [0, 0])
    }

    @Test func `the destination has Home Assistant's path, port and body`() throws {
        let plain = try Destination("homeassistant+http://127.0.0.1")
        #expect(plain.isHomeAssistant && !plain.isEncrypted && !plain.isTraccar)
        #expect(plain.httpURL() == "http://127.0.0.1:8123/api/services/homeassistant/set_location")
        let encrypted = try Destination("homeassistant+https://home.example")
        #expect(encrypted.isEncrypted && encrypted.port == 443)
        let point = FleetPoint(
            try #require(Coordinate(latitude: 45.5, longitude: -1.25)), at: UTCTime(milliseconds: 0), accuracy: 5,
            altitude: 98.6)
        #expect(HomeFollower.body(point) == ["latitude": 45.5, "longitude": -1.25, "elevation": 99])
    }

    private static func options(_ destination: String, in scratch: Scratch, token: String?) throws -> Reporter.Options {
        if let token { try scratch.write(token, to: "password") }
        var options = Reporter.Options(
            destination: try Destination(destination), user: "u", device: "d", tolerance: 25)
        options.credentials = try Credentials(directory: scratch.path)
        options.connectDelay = .zero
        return options
    }

    @Test func `no other server gets the token, and without one there is no start`() throws {
        let (scratch, loop) = (try Scratch(), try EventLoop())
        let log = ProgramLog(name: "test")
        let home = try HomeFollowerTests.options("homeassistant+http://127.0.0.1", in: scratch, token: nil)
        var other = home
        other.destination = try Destination("mqtt://127.0.0.1")
        #expect {
            _ = try FleetService(
                [other, home], state: scratch.path, monitors: [], socket: scratch("none"), loop: loop, log: log)
        } throws: { "\($0)".contains("would get its token: report to it with a unit of its own") }
        #expect {
            _ = try Reporter(home, outbox: scratch("outbox"), socket: nil, loop: loop, log: log)
        } throws: { "\($0)".contains("needs a token: write a long-lived access token") }
    }

    @Test func `an event does not wait behind a position that is held`() throws {
        let (scratch, loop) = (try Scratch(), try EventLoop())
        let home = try HomeFollowerTests.options("homeassistant+http://127.0.0.1", in: scratch, token: "t")
        let reporter = try Reporter(
            home, outbox: scratch("outbox"), socket: nil, loop: loop, log: ProgramLog(name: "test"))
        let isAdded = reporter.add(FleetEvent(.enter, of: "depot", in: "fleet", at: UTCTime(milliseconds: 0)))
        #expect(isAdded && reporter.presentStatus.events == 0)
    }

    /// A Home Assistant that prints what it gets, and accepts one token.
    private static let server = """
        import http.server
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                print(self.command, self.path, self.headers["Authorization"], body.decode(), flush=True)
                self.send_response(200 if self.headers["Authorization"] == "Bearer right" else 401)
                self.send_header("Content-Length", "0")
                self.end_headers()
            do_POST = do_GET
        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    @Test(arguments: ["right", "wrong"])
    func `the token is checked at the start, and sent with the position`(_ token: String) throws {
        let (scratch, loop) = (try Scratch(), try EventLoop())
        let file = try scratch.write(HomeFollowerTests.server, to: "server.py")
        let server = try ChildProcess(["/usr/bin/python3", file], record: scratch("server.log"))
        defer { server.destroy() }
        try waitUntil("the port; \(server.output)") { server.output.contains("\n") }
        let port = try #require(server.output.split(separator: "\n").first)
        let options = try HomeFollowerTests.options("homeassistant+http://127.0.0.1:\(port)", in: scratch, token: token)
        let place = try #require(Coordinate(latitude: 45.5, longitude: -1.25))
        let record = FleetRecord(1, .point(FleetPoint(place, at: UTCTime(milliseconds: 0), accuracy: 5)))
        var found: [String] = []
        let encryption = try OwnTracksEncryption(key: nil)
        let uplink = HTTPUplink(options, encryption: encryption, delay: .zero, loop: loop) { event in
            found.append("\(event)")
            if case .connected = event { return }
            loop.exit(0)
        }
        let limit = Deadline(timeout)
        loop.onDeadline = { now in
            if !found.isEmpty { _ = uplink.send(record, of: DeviceState(), trigger: nil) }
            // The rest of ten minutes has passed once the position is held.
            uplink.tick(at: found.isEmpty ? now : now + .seconds(601))
            if limit.isPast { loop.exit(1) }
        }
        loop.afterEachIteration = { loop.setDeadline(loop.now + .milliseconds(5)) }
        loop.setDeadline(loop.now)
        #expect(try loop.run() == 0)
        #expect(server.output.contains("GET /api/ Bearer \(token)"), "\(server.output)")
        guard token == "right" else {
            #expect(found.count == 1 && found[0].contains("status 401; write a long-lived access token"), "\(found)")
            return
        }
        #expect(found.count == 2 && found[0] == "connected" && found[1].contains("delivered([1]"), "\(found)")
        let line = #"POST /api/services/homeassistant/set_location Bearer right {"latitude":45.5,"longitude":-1.25}"#
        #expect(server.output.contains(line), "\(server.output)")
    }
}
