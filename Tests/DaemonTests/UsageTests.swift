import Chronology
import Glibc
import Logging
import Permission
import StateStore
import TestSupport
import Testing
import Varlink

@testable import sextantd

extension WholeDaemon {
    /// The record of use, and the file of programs in use.
    @Suite(.needsAdministrator) struct Usage {
        private static let getUsage = "io.sextant.Permission.GetUsage"

        private func run(
            _ configuration: String = "[receivers]\ndiscover = false\n[permissions]\ndefault = \"always\"\n",
            _ body: (TestDaemon, VirtualPort, inout Drive) throws -> Void
        ) throws {
            try TestDaemon.runWithFix(configuration, body)
        }

        private func records(_ daemon: TestDaemon, _ parameters: JSONValue = [:]) throws -> [JSONValue] {
            try daemon.connect().call(Usage.getUsage, parameters)["records"]?.array ?? []
        }

        private func restart(_ daemon: TestDaemon) throws {
            daemon.terminate()
            _ = try daemon.process.waitForEnd()
            try daemon.startAgain()
        }

        @Test func `the sentences of a stream that a denial ended are counted`() throws {
            try run { daemon, port, drive in
                let stream = try RawClient(daemon.socket)
                stream.send(#"{"method":"io.sextant.Receiver.Sentences","more":true}"# + "\0")
                let client = try daemon.connect()
                try waitUntil("the stream") { try records(daemon).contains { $0["kind"] == "stream" } }
                var count = 0
                for _ in 0..<3 {
                    try port.send(drive.next(1))
                    _ = try #require(try stream.next())
                    count += 1
                }
                let program = try #require(
                    try client.call("io.sextant.Session.GetAuthorization")["permission"]?["program"])
                try client.call(
                    "io.sextant.Permission.Set", ["program": program, "authorization": "denied", "accuracy": "full"])
                while let reply = try stream.next(), reply.failure == nil { count += 1 }
                let record = try #require(try records(daemon).first { $0["kind"] == "stream" })
                #expect(record["state"] == "ended" && record["updates"] == .int(Int64(count)))
            }
        }

        @Test func `streams, locations and visits are recorded, and a clean stop loses nothing`() throws {
            try run { daemon, port, drive in
                var received = 0
                do {
                    let stream = try daemon.subscribe()
                    try port.send(drive.next(5))
                    try stream.until("the last epoch") { $0.timestamp == drive.timestamp(drive.count - 2) }
                    received = stream.received
                    let open = try #require(try records(daemon).first)
                    #expect(open["state"] == "open" && open["kind"] == "stream" && open["to"] == nil)
                    #expect(try #require(open["updates"]?.int) >= Int64(received))
                    #expect(open["accuracy"] == "full" && open["decidedBy"]?.string?.contains("sextant.toml") == true)
                    #expect(open["from"]?.string.flatMap { UTCTime(rfc3339: $0) } != nil)
                }
                let client = try daemon.connect()
                for _ in 0..<3 { try client.call("io.sextant.Location.GetLocation", ["maximumAge": 600]) }
                try client.call("io.sextant.Location.WatchVisits")
                try client.call("io.sextant.Location.Subscribe", ["configuration": "fitness"])
                try waitUntil("an end of the stream") {
                    try records(daemon).allSatisfy { $0["state"] == "ended" }
                }
                let before = try records(daemon)
                #expect(before.map { $0["kind"]?.string } == ["visits", "oneShot", "stream"])
                #expect(before.prefix(2).map { $0["updates"]?.int } == [1, 4])
                #expect(try #require(before.last?["updates"]?.int) >= Int64(received))
                try restart(daemon)
                #expect(try records(daemon).map { $0["updates"] } == before.map { $0["updates"] })
                #expect(try records(daemon).allSatisfy { $0["state"] == "ended" && $0["to"] != nil })
            }
        }

