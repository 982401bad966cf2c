import Glibc
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    /// Tests that monitors are accessible to their own user and root alone.
    @Suite struct MonitorAccess {
        @Test func `only its own user and root can access the monitors of a program`() throws {
            try TestDaemon.run { daemon in
                let client = try daemon.connect()
                try client.addCircle("x", at: Places.origin, to: "home")
                let own =
                    try client.call("io.sextant.Monitor.ListMonitors")["monitors"]?.array?.first?["program"]?.string
                    ?? ""
                #expect(own == "\(getuid())" || own.hasPrefix("\(getuid()):"), "\(own)")
                let list = "io.sextant.Monitor.List"
                #expect(try client.call(list, ["name": "home", "program": .string(own)])["records"]?.array?.count == 1)
                let sibling = try client.failure(
                    of: list, ["name": "home", "program": .string("\(getuid()):x.service")])
                #expect(sibling.name == "io.sextant.Monitor.NoSuchMonitor")
                let stranger = try client.failure(of: list, ["name": "home", "program": .string("\(getuid() + 1)")])
                #expect(
                    stranger.name
                        == (getuid() == 0 ? "io.sextant.Monitor.NoSuchMonitor" : "org.varlink.service.PermissionDenied")
                )
            }
        }

        @Test(.needsAdministrator) func `applications of one program have their own monitors and the same permission`()
            throws
        {
            let configuration = "[receivers]\ndiscover = false\n[monitors]\nmax_conditions_per_program = 1\n"
            try TestDaemon.run(configuration: configuration) { daemon in
                let client = try daemon.connect()
                let names: [JSONValue] = ["org.example.Boat", "org.example.Van"]
                for name in names {
                    let reply = try client.call(
                        "io.sextant.Monitor.Add",
                        ["name": "home", "conditions": [circle("x", at: Places.origin)], "application": name])
                    #expect(reply == ["added": 1, "replaced": 0, "unmonitored": []], "each has its own limit")
                }
                let open = try daemon.connect().openMonitor("home", ["application": names[0]])
                let other = try daemon.connect().openMonitor("home", ["application": names[1]])
                #expect(open.monitor?["conditions"] == 1 && other.monitor?["conditions"] == 1)
                let monitors = try client.call("io.sextant.Monitor.ListMonitors")["monitors"]?.array ?? []
                let programs = monitors.compactMap { $0["program"]?.string }
                #expect(programs.map { $0.split(separator: "/").last.map(String.init) } == names.map(\.string))
                let unknown = try client.failure(of: "io.sextant.Monitor.List", ["name": "home"])
                #expect(unknown.name == "io.sextant.Monitor.NoSuchMonitor", "the program itself has none")
                let list = try client.call(
                    "io.sextant.Monitor.List", ["name": "home", "program": .string(programs[0])])
                #expect(list["records"]?.array?.count == 1)

                // A denial of the program denies its applications. They have no grant of their own.
                let program = try #require(programs[0].split(separator: "/").first)
                let denial: JSONValue = ["program": .string(String(program)), "authorization": "denied"]
                try client.call("io.sextant.Permission.Set", denial)
                let record = try client.call(
                    "io.sextant.Monitor.GetRecord", ["name": "home", "identifier": "x", "application": names[0]])
                #expect(record["record"]?["authorizationDenied"] == true && record["record"]?["state"] == "unmonitored")
                let grant = try client.failure(
                    of: "io.sextant.Permission.Set", ["program": .string(programs[0]), "authorization": "always"])
                #expect(
                    grant.name == "io.sextant.Permission.InvalidProgram" || grant.name.hasSuffix("InvalidParameter"))
                let invalid = try client.failure(
                    of: "io.sextant.Monitor.List", ["name": "home", "application": "a/b"])
                #expect(invalid.name == "org.varlink.service.InvalidParameter")
            }
        }

        @Test(.enabled(if: Foreign.runsAsOtherUser, "no python3 that user 65534 may run"))
        func `another user can neither read nor change monitors, and cannot invent programs or connect too fast`()
            throws
        {
            try TestDaemon.runWithPort { daemon, port in
                var places = Places()
                try daemon.waitForFix(&places, port)
                let client = try daemon.connect()
                try client.addCircle("x", at: Places.origin, to: "home")
                try port.send(places.next(3))
                let event = try daemon.connect().open("home").next()
                let own = try #require(
                    try client.call("io.sextant.Monitor.ListMonitors")["monitors"]?.array?.first?["program"]?.string)
                let other = try Foreign.run(
                    "other_user.py", [daemon.socket, own, "\(OtherUser.id)", "\(event.id)"], asOtherUser: true,
                    daemon.scratch)
                #expect(try other.waitForEnd() == .code(0), "\(other.output)")
                #expect(try client.acknowledge([event.id], of: "home") == 1, "the event is still pending")
                let monitors = try client.call("io.sextant.Monitor.ListMonitors")["monitors"]?.array ?? []
                #expect(Set(monitors.compactMap { $0["program"]?.string }) == [own])
            }
        }
    }
}
