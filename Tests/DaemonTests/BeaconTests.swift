import Chronology
import DaemonSupport
import Geofencing
import Glibc
import Locator
import Receivers
import ServiceRuntime
import TestSupport
import Testing
import Varlink
import VarlinkClient

@testable import sextantd

@Suite struct BeaconServiceTests {
    private static let beacon = BeaconIdentity("F7826DA6-4FA4-4E98-8024-BC5B71E0893E/1/2")
    private let scratch: Scratch
    private let context: ServiceContext
    private let service: BeaconService

    init() throws {
        scratch = try Scratch()
        var settings = Settings()
        settings.state = scratch.path
        settings.socket = scratch("socket")
        context = try ServiceContext(settings, log: LogRecorder().log)
        service = BeaconService(context, monitors: MonitorService(context))
    }

    /// Replaces the only condition.
    private func set(isMonitored: Bool, at now: Instant) throws {
        let beacon = try #require(Self.beacon)
        let entry = GeofenceEngine.Entry(
            id: ConditionID(1), condition: FenceCondition(.beacon(beacon)),
            snapshot: isMonitored ? nil : ConditionSnapshot(state: .unmonitored))
        context.locator.updateBeacons { monitor, _ in
            monitor.remove(entry.id)
            monitor.add(entry, beacon, at: now)
        }
    }

    @Test func `a need that cannot be written is tried again while it lasts`() throws {
        var now = context.loop.now
        // The daemon follows no link.
        symlink("absent", scratch("beacons"))
        try set(isMonitored: true, at: now)
        service.endTurn(at: now)
        #expect(context.beaconProblem?.contains("creating") == true && service.deadline == now + .seconds(10))
        try set(isMonitored: false, at: now)
        now = now + .seconds(10)
        service.endTurn(at: now)
        #expect(service.deadline == nil)
        try set(isMonitored: true, at: now)
        service.endTurn(at: now)
        unlink(scratch("beacons"))
        now = try #require(service.deadline)
        service.endTurn(at: now)
        #expect(context.beaconProblem == nil && access(scratch("beacons"), F_OK) == 0)
    }

    @Test func `a need that ends just after a problem began leaves nothing due`() throws {
        var now = context.loop.now
        try set(isMonitored: true, at: now)
        service.endTurn(at: now)
        now = now + .seconds(0.5)
        service.endTurn(at: now)
        context.locator.updateBeacons { monitor, _ in monitor.remove(ConditionID(1)) }
        service.endTurn(at: now)
        // Nobody receives beacons, half a second later nobody needs them any more, and then both
        // are to be told.
        for _ in 0..<4 { if let due = service.deadline { service.endTurn(at: due) } }
        #expect(service.deadline == nil)
    }

    @Test func `a device moves as long as its last position is new`() {
        let now = context.loop.now
        #expect(!service.isMoving(at: now))
        context.locator.attach(ReceiverID(1), name: "gps", port: "/dev/gps", status: .open, at: now)
        var drive = Drive()
        for second in 0..<3 {
            let bytes = drive.next()
            _ = context.locator.receive(bytes.span.bytes, from: ReceiverID(1), at: now + .seconds(Double(second)))
        }
        #expect(service.isMoving(at: now + .seconds(2)) && !service.isMoving(at: now + .seconds(13)))
    }
}

extension WholeDaemon {
    /// Beacons at the socket: what `sextant-beacons` reports, and what programs get.
    @Suite(.needsAdministrator) struct Beacons {
        private static let uuid = "F7826DA6-4FA4-4E98-8024-BC5B71E0893E"
        private static let beacon: JSONValue = ["uuid": .string(uuid), "major": 1, "minor": 2]

        private static func run(_ more: String = "", _ body: (TestDaemon) throws -> Void) throws {
            try TestDaemon.run(configuration: "[receivers]\ndiscover = false\n\(more)\n", body)
        }

        /// Begins to receive beacons, and returns what is to be received.
        private static func scan(_ daemon: TestDaemon) throws -> (stream: ReplyStream, first: JSONValue) {
            var stream = try BlockingClient.connect(path: daemon.socket).stream(
                "io.sextant.Beacon.Scan", with: JSONValue.object([:]))
            let first = try #require(try stream.next(timeout: timeout))
            return (stream, .object(first.parameters))
        }

        private static func report(
            _ daemon: TestDaemon, count: Int = 3, rssi: Double = -65, problem: String? = nil
        ) throws {
            var parameters: [String: JSONValue] = ["sightings": [], "listened": 1]
            if count > 0 {
                parameters["sightings"] = [
                    ["beacon": beacon, "power": -59, "rssi": .double(rssi), "count": .int(Int64(count))]
                ]
            }
            parameters["problem"] = problem.map { .string($0) }
            try daemon.connect().call("io.sextant.Beacon.Report", .object(parameters))
        }

        private static func add(_ daemon: TestDaemon, _ identifier: String, _ beacon: JSONValue) throws {
            try daemon.connect().call(
                "io.sextant.Monitor.Add",
                ["name": "shop", "conditions": [["identifier": .string(identifier), "beacon": beacon]]])
        }