        @Test func `a change of permission ends a record and begins another`() throws {
            try run { daemon, port, drive in
                let stream = try daemon.subscribe()
                try stream.until("the last epoch") { $0.timestamp == drive.timestamp(drive.count - 1) }
                let client = try daemon.connect()
                let session = try client.call("io.sextant.Session.GetAuthorization")
                let program = try #require(session["permission"]?["program"])
                func decide(_ authorization: JSONValue, _ accuracy: JSONValue) throws {
                    try client.call(
                        "io.sextant.Permission.Set",
                        ["program": program, "authorization": authorization, "accuracy": accuracy])
                }
                let full = stream.received
                try decide("always", "reduced")
                try stream.until("a reduced location") { $0.parameters["accuracyLimited"] == true }
                try decide("denied", "full")
                try stream.until("a denial") { $0.isDenied }
                try port.send(drive.next(3))
                let ended = try records(daemon)
                #expect(ended.map { $0["accuracy"]?.string } == ["reduced", "full"])
                #expect(ended.allSatisfy { $0["state"] == "ended" }, "\(ended)")
                #expect(ended[0]["updates"] == 1 && ended[1]["updates"] == .int(Int64(full)), "\(ended)")
                #expect(ended[0]["decidedBy"]?.string?.contains("user 0 with sextant grant") == true)
                #expect(Scratch.names(in: daemon.scratch.path).contains("in-use") == false)
                try decide("always", "full")
                try stream.until("a grant") { !$0.isDenied }
                #expect(try records(daemon).map { $0["state"]?.string } == ["open", "ended", "ended"])
                #expect(
                    try client.failure(of: "io.sextant.Location.GetLocation", ["receiver": "x"]).name.isEmpty == false)
            }
        }

        @Test func `a denied program makes no record`() throws {
            try run("[receivers]\ndiscover = false\n[permissions]\ndefault = \"denied\"\n") { daemon, port, drive in
                let stream = try daemon.subscribe()
                let client = try daemon.connect()
                _ = try client.failure(of: "io.sextant.Location.GetLocation")
                try client.addCircle("here", at: Places.origin, radius: 100_000, to: "home")
                try port.send(drive.next(3))
                try daemon.waitForEpochs(drive.count)
                #expect(try records(daemon) == [] && stream.last?.isDenied == true)
                #expect(!daemon.scratch.names.contains("in-use"))
            }
        }

        @Test func `monitors are in use while they are monitored, and their events are counted`() throws {
            try run { daemon, port, drive in
                let client = try daemon.connect()
                try client.addCircle("here", at: Places.origin, radius: 100_000, to: "home")
                let monitor = try daemon.connect().open("home")
                try port.send(drive.next(8))
                #expect(try monitor.next().kind == "determined")
                let open = try #require(try records(daemon).first)
                #expect(open["kind"] == "monitors" && open["state"] == "open" && open["updates"] == 1)
                #expect(Scratch.text(of: daemon.scratch("in-use")).hasSuffix(" monitors\n"))
                try client.call("io.sextant.Monitor.Remove", ["name": "home", "identifiers": ["here"]])
                #expect(try records(daemon).first?["state"] == "ended")
            }
        }

        @Test func `a program that reads the events of another one has a record of its own`() throws {
            try run { daemon, port, drive in
                let client = try daemon.connect()
                let place = circle("here", at: Places.origin, radius: 100_000)
                try client.call("io.sextant.Monitor.Add", ["name": "home", "conditions": [place], "program": "4000"])
                let monitor = try daemon.connect().openMonitor("home", ["program": "4000"])
                try port.send(drive.next(8))
                #expect(try monitor.next().kind == "determined")
                let counts = try records(daemon).map { "\($0["program"]?.string ?? "") \($0["updates"]?.int ?? -1)" }
                #expect(counts.count == 2 && counts.contains("4000 0"))
                #expect(counts.contains { $0.hasPrefix("0") && $0.hasSuffix(" 1") }, "\(counts)")
            }
        }

