import CLinux
import Glibc
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    @Suite struct Limits {
        /// The limit applies to the user of the tests, except root; for root a foreign program runs
        /// as another user.
        @Test(
            .enabled(if: getuid() != 0 || Foreign.runsAsOtherUser, "no python3 that user 65534 may run"),
            arguments: ["program", "user"])
        func `the connections of one program and of one user are limited`(scope: String) throws {
            let configuration = "[service]\nmax_connections_per_\(scope) = 64\n[receivers]\ndiscover = false\n"
            try TestDaemon.run(configuration: configuration) { daemon in
                if getuid() == 0 {
                    try exceedLimitAsAnother(daemon, scope: scope)
                } else {
                    try exceedLimit(daemon, scope: scope)
                }
                // Closed connections free their slots.
                try waitUntil("a free connection") {
                    (try? daemon.connect().call("io.sextant.Manager.GetStatus")) != nil
                }
                #expect(daemon.logged("refused a connection of user") == 1)
            }
        }

        private func exceedLimitAsAnother(_ daemon: TestDaemon, scope: String) throws {
            let client = try Foreign.run(
                "connections.py", [daemon.socket, "64", "100", scope], asOtherUser: true, daemon.scratch)
            #expect(try client.waitForEnd() == .code(0), "\(client.output)")
        }

        private func exceedLimit(_ daemon: TestDaemon, scope: String) throws {
            let clients = try (0..<64).map { _ in try RawClient(daemon.socket) }
            try waitUntil("the connections being counted") {
                let reply = try RawClient(daemon.socket).next()
                return reply?.error == "io.sextant.Manager.TooManyConnections"
                    && reply?.parameters == ["limit": 64, "scope": .string(scope)]
            }
            for _ in 0..<100 {
                #expect(try RawClient(daemon.socket).next()?.error == "io.sextant.Manager.TooManyConnections")
            }
            for client in clients {
                client.send("{\"method\":\"org.varlink.service.GetInfo\"}\0")
                #expect(try client.next()?.error == nil)
            }
        }

        /// The unit of a process is looked up by its ID, which another program may have by then.
        @Test func `a connection whose process has ended is closed`() throws {
            let scratch = try Scratch()
            try TestDaemon.run(configuration: "[receivers]\ndiscover = false\n", scratch: scratch) { daemon in
                daemon.process.send(SIGSTOP)
                let result = scratch("result")
                let client = try Foreign.run("ended_process.py", [daemon.socket, result], scratch)
                #expect(try client.waitForEnd() == .code(0), "\(client.output)")
                daemon.process.send(SIGCONT)
                try waitUntil("the result") { access(result, F_OK) == 0 }
                #expect(Scratch.text(of: result) == "closed")
            }
        }

        @Test func `the total number of connections is limited`() throws {
            let configuration = "[service]\nmax_connections = 10\n[receivers]\ndiscover = false\n"
            try TestDaemon.run(configuration: configuration) { daemon in
                let checked = try daemon.connect()
                try checked.call("org.varlink.service.GetInfo")
                let clients = try (0..<9).map { _ in try RawClient(daemon.socket) }
                let refused = try RawClient(daemon.socket)
                let reply = try #require(try refused.next())
                try daemon.check(reply, to: "")
                #expect(
                    reply.error == "io.sextant.Manager.TooManyConnections"
                        && reply.parameters == ["limit": 10, "scope": "all"])
                #expect(try refused.next() == nil)
                #expect(try checked.call("io.sextant.Manager.GetStatus")["status"]?["connections"] == 10)
                withExtendedLifetime(clients) {}
            }
        }

        private static let crowd = 1000

        @Test(.enabled(if: raiseDescriptorLimit(to: UInt(crowd + 200)), "this user may not open so many connections"))
        func `a thousand subscribers all receive updates`() throws {
            let count = Limits.crowd
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            let configuration =
                "[service]\nmax_connections_per_program = 2000\nmax_connections_per_user = 2000\n"
                + "[receivers]\ndiscover = false\n[[receiver]]\ndevice = \"\(port.link)\"\nbaud = 9600\n"
            try TestDaemon.run(configuration: configuration, scratch: scratch) { daemon in
                try waitUntil("the port being opened") { port.isOpen }
                let streams = try (0..<count).map { _ in try daemon.subscribe("otherNavigation") }
                #expect(streams.allSatisfy { $0.last?.cause == "starting" })
                var drive = Drive()
                try port.send(drive.next(2))
                for stream in streams { try stream.untilLocation() }
                for _ in 0..<8 {
                    let epoch = drive.timestamp(drive.count)
                    try port.send(drive.next())
                    for stream in streams { try stream.until(epoch) { $0.timestamp == epoch } }
                }
                #expect(streams.allSatisfy { $0.last?.dropped == 0 && $0.last?.sequence == streams[0].last?.sequence })
            }
        }

        private static func raiseDescriptorLimit(to wanted: UInt) -> Bool {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, wanted))
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            return limit.rlim_cur >= wanted
        }
    }
}
