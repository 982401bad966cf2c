import Chronology
import Glibc
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    /// What programs without permission get. The tests run as one program, that of user 0.
    @Suite(.needsAdministrator) struct Permissions {
        private static let denied = "[receivers]\ndiscover = false\n[permissions]\ndefault = \"denied\"\n"

        private static func set(_ client: CheckedClient, _ choice: String, accuracy: String = "full") throws {
            let reply = try client.call(
                "io.sextant.Permission.Set",
                ["program": try program(client), "authorization": .string(choice), "accuracy": .string(accuracy)])
            #expect(reply["overruledBy"] == nil)
        }

        private static func program(_ client: CheckedClient) throws -> JSONValue {
            let reply = try client.call("io.sextant.Session.GetAuthorization")
            return try #require(reply["permission"]?["program"])
        }

        /// Runs a daemon with a receiver that has a fix, although nobody may know it.
        private func run(
            _ configuration: String, _ body: (TestDaemon, VirtualPort, inout Drive) throws -> Void
        ) throws {
            try TestDaemon.runWithFix(configuration, body)
        }

        @Test func `a grant continues an open stream, and a denial stops it again`() throws {
            try run(Permissions.denied) { daemon, port, drive in
                let stream = try daemon.subscribe()
                #expect(stream.last?.location == nil)
                #expect(stream.last?.parameters["authorizationDenied"] == true)
                #expect(stream.last?.detail.contains("sudo sextant grant") == true)
                try port.send(drive.next(3))
                let client = try daemon.connect()
                try Permissions.set(client, "always")
                try port.send(drive.next(3))
                let first = try stream.untilLocation()
                #expect(first.parameters["authorizationDenied"] == nil)
                let removed = try client.call(
                    "io.sextant.Permission.Remove", ["program": try Permissions.program(client)])
                #expect(removed["removed"] == true)
                try stream.until("a denial") { $0.parameters["authorizationDenied"] == true }
                try port.send(drive.next(3))
                try daemon.waitForEpochs(drive.count)
                #expect(try stream.present() == nil)
            }
        }

        @Test func `a refusal and a brief lease are logged once, with the program`() throws {
            try run(Permissions.denied) { daemon, _, _ in
                for _ in 0..<3 { #expect(try daemon.subscribe().last?.location == nil) }
                #expect(daemon.logged("may not know the location, decided by") == 1, "\(daemon.log)")
                let client = try daemon.connect()
                try Permissions.set(client, "always")
                for _ in 0..<2 {
                    let lease = try RawClient(daemon.socket)
                    lease.send("{\"method\":\"io.sextant.Session.KeepActive\",\"more\":true}\0")
                    #expect(try lease.next()?.parameters["held"] == true)
                }
                try waitUntil("the warning") { daemon.logged("ended its lease at once") == 1 }
                #expect(daemon.logged("counts as in use, because it holds a lease") == 1, "\(daemon.log)")
            }
        }

        @Test func `the switch stops every stream, and a restart keeps it`() throws {
            try run("[receivers]\ndiscover = false\n") { daemon, port, drive in
                let stream = try daemon.subscribe()
                try port.send(drive.next(2))
                try stream.untilLocation()
                let client = try daemon.connect()
                try client.call("io.sextant.Permission.SetEnabled", ["enabled": false])
                let frame = try stream.until("a denial") { $0.location == nil }
                #expect(frame.parameters["authorizationDeniedGlobally"] == true)
                #expect(try client.call("io.sextant.Manager.GetStatus")["status"]?["enabled"] == false)
                daemon.kill()
                try daemon.startAgain()
                let again = try daemon.subscribe()
                #expect(again.last?.parameters["authorizationDeniedGlobally"] == true)
                try daemon.connect().call("io.sextant.Permission.SetEnabled", ["enabled": true])
                try again.until("an end of the denial") { $0.parameters["authorizationDenied"] == nil }
            }
        }

        @Test func `decisions survive SIGKILL`() throws {
            try run(Permissions.denied) { daemon, _, _ in
                try Permissions.set(try daemon.connect(), "whenInUse", accuracy: "reduced")
                daemon.kill()
                try daemon.startAgain()
                let list = try daemon.connect().call("io.sextant.Permission.List")
                let grant = try #require(list["grants"]?.array?.first)
                #expect(grant["authorization"] == "whenInUse" && grant["accuracy"] == "reduced")
                #expect(grant["author"] == "administrator" && grant["uid"] == 0)
            }
        }

        /// Without what was decided, a denied program would get the location after a power cut.
        @Test func `a damaged database loses no decision, and one that is unreadable switches location off`() throws {
            try run("[receivers]\ndiscover = false\n") { daemon, _, _ in
                try Permissions.set(try daemon.connect(), "denied")
                daemon.kill()
                let path = daemon.scratch("state/sextant.db")
                try damageRecordOfUse(in: path)
                try daemon.startAgain()
                #expect(try daemon.subscribe().last?.parameters["authorizationDenied"] == true)
                #expect(daemon.logged("was moved to") == 1, "\(daemon.log)")
                daemon.kill()
                try daemon.startAgain()
                #expect(try daemon.subscribe().last?.parameters["authorizationDenied"] == true, "it was stored again")
                daemon.kill()
                for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
                try daemon.scratch.write(String(repeating: "torn", count: 5000), to: "state/sextant.db")
                for _ in 0..<2 {
                    try daemon.startAgain()
                    #expect(try daemon.subscribe().last?.parameters["authorizationDeniedGlobally"] == true)
                    daemon.kill()
                }
            }
        }

        /// A crash of the file system, or a person, may leave an empty file, none or another one.
        @Test(arguments: ["empty", "missing", "replaced"])
        func `a lost database gives no program the location`(loss: String) throws {
            try run("[receivers]\ndiscover = false\n") { daemon, _, _ in
                try Permissions.set(try daemon.connect(), "denied")
                daemon.kill()
                let path = daemon.scratch("state/sextant.db")
                for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
                if loss == "empty" { try daemon.scratch.write("", to: "state/sextant.db") }
                if loss == "replaced" {
                    let marker = path + ".decided"
                    rename(marker, marker + ".kept")
                    try daemon.startAgain()
                    try daemon.connect().addCircle("x", at: Places.origin, to: "home")
                    daemon.kill()
                    rename(marker + ".kept", marker)
                }
                for _ in 0..<2 {
                    try daemon.startAgain()
                    let frame = try #require(try daemon.subscribe().last)
                    #expect(frame.parameters["authorizationDenied"] == true, "\(daemon.log)")
                    if loss != "empty" { #expect(frame.detail.contains(".decided"), "\(frame.detail)") }
                    daemon.kill()
                }
            }
        }

        @Test func `decisions are written again if the database is deleted while it is open`() throws {
            try run("[receivers]\ndiscover = false\n") { daemon, _, _ in
                let client = try daemon.connect()
                try Permissions.set(client, "denied")
                try client.addCircle("x", at: Places.origin, to: "home")
                let path = daemon.scratch("state/sextant.db")
                for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
                let state = try client.call("io.sextant.Manager.GetStatus")["status"]?["state"]
                #expect(state?["problem"]?["reason"]?.string?.contains("was moved, replaced or deleted") == true)
                try client.call("io.sextant.Permission.SetEnabled", ["enabled": true])
                #expect(daemon.logged("was moved, replaced or deleted") > 0)
                daemon.kill()
                try daemon.startAgain()
                let frame = try #require(try daemon.subscribe().last)
                #expect(frame.parameters["authorizationDenied"] == true, "\(daemon.log)")
                #expect(frame.parameters["authorizationDeniedGlobally"] == nil && !frame.detail.contains("lost"))
            }
        }

        /// Nobody has switched location off, so `sextant enable` would not help.
        @Test func `a locked database is the cause that every client gets`() throws {
            try run("[receivers]\ndiscover = false\n") { daemon, _, _ in
                try Permissions.set(try daemon.connect(), "always")
                daemon.kill()
                let script = """
                    import sqlite3, sys, time
                    base = sqlite3.connect(sys.argv[1], isolation_level=None)
                    base.execute("PRAGMA locking_mode=EXCLUSIVE")
                    base.execute("BEGIN EXCLUSIVE")
                    print("locked", flush=True)
                    time.sleep(600)
                    """
                let scratch = try Scratch()
                let path = daemon.scratch("state/sextant.db")
                let holder = try ChildProcess(["python3", "-c", script, path], record: scratch("python.log"))
                try waitUntil("the lock") { holder.output.contains("locked") }
                try daemon.startAgain()
                let frame = try #require(try daemon.subscribe().last)
                #expect(frame.parameters["authorizationDenied"] == true)
                #expect(frame.parameters["authorizationDeniedGlobally"] == nil)
                #expect(frame.detail.contains("cannot be read") && frame.detail.contains("another process"))
                let client = try daemon.connect()
                let status = try client.call("io.sextant.Manager.GetStatus")["status"]
                #expect(status?["enabled"] == nil && status?["state"]?["problem"]?["cause"] == "busy")
                #expect(status?["state"]?["permissionsUnreadable"] == true)
                let list = try client.call("io.sextant.Permission.List")
                #expect(list["switch"]?["problem"]?.string?.contains("another process") == true)
                holder.destroy()
                // What was decided is lost: that is reported once, and an administrator may
                // switch location on.
                try daemon.scratch.write(String(repeating: "torn", count: 5000), to: "state/sextant.db")
                let failure = try client.failure(of: "io.sextant.Permission.SetEnabled", ["enabled": true])
                #expect(failure.name == "io.sextant.Permission.PersistenceUnavailable")
                #expect(daemon.logged("was moved to") == 1)
                let replaced = try client.call("io.sextant.Permission.List")["switch"]
                #expect(replaced?["enabled"] == false && replaced?["problem"] == nil)
                try client.call("io.sextant.Permission.SetEnabled", ["enabled": true])
                #expect(try client.call("io.sextant.Permission.List")["switch"]?["enabled"] == true)
            }
        }

        @Test func `a damaged database of a device without decisions leaves location on`() throws {
            try run("[receivers]\ndiscover = false\n") { daemon, port, drive in
                try daemon.connect().addCircle("x", at: Places.origin, to: "home")
                daemon.terminate()
                _ = try daemon.process.waitForEnd()
                try daemon.scratch.write(String(repeating: "torn", count: 5000), to: "state/sextant.db")
                try daemon.startAgain()
                #expect(try daemon.subscribe().last?.parameters["authorizationDeniedGlobally"] == nil)
                #expect(daemon.logged("was moved to") == 1, "\(daemon.log)")
                let state = try daemon.connect().call("io.sextant.Manager.GetStatus")["status"]?["state"]
                let replaced = try #require(state?["replaced"]?["path"]?.string)
                #expect(replaced.hasPrefix(daemon.scratch("state/sextant.db.torn-")))
                #expect(UTCTime(rfc3339: state?["replaced"]?["date"]?.string ?? "") != nil)
                unlink(replaced)
                let later = try daemon.connect().call("io.sextant.Manager.GetStatus")["status"]?["state"]
                #expect(later != nil && later?["replaced"] == nil)
            }
        }

        /// Overwrites the first page of the record of use, which no decision is in.
        private func damageRecordOfUse(in path: String) throws {
            let script = """
                import sqlite3, sys
                base = sqlite3.connect(sys.argv[1])
                base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                page = base.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'location_use'").fetchone()[0]
                size = base.execute("PRAGMA page_size").fetchone()[0]
                base.close()
                with open(sys.argv[1], "r+b") as file:
                    file.seek((page - 1) * size)
                    file.write(b"\\x5a" * size)
                """
            let scratch = try Scratch()
            let damage = try ChildProcess(["python3", "-c", script, path], record: scratch("python.log"))
            #expect(try damage.waitForEnd() == .code(0), "\(damage.output)")
        }

        @Test func `an agent is asked, and its answer starts the stream`() throws {
            try run("[receivers]\ndiscover = false\n[permissions]\ndefault = \"ask\"\n") { daemon, port, drive in
                let stream = try daemon.subscribe()
                #expect(stream.last?.parameters["authorizationDenied"] == true, "without an agent")
                let agent = try RawClient(daemon.socket)
                agent.send("{\"method\":\"io.sextant.Agent.Serve\",\"more\":true}\0")
                _ = try agent.next()
                let request = try #require(try agent.next()?.parameters["request"])
                #expect(request["requirement"] == "whenInUse")
                try stream.until("a request") { $0.parameters["authorizationRequestInProgress"] == true }
                let waiting = try RawClient(daemon.socket)
                waiting.send("{\"method\":\"io.sextant.Location.GetLocation\"}\0")
                let client = try daemon.connect()
                let number = try #require(request["number"])
                try client.call("io.sextant.Agent.Answer", ["number": number, "authorization": "always"])
                try port.send(drive.next(3))
                try stream.untilLocation()
                #expect(try waiting.next()?.parameters["location"] != nil)
                #expect(try agent.next()?.parameters["withdrawn"] == number)
                let late = try client.failure(
                    of: "io.sextant.Agent.Answer", ["number": number, "authorization": "denied"])
                #expect(late.name == "io.sextant.Agent.NoSuchRequest")
            }
        }

        @Test func `the usage description of a program reaches the agent and the list of decisions`() throws {
            try run("[receivers]\ndiscover = false\n[permissions]\ndefault = \"ask\"\n") { daemon, _, _ in
                let agent = try RawClient(daemon.socket)
                agent.send("{\"method\":\"io.sextant.Agent.Serve\",\"more\":true}\0")
                _ = try agent.next()
                let client = try daemon.connect()
                let declare = "io.sextant.Session.Declare"
                let failure = try client.failure(
                    of: declare, ["usageDescription": .string(String(repeating: "a", count: 256))])
                #expect(failure.parameters["parameter"] == "usageDescription")
                let session = try RawClient(daemon.socket)
                session.send(
                    "{\"method\":\"\(declare)\",\"more\":true,"
                        + "\"parameters\":{\"usageDescription\":\"Zeigt die Straße.\"}}\0")
                _ = try session.next()
                let request = try #require(try agent.next()?.parameters["request"])
                #expect(request["usageDescription"] == "Zeigt die Straße.")
                try Permissions.set(client, "always")
                let grant = try client.call("io.sextant.Permission.List")["grants"]?.array?.first
                #expect(grant?["usageDescription"] == "Zeigt die Straße.")
            }
        }

        @Test func `the keys of a rule apply to its program, and are listed`() throws {
            let keys = "user = 0\ndefault_accuracy = \"reduced\"\nin_use = false\nrequire_session = true\n"
            try run("[receivers]\ndiscover = false\n[[permissions.grant]]\n" + keys) { daemon, _, _ in
                let rule = try daemon.connect().call("io.sextant.Permission.List")["rules"]?.array?.first
                #expect(rule?["defaultAccuracy"] == "reduced" && rule?["inUse"] == false)
                #expect(rule?["requireSession"] == true)
                #expect(try daemon.subscribe().last?.parameters["serviceSessionRequired"] == true)
            }
        }

        @Test func `changes of permission do not extend the timeout of GetLocation`() throws {
            try TestDaemon.runWithPort { daemon, _ in
                let client = try daemon.connect()
                try Permissions.set(client, "always", accuracy: "reduced")
                let waiting = try RawClient(daemon.socket)
                waiting.send(
                    #"{"method":"io.sextant.Location.GetLocation","parameters":{"maximumAge":0,"timeout":1}}"# + "\0")
                var isFull = false
                try waitUntil("an answer while the permission changes") {
                    isFull.toggle()
                    try Permissions.set(client, "always", accuracy: isFull ? "full" : "reduced")
                    return waitReadable(waiting.descriptor, within: .milliseconds(100))
                }
                #expect(try waiting.next()?.failure?.name == "io.sextant.Location.LocationUnavailable")
            }
        }

        @Test func `an administrator sees who uses the location, whatever it may know itself`() throws {
            let configurations = ["default = \"ask\"", "default = \"denied\"", "require_session = true"]
            for line in configurations {
                try TestDaemon.run(configuration: "[receivers]\ndiscover = false\n[permissions]\n\(line)\n") { daemon in
                    let stream = try daemon.subscribe()
                    #expect(stream.last?.location == nil)
                    let client = try daemon.connect()
                    let consumers = try client.call("io.sextant.Manager.GetConsumers")["consumers"]?.array
                    #expect(consumers?.count == 1, "\(line)")
                    _ = try client.call("io.sextant.Manager.GetPower")
                }
            }
        }

        @Test func `a reduced stream gets an area and nothing more`() throws {
            let configuration = "[receivers]\ndiscover = false\n[permissions]\naccuracy = \"reduced\"\n"
            try run(configuration) { daemon, port, drive in
                let stream = try daemon.subscribe()
                try port.send(drive.next(3))
                let update = try stream.untilLocation()
                #expect(update.parameters["accuracyLimited"] == true)
                let location = try #require(update.location)
                #expect(location["accuracySource"] == "reduced")
                #expect(try #require(location["horizontalAccuracy"]?.double) > 1000)
                for name in ["speed", "course", "altitude", "satellitesUsed", "hdop", "ellipsoidalAltitude"] {
                    #expect(location[name] == nil, "\(name)")
                }
                let single = try daemon.connect().call("io.sextant.Location.GetLocation", ["maximumAge": 0])
                #expect(single["location"]?["latitude"] == location["latitude"])
                #expect(single["location"]?["longitude"] == location["longitude"])
                #expect(single["restingSince"] == nil)
                // Further epochs change nothing for 15 minutes.
                try port.send(drive.next(20))
                try daemon.waitForEpochs(drive.count)
                #expect(try stream.present() == nil)
            }
        }

        @Test func `conditions of a denied program are monitored after a grant`() throws {
            try run(Permissions.denied) { daemon, port, drive in
                let client = try daemon.connect()
                try client.addCircle("here", at: Places.origin, radius: 100_000, to: "home")
                let monitor = try daemon.connect().open("home")
                #expect(monitor.monitor?["authorizationDenied"] == true)
                try port.send(drive.next(8))
                try daemon.waitForEpochs(drive.count)
                let record = try client.record("here", of: "home")
                #expect(record["state"] == "unmonitored" && record["authorizationDenied"] == true)
                #expect(record["distance"] == nil && record["conditionLimitExceeded"] == false)
                #expect(try monitor.present() == nil)
                try Permissions.set(client, "always")
                try port.send(drive.next(8))
                #expect(try monitor.next().kind == "determined")
                #expect(monitor.monitor?["authorizationDenied"] == nil)
                try Permissions.set(client, "denied")
                #expect(try client.record("here", of: "home")["state"] == "unmonitored")
            }
        }

        @Test func `a program that is not in use gets no lease`() throws {
            let configuration = """
                [receivers]
                discover = false
                [permissions]
                default = "whenInUse"
                in_use_without_logind = false
                """
            try run(configuration) { daemon, _, _ in
                let stream = try daemon.subscribe()
                #expect(stream.last?.parameters["insufficientlyInUse"] == true)
                let lease = try RawClient(daemon.socket)
                lease.send("{\"method\":\"io.sextant.Session.KeepActive\",\"more\":true}\0")
                #expect(try lease.next()?.failure?.name == "io.sextant.Session.NotInUse")
            }
        }

        /// A program of another user walks all methods and fields of all interfaces.
        @Test(
            .enabled(if: Foreign.runsAsOtherUser, "this machine runs no program as another user"),
            arguments: ["denied", "reduced"])
        func `no method and no field reveals the location`(mode: String) throws {
            let rule = mode == "denied" ? "authorization = \"denied\"" : "accuracy = \"reduced\""
            let configuration = """
                [receivers]
                discover = false
                [[permissions.grant]]
                user = \(OtherUser.id)
                \(rule)
                """
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            let gate = scratch("gate")
            #expect(mkfifo(gate, 0o666) == 0)
            try TestDaemon.run(devices: [port.link], configuration: configuration, scratch: scratch) { daemon in
                try daemon.waitForReceiver("detectingBaudRate", "silent")
                var places = Places()
                // The administrator's stream has the full location all the time.
                let full = try daemon.subscribe()
                try port.send(places.next(5))
                try full.untilLocation()
                try port.send(sentence("HCHDG,234.3,,,1.3,E"))
                let place = places.place
                let walk = try Foreign.run(
                    "permissions.py",
                    [daemon.socket, mode, "\(place.latitude)", "\(place.longitude)", gate], asOtherUser: true, scratch)
                // The script opens the pipe after its calls. Without a reader it cannot be opened.
                var pipe: Int32 = -1
                try waitUntil("the calls of the script") {
                    pipe = open(gate, O_WRONLY | O_NONBLOCK)
                    return pipe >= 0 || !walk.isRunning
                }
                try port.send(places.next(30))
                try port.send(sentence("HCHDG,233.3,,,1.3,E"))
                try daemon.waitForEpochs(35)
                close(pipe)
                #expect(try walk.waitForEnd() == .code(0), "\(walk.output)")
            }
        }
    }
}