        private static func record(_ daemon: TestDaemon, _ identifier: String) throws -> JSONValue {
            try daemon.connect().call(
                "io.sextant.Monitor.GetRecord", ["name": "shop", "identifier": .string(identifier)])["record"] ?? .null
        }

        @Test func `a sighting satisfies conditions of three granularities, and outlives SIGKILL`() throws {
            try Self.run { daemon in
                #expect(access(daemon.scratch("beacons"), F_OK) != 0)
                try Self.add(daemon, "any", ["uuid": .string(Self.uuid)])
                try Self.add(daemon, "site", ["uuid": .string(Self.uuid), "major": 1])
                try Self.add(daemon, "one", Self.beacon)
                try Self.add(daemon, "other", ["uuid": .string(Self.uuid), "major": 2])
                try waitUntil("the file of the path unit") { access(daemon.scratch("beacons"), F_OK) == 0 }
                let monitor = try daemon.connect().open("shop")
                let (scanner, plan) = try Self.scan(daemon)
                #expect(plan["pace"] == "continuous" && plan["all"] == false)
                #expect(plan["beacons"]?.array?.count == 4)
                try Self.report(daemon)
                let events = try (0..<3).map { _ in try monitor.next() }
                #expect(events.map(\.identifier) == ["any", "site", "one"])
                #expect(events.allSatisfy { $0.kind == "determined" && $0.state == "satisfied" })
                #expect(events.allSatisfy { $0.json["beacon"] == Self.beacon && $0.json["date"]?.string != nil })
                #expect(try Self.record(daemon, "other")["state"] == "unknown")
                withExtendedLifetime(scanner) {}
                daemon.kill()
                _ = try daemon.process.waitForEnd()
                try daemon.startAgain()
                #expect(try Self.record(daemon, "any")["state"] == "satisfied")
                let again = try daemon.connect().open("shop")
                #expect(try again.next().json["beacon"] == Self.beacon)
            }
        }

        @Test func `without a condition nothing is to be received`() throws {
            try Self.run { daemon in
                let (stream, plan) = try Self.scan(daemon)
                #expect(plan["beacons"] == [] && plan["all"] == false)
                withExtendedLifetime(stream) {}
                try Self.add(daemon, "any", ["uuid": .string(Self.uuid)])
                try waitUntil("the file") { access(daemon.scratch("beacons"), F_OK) == 0 }
                var (scanner, first) = try Self.scan(daemon)
                #expect(first["beacons"]?.array?.count == 1)
                try daemon.connect().call("io.sextant.Monitor.Remove", ["name": "shop", "identifiers": ["any"]])
                // For 10 s the program stays, with pauses.
                let lingering = try #require(try scanner.next(timeout: timeout))
                #expect(lingering.parameters["pace"] == "saving" && lingering.continues)
                let last = try #require(try scanner.next(timeout: timeout))
                #expect(last.parameters["beacons"] == [] && !last.continues)
                #expect(access(daemon.scratch("beacons"), F_OK) != 0)
            }
        }