        @Test func `a query of the nearest conditions is recorded`() throws {
            try run { daemon, port, drive in
                let client = try daemon.connect()
                try client.addCircle("here", at: Places.origin, radius: 100_000, to: "home")
                try client.call("io.sextant.Monitor.Nearest", ["name": "home"])
                let kinds = try records(daemon).map { "\($0["kind"]?.string ?? "") \($0["updates"]?.int ?? -1)" }
                #expect(kinds.sorted() == ["monitors 0", "oneShot 1"])
            }
        }

        @Test func `the file of programs in use follows the open requests`() throws {
            try run { daemon, _, _ in
                let path = daemon.scratch("in-use")
                #expect(access(path, F_OK) != 0)
                do {
                    let stream = try daemon.subscribe()
                    _ = stream
                    try waitUntil("the file") { access(path, F_OK) == 0 }
                    let fields = Scratch.text(of: path).split(separator: " ")
                    #expect(fields.count == 5 && fields[2] == "full" && fields[4] == "stream\n")
                    #expect(UTCTime(rfc3339: String(fields[3])) != nil)
                    var status = stat()
                    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o644)
                }
                try waitUntil("no file") { access(path, F_OK) != 0 }
                let stream = try daemon.subscribe()
                try waitUntil("the file") { access(path, F_OK) == 0 }
                daemon.kill()
                #expect(access(path, F_OK) == 0 && stream.received > 0)
                try daemon.startAgain()
                try waitUntil("no file after a kill and a start") { access(path, F_OK) != 0 }
                #expect(!daemon.scratch.names.contains("in-use.new"))
            }
        }

        @Test func `pages have all records once`() throws {
            try run { daemon, _, _ in
                let client = try daemon.connect()
                try client.call("io.sextant.Location.GetLocation", ["maximumAge": 600])
                try restart(daemon)
                let again = try daemon.connect()
                try again.call("io.sextant.Location.WatchVisits")
                let stream = try daemon.subscribe()
                let first = try again.call(Usage.getUsage, ["limit": 2])
                #expect(first["records"]?.array?.map { $0["kind"]?.string } == ["stream", "visits"])
                let next = try #require(first["next"])
                let second = try again.call(Usage.getUsage, ["limit": 2, "after": next])
                #expect(second["records"]?.array?.map { $0["kind"]?.string } == ["oneShot"])
                #expect(second["next"] == nil && stream.received == 1)
                for (name, value) in [("limit", 0), ("limit", 101)] as [(String, JSONValue)] {
                    #expect(
                        try again.failure(of: Usage.getUsage, [name: value]).parameters == ["parameter": .string(name)])
                }
                #expect(try again.failure(of: Usage.getUsage, ["after": "-1"]).parameters == ["parameter": "after"])
                #expect(try records(daemon, ["program": "4242"]) == [])
            }
        }

        @Test func `forget erases the record, the last position and the bytes on disk, and nothing ends`() throws {
            try run { daemon, port, drive in
                let client = try daemon.connect()
                try client.call("io.sextant.Location.GetLocation", ["maximumAge": 600])
                try restart(daemon)
                try daemon.waitForReceiver("detectingBaudRate", "silent")
                try port.send(drive.next(4))
                try daemon.waitForReceiver("hasFix", "asleep")
                let stream = try daemon.subscribe()
                // No fix may come between the calls below.
                try stream.until("the last epoch") { $0.timestamp == drive.timestamp(drive.count - 1) }
                #expect(stateBytes(daemon).contains("sextant.toml"))
                let again = try daemon.connect()
                let reply = try again.call("io.sextant.Permission.Forget")
                #expect(reply["uses"] == 2 && reply["visits"] == 0)
                #expect(try #require(reply["positions"]?.int) > 0)
                #expect(!stateBytes(daemon).contains("sextant.toml"))
                let error = try again.failure(
                    of: "io.sextant.Location.GetLocation", ["maximumAge": 3600, "timeout": 0])
                #expect(error.name == "io.sextant.Location.LocationUnavailable")
                #expect(try records(daemon).first { $0["kind"] == "stream" }?["updates"]?.int ?? 9 < 2)
                try port.send(drive.next(3))
                try stream.until("the next epoch") { $0.timestamp == drive.timestamp(drive.count - 2) }
                #expect(daemon.logged("erased the record of use") == 1)
            }
        }

        private func stateBytes(_ daemon: TestDaemon) -> String {
            let directory = daemon.scratch("state")
            return Scratch.names(in: directory).map { Scratch.text(of: "\(directory)/\($0)") }.joined()
        }

        @Test func `declared sessions and leases are listed with the requests`() throws {
            try run { daemon, _, _ in
                let stream = try daemon.subscribe()
                let session = try RawClient(daemon.socket)
                session.send(
                    """
                    {"method":"io.sextant.Session.Declare","more":true,\
                    "parameters":{"requirement":"always","purpose":"navigation"}}\0
                    """)
                _ = try session.next()
                let client = try daemon.connect()
                let reply = try client.call("io.sextant.Manager.GetConsumers")
                let owner = reply["consumers"]?.array?.first?["owner"]
                #expect(owner != nil && stream.received == 1)
                let declared = try #require(reply["sessions"]?.array?.first)
                #expect(declared["owner"] == owner && declared["requirement"] == "always")
                #expect(declared["purpose"] == "navigation" && reply["leases"]?.array == [])
            }
        }
    }
}

