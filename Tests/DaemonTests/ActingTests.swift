import Glibc
import ServiceRuntime
import SystemCalls
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    /// What a program may do for another one whose socket it passes.
    @Suite(.needsAdministrator, .enabled(if: Foreign.runsAsOtherUser, "this machine runs no program as another user"))
    struct Acting {
        private static let actFor = #"{"method":"io.sextant.Session.ActFor"}"# + "\0"
        private static let getLocation =
            #"{"method":"io.sextant.Location.GetLocation","parameters":{"maximumAge":3600,"timeout":0}}"# + "\0"
        private static let getInfo = #"{"method":"org.varlink.service.GetInfo"}"# + "\0"
        private static let unknownClient = "io.sextant.Session.UnknownClient"

        private static func configuration(_ rule: String, _ service: String = "") -> String {
            """
            \(service)
            [receivers]
            discover = false
            [[permissions.grant]]
            user = \(OtherUser.id)
            \(rule)

            """
        }

        /// A program of another user, connected to a socket of the test.
        private final class Client {
            let process: ChildProcess
            let socket: FileDescriptor

            init(_ scratch: Scratch) throws {
                chmod(scratch.path, 0o755)
                let path = scratch("service")
                let listener = try StreamListener(path: path)
                let script = """
                    import socket, sys
                    client = socket.socket(socket.AF_UNIX)
                    client.connect(sys.argv[1])
                    client.recv(1)
                    """
                process = try ChildProcess(
                    OtherUser.prefix + ["/usr/bin/python3", "-c", script, path], record: scratch("client.log"))
                guard waitReadable(listener.descriptor), let accepted = try listener.accept() else {
                    throw TestFailure("no connection: \(process.output)")
                }
                socket = accepted
            }
        }

        /// A connection that has passed a descriptor with its first call.
        private func act(_ daemon: TestDaemon, with descriptor: Int32) throws -> (client: RawClient, answer: Reply) {
            let client = try RawClient(daemon.socket)
            client.send(Acting.actFor, with: descriptor)
            let answer = try #require(try client.next())
            try daemon.check(answer, to: "io.sextant.Session.ActFor")
            return (client, answer)
        }

        private func call(_ client: RawClient, _ text: String) throws -> Reply {
            client.send(text)
            return try #require(try client.next())
        }

        @Test func `the position, the record of use and who are those of the client`() throws {
            let rule = Acting.configuration("authorization = \"always\"")
            try TestDaemon.runWithFix(rule) { daemon, port, drive in
                let other = try Client(daemon.scratch)
                let (client, answer) = try act(daemon, with: other.socket.number)
                #expect(answer.error == nil && answer.parameters.isEmpty)
                let location = try call(client, Acting.getLocation)
                try daemon.check(location, to: "io.sextant.Location.GetLocation")
                #expect(location.parameters["location"]?["latitude"]?.double.map { (51..<52).contains($0) } == true)
                client.send(#"{"method":"io.sextant.Location.GetLocation","parameters":{"maximumAge":0}}"# + "\0")
                let checked = try daemon.connect()
                try waitUntil("the request") {
                    let who = try checked.call("io.sextant.Manager.GetConsumers")
                    return who["consumers"]?.array?.contains {
                        $0["uid"] == .int(Int64(OtherUser.id)) && $0["pid"] == .int(Int64(other.process.id))
                    } == true
                }
                try port.send(drive.next(2))
                #expect(try client.next()?.error == nil)
                let usage = try checked.call("io.sextant.Permission.GetUsage")["records"]?.array ?? []
                #expect(usage.map { $0["program"] } == [.string("\(OtherUser.id)")] && usage.first?["updates"] == 2)
            }
        }

        @Test func `a denied client is denied, and one with reduced accuracy gets the reduced location`() throws {
            for (rule, isReduced) in [("authorization = \"denied\"", false), ("accuracy = \"reduced\"", true)] {
                try TestDaemon.runWithFix(Acting.configuration(rule)) { daemon, _, _ in
                    let other = try Client(daemon.scratch)
                    let (client, answer) = try act(daemon, with: other.socket.number)
                    #expect(answer.error == nil)
                    let location = try call(client, Acting.getLocation)
                    #expect(location.error == (isReduced ? nil : "io.sextant.Location.PermissionDenied"))
                    let source = location.parameters["location"]?["accuracySource"]
                    #expect(source == (isReduced ? "reduced" : nil))
                    // The caller itself may know it.
                    let own = try daemon.connect().call("io.sextant.Location.GetLocation", ["maximumAge": 3600])
                    #expect(own["location"]?["accuracySource"] != "reduced")
                }
            }
        }

        @Test func `only one socket with the first call counts, and nothing but the location follows`() throws {
            let rule = Acting.configuration("authorization = \"always\"")
            try TestDaemon.run(configuration: rule) { daemon in
                let other = try Client(daemon.scratch)
                let number = other.socket.number
                #expect(try call(try RawClient(daemon.socket), Acting.actFor).error == Acting.unknownClient)
                #expect(try act(daemon, with: STDIN_FILENO).answer.error == Acting.unknownClient)
                let two = try RawClient(daemon.socket)
                two.send(String(Acting.actFor.prefix(9)), with: number)
                two.send(String(Acting.actFor.dropFirst(9)), with: number)
                #expect(try two.next()?.error == Acting.unknownClient)
                let late = try RawClient(daemon.socket)
                #expect(try call(late, Acting.getInfo).error == nil)
                late.send(Acting.actFor, with: number)
                #expect(try late.next()?.error == Acting.unknownClient)
                #expect(try call(late, #"{"method":"io.sextant.Session.GetAuthorization"}"# + "\0").error == nil)

                let (client, answer) = try act(daemon, with: number)
                #expect(answer.error == nil)
                client.send(Acting.actFor, with: number)
                let again = try #require(try client.next())
                try daemon.check(again, to: "io.sextant.Session.ActFor")
                #expect(again.error == "io.sextant.Session.NotAllowed")
                for method in try daemon.interfaces().methods
                where method.hasPrefix("io.sextant.") && method != "io.sextant.Location.GetLocation" {
                    let refused = try call(client, "{\"method\":\"\(method)\",\"parameters\":{}}\0")
                    #expect(refused.failure != nil, "\(method): \(refused)")
                }
            }
        }

        @Test func `a client that has ended is unknown`() throws {
            try TestDaemon.run(configuration: Acting.configuration("authorization = \"always\"")) { daemon in
                let other = try Client(daemon.scratch)
                other.process.destroy()
                let answer = try act(daemon, with: other.socket.number).answer
                #expect(answer.error == Acting.unknownClient)
                #expect(answer.parameters["detail"]?.string?.contains("has ended") == true)
            }
        }

        @Test func `the connection counts for the limits of the client`() throws {
            let rule = Acting.configuration(
                "authorization = \"always\"", "[service]\nmax_connections_per_program = 2")
            try TestDaemon.run(configuration: rule) { daemon in
                let other = try Client(daemon.scratch)
                let first = try act(daemon, with: other.socket.number)
                let second = try act(daemon, with: other.socket.number)
                #expect(first.answer.error == nil && second.answer.error == nil)
                let third = try act(daemon, with: other.socket.number)
                #expect(third.answer.error == "io.sextant.Manager.TooManyConnections")
                #expect(third.answer.parameters == ["limit": 2, "scope": "program"])
                #expect(
                    try call(third.client, #"{"method":"io.sextant.Session.GetAuthorization"}"# + "\0")
                        .parameters["permission"]?["program"] != .string("\(OtherUser.id)"))
                withExtendedLifetime((first.client, second.client)) {}
                // The connections of the caller have no rate. Those of the client do.
                let tooFast = "io.sextant.Manager.TooManyNewConnections"
                let refused = try (0..<5000).contains { _ in
                    try act(daemon, with: other.socket.number).answer.error == tooFast
                }
                #expect(refused)
            }
        }

        @Test func `another program is refused, and no passed descriptor stays open`() throws {
            try TestDaemon.run(configuration: Acting.configuration("authorization = \"always\"")) { daemon in
                let other = try Client(daemon.scratch)
                _ = try act(daemon, with: STDIN_FILENO)
                let client = try Foreign.run(
                    "acting.py", [daemon.socket], asOtherUser: true, daemon.scratch)
                #expect(try client.waitForEnd() == .code(0), "\(client.output)")
                // It stays open, so that its end does not change the number of descriptors.
                let status = try daemon.connect()
                try waitUntil("the end of the connections") { try connections(status) == 1 }
                let before = ProcessFigures(of: daemon.process).descriptors
                let late = try RawClient(daemon.socket)
                _ = try call(late, Acting.getInfo)
                for number in 0..<1000 {
                    if number % 10 == 0 { _ = try act(daemon, with: STDIN_FILENO) }
                    if number % 10 == 1 { _ = try act(daemon, with: other.socket.number) }
                    late.send(Acting.getInfo, with: other.socket.number)
                    _ = try late.next()
                }
                let open = try RawClient(daemon.socket)
                open.send("{\"method\"", with: STDIN_FILENO)
                open.send(":", with: STDIN_FILENO)
                try waitUntil("the open connections") { try connections(status) == 3 }
                let now = ProcessFigures(of: daemon.process).descriptors
                // Two connections, and the descriptor that waits for the rest of its call.
                #expect(now <= before + 3, "\(now - before) more")
            }
        }

        private func connections(_ client: CheckedClient) throws -> Int {
            let status = try client.call("io.sextant.Manager.GetStatus")["status"]
            return Int(status?["connections"]?.int ?? -1)
        }
    }
}

extension RawClient {
    /// Sends a text with a duplicate of a descriptor.
    fileprivate func send(_ text: String, with passed: Int32) {
        _ = Array(text.utf8).withUnsafeBytes { PassedDescriptors.send($0, with: passed, to: descriptor) }
    }
}