        @Test func `a problem is a flag of records, and is told to the open monitor`() throws {
            try Self.run { daemon in
                try Self.add(daemon, "any", ["uuid": .string(Self.uuid)])
                let client = try RawClient(daemon.socket)
                client.send(#"{"method":"io.sextant.Monitor.Open","parameters":{"name":"shop"},"more":true}"# + "\0")
                #expect(try client.next()?.parameters["monitor"] != nil)
                let (stream, _) = try Self.scan(daemon)
                try Self.report(daemon, count: 0, problem: "there is no Bluetooth adapter")
                let told = try #require(try client.next()?.parameters["record"])
                #expect(told["conditionUnsupported"] == "there is no Bluetooth adapter")
                #expect(told["state"] == "unmonitored")
                try Self.report(daemon)
                let record = try Self.record(daemon, "any")
                #expect(record["conditionUnsupported"] == nil && record["state"] == "satisfied")
                withExtendedLifetime(stream) {}
            }
        }

        @Test func `a client that opens a monitor causes no records of others`() throws {
            try Self.run { daemon in
                try Self.add(daemon, "any", ["uuid": .string(Self.uuid)])
                let client = try RawClient(daemon.socket)
                client.send(#"{"method":"io.sextant.Monitor.Open","parameters":{"name":"shop"},"more":true}"# + "\0")
                #expect(try client.next()?.parameters["monitor"] != nil)
                let (stream, _) = try Self.scan(daemon)
                try Self.report(daemon, count: 0, problem: "none")
                #expect(try client.next()?.parameters["record"]?["condition"]?["identifier"] == "any")
                let other = try RawClient(daemon.socket)
                other.send(#"{"method":"io.sextant.Monitor.Open","parameters":{"name":"other"},"more":true}"# + "\0")
                #expect(try other.next()?.parameters["monitor"] != nil)
                try Self.add(daemon, "second", ["uuid": .string(Self.uuid)])
                #expect(try client.next()?.parameters["record"]?["condition"]?["identifier"] == "second")
                withExtendedLifetime(stream) {}
            }
        }

        @Test func `a beacon that is carried away leaves the stream of distances`() throws {
            try Self.run("[beacons]\nabsence = \"10 s\"") { daemon in
                var range = try BlockingClient.connect(path: daemon.socket).stream(
                    "io.sextant.Beacon.Range", with: JSONValue.object([:]))
                #expect(try range.next(timeout: timeout)?.parameters["beacons"] == [])
                let (stream, _) = try Self.scan(daemon)
                try Self.report(daemon, rssi: -59)
                var zones: [JSONValue] = []
                while let beacons = try range.next(timeout: timeout)?.parameters["beacons"]?.array,
                    let zone = beacons.first?["zone"]
                {
                    if zones.last != zone { zones.append(zone) }
                }
                #expect(zones == ["near", "unknown"])
                withExtendedLifetime(stream) {}
            }
        }

        @Test func `a need that cannot be written is a problem, and is written later`() throws {
            try Self.run { daemon in
                // The daemon follows no link.
                let file = daemon.scratch("beacons")
                #expect(symlink("absent", file) == 0)
                try Self.add(daemon, "any", ["uuid": .string(Self.uuid)])
                try waitUntil("the reason") {
                    try Self.record(daemon, "any")["conditionUnsupported"]?.string?.contains("creating") == true
                }
                #expect(unlink(file) == 0)
                try waitUntil("the file") { access(file, F_OK) == 0 }
                #expect(try Self.record(daemon, "any")["conditionUnsupported"] == nil)
                let reply = try daemon.connect().call("io.sextant.Beacon.Range", [:])
                #expect(reply["problem"]?.string?.contains("more") == true)
            }
        }

        @Test func `a program that is denied learns of no beacon, and one that is not gets distances`() throws {
            try Self.run { daemon in
                var range = try BlockingClient.connect(path: daemon.socket).stream(
                    "io.sextant.Beacon.Range", with: JSONValue.object([:]))
                #expect(try range.next(timeout: timeout)?.parameters["beacons"] == [])
                let (stream, plan) = try Self.scan(daemon)
                #expect(plan["all"] == true && plan["pace"] == "ranging")
                try Self.report(daemon, rssi: -59)
                let reading = try #require(try range.next(timeout: timeout)?.parameters["beacons"]?.array?.first)
                #expect(reading["beacon"] == Self.beacon && reading["zone"] == "near" && reading["rssi"] == -59)
                #expect((1...2).contains(try #require(reading["accuracy"]?.double)))
                withExtendedLifetime(stream) {}
                let power = try daemon.connect().call("io.sextant.Manager.GetPower")
                #expect(power["beacons"]?["seconds"] == 1)
            }
            try Self.run("[permissions]\ndefault = \"denied\"") { daemon in
                var range = try BlockingClient.connect(path: daemon.socket).stream(
                    "io.sextant.Beacon.Range", with: JSONValue.object([:]))
                let first = try #require(try range.next(timeout: timeout))
                #expect(first.parameters["beacons"] == [] && first.parameters["permissionDenied"]?.string != nil)
                try Self.add(daemon, "any", ["uuid": .string(Self.uuid)])
                let (stream, plan) = try Self.scan(daemon)
                #expect(plan["beacons"] == [] && plan["all"] == false)
                withExtendedLifetime(stream) {}
                let record = try Self.record(daemon, "any")
                #expect(record["state"] == "unmonitored" && record["authorizationDenied"] == true)
            }
        }

        @Test func `reports and beacons that are not valid are refused`() throws {
            try Self.run { daemon in
                let client = try daemon.connect()
                for beacon in [
                    ["uuid": "x"], ["uuid": .string(Self.uuid), "major": 65536],
                    ["uuid": .string(Self.uuid), "minor": 1], ["uuid": .string(Self.uuid), "major": -1],
                ] as [JSONValue] {
                    let condition: JSONValue = ["identifier": "a", "beacon": beacon]
                    let error = try client.failure(
                        of: "io.sextant.Monitor.Add", ["name": "shop", "conditions": [condition]])
                    #expect(error.name == "io.sextant.Monitor.InvalidCondition")
                    let range = try client.failure(of: "io.sextant.Beacon.Range", ["beacon": beacon])
                    #expect(range.name == "org.varlink.service.InvalidParameter")
                    let sighting: JSONValue = ["beacon": beacon, "rssi": -60, "count": 1]
                    let report = try client.failure(
                        of: "io.sextant.Beacon.Report", ["sightings": [sighting], "listened": 1])
                    #expect(report.name == "org.varlink.service.InvalidParameter")
                }
                let many = JSONValue.array(
                    Array(repeating: ["beacon": Self.beacon, "rssi": -60, "count": 1], count: 257))
                for bad in [["sightings": many, "listened": 1], ["sightings": [], "listened": -1]] as [JSONValue] {
                    #expect(
                        try client.failure(of: "io.sextant.Beacon.Report", bad).name
                            == "org.varlink.service.InvalidParameter")
                }
            }
        }
    }
}
