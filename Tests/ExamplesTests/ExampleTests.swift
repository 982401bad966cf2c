import DaemonSupport
import Glibc
import TestSupport
import Testing
import Varlink
import VarlinkClient

/// Each program of `Examples` beside the real daemon and a receiver that plays positions.
@Suite(.serialized) struct ExampleTests {
    /// Runs `body` with a daemon and its receiver.
    private func withReceiver(_ body: (TestDaemon, VirtualPort) throws -> Void) throws {
        let text = "[receivers]\ndiscover = false\npower = \"off\"\n"
        try TestDaemon.runWithPort(configuration: text) { daemon, port in
            try daemon.waitForReceiver("detectingBaudRate", "silent")
            try body(daemon, port)
        }
    }

    /// Starts a program of `Examples`.
    private func start(
        _ name: String, _ arguments: [String] = [], for daemon: TestDaemon, log: String = ""
    ) throws -> ChildProcess {
        try ChildProcess(
            [Programs.path(of: name)] + arguments,
            environment: ["SEXTANT_SOCKET": daemon.socket, "SEXTANT_LOG": log],
            record: daemon.scratch("\(name).out"))
    }

    /// Plays epochs until a condition holds.
    private func play(
        _ places: inout Places, on port: VirtualPort, until what: String, _ isMet: () throws -> Bool
    ) throws {
        try waitUntil(what) {
            try port.send(places.next())
            return try isMet()
        }
    }

    @Test func `where-am-i prints each position`() throws {
        try withReceiver { daemon, port in
            let program = try start("where-am-i", for: daemon)
            var places = Places()
            try play(&places, on: port, until: "a position") { program.output.contains("51.5") }
            #expect(program.output.contains("±") && program.isRunning)
        }
    }

    @Test func `with SEXTANT_LOG a program says what its calls do, and no position`() throws {
        try withReceiver { daemon, port in
            let program = try start("where-am-i", for: daemon, log: "debug")
            let method = "io.sextant.Location.Subscribe: "
            try waitUntil("a state: \(program.output)") { program.output.contains("\"locationUnavailable\":true") }
            #expect(program.output.contains("\(method)connection 1 to \(daemon.socket)\n"))
            var places = Places()
            try play(&places, on: port, until: "a position") { program.output.contains("±") }
            daemon.kill()
            try waitUntil("a loss: \(program.output)") { program.output.contains("; next attempt in ") }
            #expect(!program.output.split(separator: "\n").contains { $0.hasPrefix(method) && $0.contains("51.5") })
        }
    }

    @Test func `geofence-light switches on inside and off outside, and a restart misses no crossing`() throws {
        try withReceiver { daemon, port in
            let (file, home) = (daemon.scratch("brightness"), Places.origin)
            let arguments = ["\(home.latitude)", "\(home.longitude)", "200", file]
            func light() -> String { Scratch.text(of: file) }
            var places = Places()
            places.speed = 0
            var program = try start("geofence-light", arguments, for: daemon)
            try play(&places, on: port, until: "light on: \(program.output)") { light() == "1\n" }
            // The crossing happens while neither the program nor the daemon runs: a daemon that saw
            // the jump would count it as an outlier.
            program.destroy()
            daemon.kill()
            places.move(to: home.moved(north: 0, east: 4000))
            try daemon.startAgain()
            try daemon.waitForReceiver("detectingBaudRate", "silent")
            places.speed = 15
            let client = try BlockingClient.connect(path: daemon.socket)
            try play(&places, on: port, until: "a crossing") {
                let parameters: [String: JSONValue] = ["name": "light", "identifier": "place"]
                let reply = try client.call(
                    "io.sextant.Monitor.GetRecord", with: JSONValue.object(parameters))
                return reply["record"]?["state"]?.string == "unsatisfied"
            }
            #expect(light() == "1\n")
            program = try start("geofence-light", arguments, for: daemon)
            try waitUntil("light off: \(program.output)") { light() == "0\n" }
        }
    }

    @Test func `background-tracker continues its track after a restart`() throws {
        try withReceiver { daemon, port in
            let track = daemon.scratch("track.csv")
            func lines() -> [String] { Scratch.text(of: track).split(separator: "\n").map(String.init) }
            var places = Places()
            var count = 0
            for _ in 0..<2 {
                let program = try start("background-tracker", [track], for: daemon)
                try play(&places, on: port, until: "a longer track: \(program.output)") { lines().count > count + 2 }
                program.destroy()
                count = lines().count
            }
            #expect(lines().allSatisfy { $0.split(separator: ",").count == 4 && $0.contains(",51.") })
            #expect(lines() == lines().sorted(), "the time does not go back")
        }
    }

