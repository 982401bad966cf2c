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

        @Test(.enabled(if: Foreign.runsAsOtherUser, "no python3 that user 65534 may run"))
        func `another user can neither read nor change monitors, and cannot invent programs or connect too fast`()
            throws
        {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            try TestDaemon.run(devices: [port.link], scratch: scratch) { daemon in
                var places = Places()
                try daemon.waitForReceiver("detectingBaudRate", "silent")
                try port.send(places.next(3))
                try daemon.waitForReceiver("fixing")
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
