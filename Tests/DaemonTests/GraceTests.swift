import Glibc
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    /// What a program continues after it has lost its connections, and what it ends itself.
    @Suite(.needsAdministrator) struct GraceTests {
        private static func configuration(inUse: Bool) -> String {
            "[receivers]\ndiscover = false\n[permissions]\ndefault = \"whenInUse\"\n"
                + "[[permissions.grant]]\nuser = 0\nin_use = \(inUse)\n"
        }

        /// Opens a call with `more`, and returns its connection and first reply.
        private func open(
            _ method: String, _ parameters: String = "{}", of daemon: TestDaemon
        ) throws -> (client: RawClient, reply: Reply?) {
            let client = try RawClient(daemon.socket)
            client.send("{\"method\":\"io.sextant.Session.\(method)\",\"more\":true,\"parameters\":\(parameters)}\0")
            return (client, try client.next())
        }

        /// Declares a session that requires always, and returns whether it counts.
        private func declaresEffectively(_ daemon: TestDaemon) throws -> Bool {
            try waitUntil("the end of the last session") {
                try daemon.connect().call("io.sextant.Manager.GetConsumers")["sessions"]?.array == []
            }
            let session = try open("Declare", #"{"requirement":"always"}"#, of: daemon)
            let consumers = try daemon.connect().call("io.sextant.Manager.GetConsumers")
            return withExtendedLifetime(session) { consumers["sessions"]?.array?.first?["ineffective"] == nil }
        }

        @Test func `a session and a lease continue after a crash of their program, unless it has ended them`() throws {
            try TestDaemon.run(configuration: Self.configuration(inUse: true)) { daemon in
                #expect(try declaresEffectively(daemon))
                var lease: RawClient? = try open("KeepActive", of: daemon).client
                try daemon.scratch.write(Self.configuration(inUse: false), to: "sextant.toml")
                daemon.process.send(SIGHUP)
                try waitUntil("a reload") { daemon.logged("configuration reloaded") == 1 }
                withExtendedLifetime(lease) {}
                lease = nil
                let client = try daemon.connect()
                try waitUntil("the grace period") {
                    let leases = try client.call("io.sextant.Manager.GetConsumers")["leases"]?.array
                    return leases?.first?["ending"] == true
                }
                #expect(try declaresEffectively(daemon), "also because the lease counts")
                #expect(try open("KeepActive", of: daemon).reply?.parameters["held"] == true)
                try waitUntil("the grace period") {
                    let leases = try client.call("io.sextant.Manager.GetConsumers")["leases"]?.array
                    return leases?.first?["ending"] == true
                }
                try client.call("io.sextant.Session.EndGrace")
                #expect(try client.call("io.sextant.Manager.GetConsumers")["leases"]?.array == [])
                #expect(try !declaresEffectively(daemon))
                // The end is on disk too.
                daemon.kill()
                try daemon.startAgain()
                #expect(try open("KeepActive", of: daemon).reply?.failure?.name == "io.sextant.Session.NotInUse")
            }
        }

        @Test func `a session that requires always continues without a lease`() throws {
            try TestDaemon.run(configuration: Self.configuration(inUse: true)) { daemon in
                #expect(try declaresEffectively(daemon))
                try daemon.scratch.write(Self.configuration(inUse: false), to: "sextant.toml")
                daemon.process.send(SIGHUP)
                try waitUntil("a reload") { daemon.logged("configuration reloaded") == 1 }
                #expect(try declaresEffectively(daemon))
                _ = try declaresEffectively(daemon)
                try waitUntil("the end of the last session") {
                    try daemon.connect().call("io.sextant.Manager.GetConsumers")["sessions"]?.array == []
                }
                try daemon.connect().call("io.sextant.Session.EndGrace")
                #expect(try !declaresEffectively(daemon))
            }
        }
    }
}