    @Test func `the program of the shared package measures a trip`() throws {
        try withReceiver { daemon, port in
            let program = try start("trip", for: daemon)
            var places = Places()
            try play(&places, on: port, until: "a distance: \(program.output)") {
                program.output.split(separator: "\n").contains { line in
                    line.prefix { $0.isNumber }.count >= 2 && !line.hasPrefix("0 m")
                }
            }
        }
    }

    @Test func `order-index continues after kills of itself and of the service, and finds every order`() throws {
        let scratch = try Scratch()
        let lines = (0..<3000).map { "\($0),Latte \($0),51.8,5.\($0)" }
        let file = try scratch.write(lines.joined(separator: "\n"), to: "orders.csv")
        let socket = scratch("io.sextant.Places")
        func start(_ name: String, _ arguments: [String]) throws -> ChildProcess {
            try ChildProcess(
                [Programs.path(of: name)] + arguments, environment: ["SEXTANT_SOCKET": scratch("io.sextant")],
                record: scratch("\(name).out"))
        }
        func state() -> Int {
            let parameters = JSONValue.object(["index": "orders"])
            let reply = try? BlockingClient.connect(path: socket).call(
                "io.sextant.Index.GetState", with: parameters)
            let bytes = reply?["state"]?.string.flatMap { Base64.decode($0) } ?? []
            return Int(String(decoding: bytes, as: UTF8.self)) ?? 0
        }
        var service: ChildProcess?
        for round in 1...6 {
            service = try start("sextant-places", ["--socket", socket, "--state", scratch("state")])
            try waitUntil("the service") { (try? BlockingClient.connect(path: socket)) != nil }
            let before = state()
            #expect(before >= (round - 1) * 200 && before % 100 == 0)
            let program = try start("order-index", ["add", file])
            try waitUntil("a further batch") { state() >= before + 200 || !program.isRunning }
            // Alternately the program and the service end first.
            if round % 2 == 0 { program.destroy() }
            service?.send(SIGKILL)
            _ = try service?.waitForEnd()
            program.destroy()
        }
        service = try start("sextant-places", ["--socket", socket, "--state", scratch("state")])
        try waitUntil("the service") { (try? BlockingClient.connect(path: socket)) != nil }
        #expect(try start("order-index", ["add", file]).waitForEnd(within: .seconds(60)) == .code(0))
        #expect(state() == 3000)
        let search = try start("order-index", ["find", "lat", "2999"])
        #expect(try search.waitForEnd() == .code(0))
        #expect(search.output.hasSuffix("2999 Latte 2999\n"), "\(search.output)")
        let all = try start("order-index", ["find", "coffee"])
        #expect(try all.waitForEnd(within: .seconds(60)) == .code(0))
        #expect(Set(all.output.split(separator: "\n").filter { $0.contains(" Latte ") }).count == 3000)
        _ = service
    }

    @Test func `without a daemon each program ends with a message and status 69`() throws {
        let scratch = try Scratch()
        let names = ["where-am-i", "trip", "background-tracker"]
        let programs = try names.map { name in
            try ChildProcess(
                [Programs.path(of: name)] + (name == "background-tracker" ? [scratch("track.csv")] : []),
                environment: ["SEXTANT_SOCKET": scratch("none")], record: scratch("\(name).out"))
        }
        // The library gives a daemon half a minute to start.
        for (name, program) in zip(names, programs) {
            #expect(try program.waitForEnd(within: .seconds(90)) == .code(69), "\(name): \(program.output)")
            #expect(
                program.output.hasPrefix("\(name): ") && program.output.contains(scratch("none")), "\(program.output)")
        }
    }

    @Test(arguments: [("--help", Int32(0)), ("-x", 64)])
    func `background-tracker takes no option for its file`(option: String, status: Int32) throws {
        let scratch = try Scratch()
        let program = try ChildProcess(
            ["/bin/sh", "-c", "cd \(scratch.path) && exec \(Programs.path(of: "background-tracker")) \(option)"],
            record: scratch("out"))
        #expect(try program.waitForEnd() == .code(status) && program.output.hasPrefix("usage: "))
        #expect(access(scratch(option), F_OK) != 0)
    }
}