/// The stored record of use without a daemon.
@Suite struct UseStoreTests {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test func `an open use that was saved is interrupted after a kill`() throws {
        let scratch = try Scratch()
        let store = UseStore(StateDatabase(directory: scratch.path, log: UseStoreTests.log))
        let none = try store.records(.all, before: .max, since: nil, limit: 9, at: .zero)
        #expect(none == [] && scratch.names == [], "a read creates nothing")
        let date = UTCTime(milliseconds: 1_795_262_400_000)
        var ledger = UseLedger()
        let use = LocationUse(ProgramID(user: 1000, unit: "map.service"), .stream, .reduced, decidedBy: "a rule")
        ledger.begin(.session(1), use, at: .zero)
        try store.save(ledger.unsaved(at: .zero + .seconds(60), date: date), expiry: nil)
        let record = try #require(try store.records(.all, before: .max, since: nil, limit: 9, at: .zero).first)
        #expect(record.state == .interrupted && record.use == use && record.duration == .seconds(60))
        #expect(record.to == date && record.number == 1)
        #expect(try store.lastNumber() == 1)
        #expect(!store.closeIfIdle(at: .zero + .seconds(9)), "it may be read again")
        #expect(store.deadline != nil && store.closeIfIdle(at: .zero + .seconds(60)) && store.deadline == nil)
    }

    @Test func `the file of programs in use is replaced as a whole and removed`() throws {
        let scratch = try Scratch()
        var file = InUseFile(besideSocket: scratch("socket"))
        let app = ProgramID(user: 1000, userUnit: "app-org.example.Map@1.service")
        let since = UTCTime(rfc3339: "2026-11-22T17:00:00Z")
        let first = ProgramInUse(app, accuracy: .reduced, since: since, kinds: [.stream, .visits])
        try file.write([
            first, ProgramInUse(ProgramID(user: 0), accuracy: .full, since: nil, kinds: [.oneShot]),
        ])
        #expect(
            Scratch.text(of: scratch("in-use")) == """
                1000:user:app-org.example.Map.service org.example.Map reduced 2026-11-22T17:00:00.000Z stream,visits
                0 - full - oneShot

                """)
        try file.write([])
        #expect(scratch.names == [])
        try file.write([])
        // A link that another user may have put there is not followed.
        #expect(symlink(scratch("target"), scratch("in-use.new")) == 0)
        try file.write([first])
        #expect(scratch.names == ["in-use"])
    }
}
