import Glibc
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    @Suite struct Monitors {
        private static let away = Places.origin.moved(north: 0, east: 4000)

        /// Runs a daemon with a confirmed receiver far from the origin.
        private func run(_ configuration: String = "", _ body: (TestDaemon, VirtualPort, inout Places) throws -> Void)
            throws
        {
            let text = "[receivers]\ndiscover = false\npower = \"off\"\n" + configuration
            try TestDaemon.runWithPort(configuration: text) { daemon, port in
                var places = Places()
                places.move(to: Monitors.away)
                try daemon.waitForFix(&places, port)
                try body(daemon, port, &places)
            }
        }

        /// Moves the receiver to a place while the daemon is down.
        private func restart(_ daemon: TestDaemon, _ port: VirtualPort, _ places: inout Places, at place: Places.Place)
            throws
        {
            daemon.kill()
            places.move(to: place)
            try daemon.startAgain()
            try daemon.waitForFix(&places, port)
        }

        @Test func `a circle is determined, entered and left`() throws {
            try run { daemon, port, places in
                let client = try daemon.connect()
                let stream = try daemon.connect().open("home")
                #expect(stream.monitor?["conditions"] == 0 && stream.monitor?["isOpen"] == true)
                #expect(
                    try client.addCircle("door", at: Places.origin, to: "home") == [
                        "added": 1, "replaced": 0, "unmonitored": [],
                    ])
                try port.send(places.next(3))
                let first = try stream.next()
                #expect((first.identifier, first.kind, first.state) == ("door", "determined", "unsatisfied"))
                #expect(
                    first.json["location"]?["horizontalAccuracy"] != nil && (first.json["margin"]?.double ?? 0) < -3000)
                #expect(try client.acknowledge([first.id], of: "home") == 1)
                #expect(try client.acknowledge([first.id, 999], of: "home") == 0)

                try restart(daemon, port, &places, at: Places.origin)
                let second = try daemon.connect().open("home").next()
                #expect((second.kind, second.state, second.folded) == ("entered", "satisfied", 0))
                #expect(second.id > first.id)

                // The unacknowledged event is sent again; the later one stays pending behind it.
                try restart(daemon, port, &places, at: Monitors.away)
                let again = try daemon.connect().open("home")
                #expect(try again.next() == second)
                let other = try daemon.connect()
                try waitUntil("the exit") { try other.record("door", of: "home")["isMorePending"] == true }
                #expect(try again.present() == nil)
                #expect(try other.acknowledge([second.id], of: "home") == 1)
                let third = try again.next()
                #expect((third.kind, third.state) == ("left", "unsatisfied"))
                let record = try other.record("door", of: "home")
                #expect(
                    record["lastEvent"]?["id"] == .int(Int64(second.id))
                        && record["pending"]?["id"] == .int(Int64(third.id)))
                #expect(
                    record["state"] == "unsatisfied" && (record["distance"]?.double ?? 0) < -3000
                        && record["evaluated"] != nil)
            }
        }

        @Test func `a determination that agrees with the assumed state outlives a restart`() throws {
            try run { daemon, port, places in
                let client = try daemon.connect()
                try client.addCircle("door", at: Places.origin, to: "home", more: ["assuming": "unsatisfied"])
                try port.send(places.next(3))
                try waitUntil("the determination") {
                    let record = try client.record("door", of: "home")
                    return record["state"] == "unsatisfied" && record["since"] != nil
                }
                let since = try client.record("door", of: "home")["since"]

                daemon.kill()
                try daemon.startAgain()
                let record = try daemon.connect().record("door", of: "home")
                #expect(record["state"] == "unsatisfied" && record["since"] == since)

                // The state is known, so a change is a crossing and not a determination.
                places.move(to: Places.origin)
                try daemon.waitForFix(&places, port)
                let event = try daemon.connect().open("home").next()
                #expect((event.kind, event.state) == ("entered", "satisfied"))
            }
        }

        @Test func `events without a client stay pending`() throws {
            try run { daemon, port, places in
                let client = try daemon.connect()
                try client.addCircle("door", at: Places.origin, to: "home", more: ["assuming": "unsatisfied"])
                try port.send(places.next(3))
                try waitUntil("the determination") { try client.record("door", of: "home")["since"] != nil }
                // While nothing ran a vehicle may have gone anywhere.
                try restart(daemon, port, &places, at: Places.origin)
                let again = try daemon.connect()
                try waitUntil("the entry") { try again.record("door", of: "home")["state"] == "satisfied" }
                let stream = try daemon.connect().open("home")
                #expect(stream.monitor?["pending"] == 1)
                #expect(try stream.next().kind == "entered")
            }
        }

        @Test func `a monitor has only one open client`() throws {
            try run { daemon, _, _ in
                let stream = try daemon.connect().open("home")
                let client = try daemon.connect()
                let error = try client.failure(of: "io.sextant.Monitor.Open", ["name": "home"])
                #expect(error.name == "org.varlink.service.ExpectedMore")
                #expect(throws: (any Error).self) { try daemon.connect().open("home") }
                let refused = try client.failure(of: "io.sextant.Monitor.Delete", ["name": "home"])
                #expect(refused.name == "io.sextant.Monitor.MonitorInUse" && refused.parameters["name"] == "home")
                _ = try daemon.connect().open("other")
                withExtendedLifetime(stream) {}
            }
            try run { daemon, _, _ in
                do { _ = try daemon.connect().open("home") }
                // The first client has disconnected.
                try waitUntil("the monitor to be free") { (try? daemon.connect().open("home")) != nil }
                try waitUntil("the monitor to be deleted") {
                    (try? daemon.connect().call("io.sextant.Monitor.Delete", ["name": "home"])) != nil
                }
                let gone = try daemon.connect().failure(of: "io.sextant.Monitor.List", ["name": "home"])
                #expect(gone.name == "io.sextant.Monitor.NoSuchMonitor")
            }
        }

        @Test func `conditions over the quota are flagged and monitored once space is free`() throws {
            try run("[monitors]\nmax_conditions_per_program = 2\nmax_conditions = 5\n") { daemon, port, places in
                let client = try daemon.connect()
                let circles = ["a", "b", "c"].map { circle($0, at: Places.origin) }
                let reply = try client.call("io.sextant.Monitor.Add", ["name": "home", "conditions": .array(circles)])
                #expect(reply == ["added": 3, "replaced": 0, "unmonitored": ["c"]])
                let again = try client.call("io.sextant.Monitor.Add", ["name": "home", "conditions": .array(circles)])
                #expect(again == ["added": 0, "replaced": 3, "unmonitored": ["c"]])
                let record = try client.record("c", of: "home")
                #expect(record["state"] == "unmonitored" && record["conditionLimitExceeded"] == true)
                let monitors = try client.call("io.sextant.Monitor.ListMonitors")["monitors"]?.array ?? []
                #expect(monitors.count == 1 && monitors[0]["unmonitored"] == 1 && monitors[0]["conditionLimit"] == 2)
                let more = ["d", "e", "f"].map { circle($0, at: Places.origin) }
                let refused = try client.failure(
                    of: "io.sextant.Monitor.Add", ["name": "other", "conditions": .array(more)])
                #expect(refused.name == "io.sextant.Monitor.TooManyConditions")
                #expect(refused.parameters["limit"] == 5 && refused.parameters["scope"] == "program")
                #expect(refused.parameters["reason"]?.string?.contains("max_conditions_per_program") == true)

                let stream = try daemon.connect().open("home")
                try port.send(places.next(3))
                #expect(try [stream.next().identifier, stream.next().identifier] == ["a", "b"])
                #expect(
                    try client.call("io.sextant.Monitor.Remove", ["name": "home", "identifiers": ["a", "zz"]]) == [
                        "removed": 1
                    ])
                try port.send(places.next(3))
                #expect(try stream.next().identifier == "c")
                #expect(try client.record("c", of: "home")["conditionLimitExceeded"] == false)
            }
        }

        @Test func `a program over its limit is logged once with its name`() throws {
            try run("[monitors]\nmax_conditions_per_program = 2\nmax_conditions = 20\n") { daemon, _, _ in
                let client = try daemon.connect()
                try client.addCircle("a", at: Places.origin, to: "home")
                try client.addCircle("b", at: Places.origin, to: "home")
                #expect(daemon.logged("not monitored") == 0)
                let more = ["c", "d", "e"].map { circle($0, at: Places.origin) }
                try client.call("io.sextant.Monitor.Add", ["name": "home", "conditions": .array(more)])
                try client.addCircle("f", at: Places.origin, to: "other")
                try client.addCircle("a", at: Places.origin, radius: 300, to: "home")
                let monitors = try client.call("io.sextant.Monitor.ListMonitors")["monitors"]?.array ?? []
                let program = monitors.first?["program"]?.string ?? ""
                #expect(daemon.logged("3 conditions of \(program) are not monitored: the limit is 2") == 1)
                #expect(daemon.logged("not monitored") == 1, "\(daemon.log)")

                // Within the limit and over it again.
                for (name, identifiers) in [("home", ["c", "d", "e"]), ("other", ["f"])] {
                    let identifiers = JSONValue.array(identifiers.map { .string($0) })
                    try client.call(
                        "io.sextant.Monitor.Remove", ["name": .string(name), "identifiers": identifiers])
                }
                try client.addCircle("g", at: Places.origin, to: "home")
                #expect(daemon.logged("1 condition of \(program) is not monitored") == 1, "\(daemon.log)")
            }
        }

        @Test func `a replaced condition keeps its place at the limit`() throws {
            try run("[monitors]\nmax_conditions_per_program = 20\nmax_conditions = 50\n") { daemon, port, places in
                let client = try daemon.connect()
                let names = (1...25).map { "c\($0)" }
                let circles = names.map { circle($0, at: Places.origin) }
                let add = "io.sextant.Monitor.Add"
                let reply = try client.call(add, ["name": "home", "conditions": .array(circles)])
                #expect(reply["unmonitored"] == ["c21", "c22", "c23", "c24", "c25"])
                // The last of a batch counts.
                let larger = [300, 400].map { circle("c3", at: Places.origin, radius: $0) }
                #expect(
                    try client.call(add, ["name": "home", "conditions": .array(larger)]) == [
                        "added": 0, "replaced": 2, "unmonitored": [],
                    ])
                #expect(
                    try client.addCircle("c22", at: Places.origin, radius: 300, to: "home")["unmonitored"] == ["c22"])
                let stream = try daemon.connect().open("home")
                try port.send(places.next(3))
                let determined = try (1...20).map { _ in try stream.next().identifier }
                #expect(Set(determined) == Set(names.prefix(20)))
                #expect(try client.record("c3", of: "home")["condition"]?["circle"]?["radius"] == 400)
                #expect(try client.record("c21", of: "home")["conditionLimitExceeded"] == true)

                daemon.kill()
                try daemon.startAgain()
                let again = try daemon.connect()
                #expect(try again.record("c3", of: "home")["conditionLimitExceeded"] == false)
                #expect(try again.record("c21", of: "home")["conditionLimitExceeded"] == true)
            }
        }

        @Test func `conditions are exported and imported as GeoJSON`() throws {
            try run("[monitors]\nmax_conditions_per_program = 0\n") { daemon, _, _ in
                let client = try daemon.connect()
                let ring: JSONValue = [[0, 0], [0.01, 0], [0.01, 0.01], [0, 0]]
                let features: JSONValue = [
                    [
                        "type": "Feature", "geometry": ["type": "Point", "coordinates": [-0.1, 51.5]],
                        "properties": ["identifier": "circle", "radius": 150, "colour": "red", "dwell": 60],
                    ],
                    [
                        "type": "Feature", "id": "field", "geometry": ["type": "Polygon", "coordinates": [ring]],
                        "properties": [:],
                    ],
                ]
                let collection: JSONValue = ["type": "FeatureCollection", "features": features]
                let import_ = "io.sextant.Monitor.Import"
                #expect(try client.call(import_, ["name": "a", "geojson": collection])["added"] == 2)
                let exported = try client.call("io.sextant.Monitor.Export", ["name": "a"])["geojson"] ?? .null
                #expect(try client.call(import_, ["name": "b", "geojson": exported])["added"] == 2)
                #expect(try client.call(import_, ["name": "a", "geojson": exported])["replaced"] == 2)
                let (one, other) = (try records(of: "a", client), try records(of: "b", client))
                // Exported GeoJSON imports as the same conditions.
                #expect(one.map { $0["condition"] } == other.map { $0["condition"] } && one.count == 2)
                #expect(one[0]["condition"]?["metadata"] == ["colour": "red"] && one[0]["condition"]?["dwell"] == 60)
                let wrong: JSONValue = [
                    "type": "Feature", "geometry": ["type": "Point", "coordinates": [0, 0]],
                    "properties": ["identifier": "x"],
                ]
                let refused = try client.failure(of: import_, ["name": "a", "geojson": wrong])
                #expect(
                    refused.name == "io.sextant.Monitor.InvalidCondition" && refused.parameters["identifier"] == "x")
            }
        }

        @Test func `lists are returned in pages`() throws {
            try run("[monitors]\nmax_conditions_per_program = 0\n") { daemon, _, _ in
                let client = try daemon.connect()
                for start in stride(from: 0, to: 250, by: 50) {
                    let circles = (start..<start + 50).map {
                        circle("c\(1000 + $0)", at: Places.origin.moved(north: Double($0) * 10))
                    }
                    try client.call("io.sextant.Monitor.Add", ["name": "many", "conditions": .array(circles)])
                }
                #expect(
                    try records(of: "many", client, limit: 60).map { $0["condition"]?["identifier"]?.string }
                        == (1000..<1250).map { "c\($0)" })
                let nearest = try client.call("io.sextant.Monitor.Nearest", ["count": 3])
                #expect(nearest["neighbours"]?.array?.count == 3 && nearest["location"] != nil)
                let distances = (nearest["neighbours"]?.array ?? []).compactMap { $0["distance"]?.double.map(abs) }
                #expect(distances == distances.sorted())
                let missing = try client.failure(
                    of: "io.sextant.Monitor.GetRecord", ["name": "many", "identifier": "none"])
                #expect(missing.name == "io.sextant.Monitor.NoSuchCondition")
            }
        }

        @Test func `without monitors no database is created`() throws {
            try run { daemon, _, _ in
                let client = try daemon.connect()
                #expect(try client.call("io.sextant.Monitor.ListMonitors") == ["monitors": []])
                for (method, more) in [("List", [:]), ("Remove", ["identifiers": []]), ("Acknowledge", ["events": []])]
                    as [(String, [String: JSONValue])]
                {
                    let parameters = JSONValue.object(more.merging(["name": "home"]) { $1 })
                    #expect(
                        try client.failure(of: "io.sextant.Monitor.\(method)", parameters).name
                            == "io.sextant.Monitor.NoSuchMonitor")
                }
                #expect(!Scratch.names(in: daemon.scratch("state")).contains { $0.hasPrefix("sextant.db") })
                let bad = try client.failure(of: "io.sextant.Monitor.Add", ["name": "a b", "conditions": []])
                #expect(bad.name == "io.sextant.Monitor.InvalidName")
                let wrong = try client.failure(
                    of: "io.sextant.Monitor.Add",
                    ["name": "home", "conditions": [circle("x", at: Places.origin, radius: -1)]])
                #expect(wrong.name == "io.sextant.Monitor.InvalidCondition" && wrong.parameters["identifier"] == "x")
            }
        }

        @Test func `an expired condition publishes an event and frees its quota`() throws {
            try run("[monitors]\nmax_conditions_per_program = 1\n") { daemon, port, places in
                let client = try daemon.connect()
                let short: [String: JSONValue] = ["expiry": "2026-03-01T00:00:00Z"]
                let circles = [circle("short", at: Places.origin, short), circle("long", at: Places.origin)]
                try client.call("io.sextant.Monitor.Add", ["name": "home", "conditions": .array(circles)])
                let stream = try daemon.connect().open("home")
                try port.send(places.next(3))
                let event = try stream.next()
                #expect((event.identifier, event.kind, event.state) == ("short", "expired", "unmonitored"))
                try port.send(places.next(3))
                #expect(try stream.next().identifier == "long")
                #expect(try client.record("short", of: "home")["conditionLimitExceeded"] == false)
            }
        }

        @Test func `unread events use no memory and none is missed`() throws {
            try run("[monitors]\nmax_conditions_per_program = 0\n") { daemon, port, places in
                let client = try daemon.connect()
                let metadata: JSONValue = ["note": .string(String(repeating: "x", count: 3900))]
                let count = 400
                for start in stride(from: 0, to: count, by: 10) {
                    let circles = (start..<start + 10).map {
                        circle("c\($0)", at: Places.origin, ["metadata": metadata])
                    }
                    try client.call("io.sextant.Monitor.Add", ["name": "home", "conditions": .array(circles)])
                }
                let stream = try daemon.connect().open("home")
                let before = ProcessFigures(of: daemon.process)
                try port.send(places.next(6))
                try waitUntil("all to be determined") {
                    try port.send(places.next(1))
                    let monitors = try client.call("io.sextant.Monitor.ListMonitors")["monitors"]?.array
                    return monitors?.first?["pending"] == .int(Int64(count))
                }
                let after = ProcessFigures(of: daemon.process)
                #expect(
                    after.anonymous <= before.anonymous + 2048,
                    "\(before.anonymous) kB before, \(after.anonymous) kB after")
                for number in 0..<count { #expect(try stream.next().identifier == "c\(number)") }
                #expect(try stream.present() == nil)
            }
        }

        @Test func `a failed write is refused, logged once and succeeds later`() throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            #expect(mkdir(scratch("state"), 0o755) == 0 && mkdir(scratch("state") + "/sextant.db", 0o755) == 0)
            try TestDaemon.run(devices: [port.link], scratch: scratch) { daemon in
                let client = try daemon.connect()
                for _ in 0..<3 {
                    let parameters: JSONValue = ["name": "home", "conditions": [circle("x", at: Places.origin)]]
                    let refused = try client.failure(of: "io.sextant.Monitor.Add", parameters)
                    #expect(refused.name == "io.sextant.Monitor.PersistenceUnavailable")
                    #expect(refused.parameters["reason"]?.string?.contains("sextant.db") == true)
                }
                #expect(daemon.logged("cannot write monitor events") == 1)
                // Locations are still served.
                var places = Places()
                try daemon.waitForFix(&places, port)
                #expect(rmdir(scratch("state") + "/sextant.db") == 0)
                daemon.kill()
                try daemon.startAgain()
                #expect(try daemon.connect().addCircle("x", at: Places.origin, to: "home")["added"] == 1)
            }
        }

        @Test func `a corrupt database is moved aside and logged`() throws {
            try run { daemon, _, _ in
                try daemon.connect().addCircle("x", at: Places.origin, to: "home")
                // The write-ahead log must be gone, because its contents are intact.
                daemon.terminate()
                _ = try daemon.process.waitForEnd()
                try daemon.scratch.write(String(repeating: "torn", count: 5000), to: "state/sextant.db")
                try daemon.startAgain()
                let client = try daemon.connect()
                #expect(try client.call("io.sextant.Monitor.ListMonitors") == ["monitors": []])
                #expect(daemon.logged("it was moved to") == 1, "\(daemon.log)")
                #expect(try client.addCircle("x", at: Places.origin, to: "home")["added"] == 1)
                #expect(Scratch.names(in: daemon.scratch("state")).contains { $0.contains(".torn-") })
            }
        }

        private func records(of monitor: String, _ client: CheckedClient, limit: Int = 100) throws -> [JSONValue] {
            var records: [JSONValue] = []
            var after: String?
            repeat {
                var parameters: [String: JSONValue] = ["name": .string(monitor), "limit": .int(Int64(limit))]
                parameters["after"] = after.map { .string($0) }
                let reply = try client.call("io.sextant.Monitor.List", .object(parameters))
                records += reply["records"]?.array ?? []
                after = reply["next"]?.string
            } while after != nil
            return records
        }
    }
}
