import Testing
import Varlink

extension WholeDaemon {
    /// The events of a client that does not read, after a denial and after a new grant.
    @Suite(.needsAdministrator) struct WithheldEvents {
        private static let count = 200

        /// The conditions of a request, each with long metadata: their events fill the socket.
        private static func conditions(from first: Int) -> JSONValue {
            .array(
                (first..<first + 10).map { number in
                    [
                        "identifier": .string("c\(number)"),
                        "metadata": ["note": .string(String(repeating: "y", count: 1000))],
                        "circle": [
                            "center": [
                                "latitude": .double(Places.origin.latitude),
                                "longitude": .double(Places.origin.longitude),
                            ], "radius": 100_000.0,
                        ],
                    ]
                })
        }

        private static func set(_ choice: String, _ client: CheckedClient) throws {
            let permission = try client.call("io.sextant.Session.GetAuthorization")["permission"]
            let program = try #require(permission?["program"])
            try client.call(
                "io.sextant.Permission.Set",
                ["program": program, "authorization": .string(choice), "accuracy": "full"])
        }

        /// Returns the numbers of the events that arrive until the daemon has no more to send.
        private static func read(_ stream: RawClient, _ client: CheckedClient) throws -> [Int] {
            var events: [Int] = []
            while true {
                // The reply to another client comes after what the daemon sends in this turn.
                try client.call("io.sextant.Manager.GetStatus")
                guard waitReadable(stream.descriptor, within: .zero) || stream.hasMessage else { return events }
                while stream.hasMessage || waitReadable(stream.descriptor, within: .zero) {
                    let reply = try #require(try stream.next())
                    if let id = reply.parameters["event"]?["id"]?.int { events.append(Int(id)) }
                }
            }
        }

        @Test func `events that were not read before a denial are sent after the next grant`() throws {
            let configuration = "[receivers]\ndiscover = false\n[monitors]\nmax_conditions_per_program = 0\n"
            try TestDaemon.runWithFix(configuration) { daemon, port, drive in
                let client = try daemon.connect()
                for first in stride(from: 0, to: Self.count, by: 10) {
                    try client.call(
                        "io.sextant.Monitor.Add", ["name": "home", "conditions": Self.conditions(from: first)])
                }
                let stream = try RawClient(daemon.socket)
                stream.send(#"{"method":"io.sextant.Monitor.Open","parameters":{"name":"home"},"more":true}"# + "\0")
                try port.send(drive.next(3))
                try waitUntil("the events") {
                    let monitors = try client.call("io.sextant.Monitor.ListMonitors")["monitors"]?.array ?? []
                    return monitors.first?["pending"]?.int == Int64(Self.count)
                }
                try Self.set("denied", client)
                let before = Set(try Self.read(stream, client))
                #expect(before.count < Self.count, "the socket holds less than all events")
                try Self.set("always", client)
                var after: Set<Int> = []
                try waitUntil("the other events, after \(before.count) and \(after.count)") {
                    after.formUnion(try Self.read(stream, client))
                    return before.union(after).count == Self.count
                }
            }
        }

        @Test func `sentences that were not read before a denial are not sent after it`() throws {
            try TestDaemon.runWithFix("[receivers]\ndiscover = false\n") { daemon, _, _ in
                let client = try daemon.connect()
                let call = #"{"method":"io.sextant.Receiver.Sentences","parameters":{"types":["TXT"]},"more":true}"#
                let streams = try (0..<2).map { _ in try RawClient(daemon.socket) }
                for stream in streams { stream.send(call + "\0") }
                let provider = try RawClient(daemon.socket)
                provider.send(#"{"method":"io.sextant.Receiver.Feed","parameters":{"name":"x"},"upgrade":true}"# + "\0")
                #expect(try provider.next()?.failure == nil)
                let count = 4000
                var sent = 0
                var received = 0
                // The first stream reads each sentence; so the daemon has sent it to the second.
                while received < count {
                    while sent < min(received + 100, count) {
                        provider.send(sentence("GPTXT,01,01,02,number \(sent) of a log that fills the socket"))
                        sent += 1
                    }
                    let reply = try #require(try streams[0].next(), "after \(received)")
                    received += reply.parameters["sentences"]?.array?.count ?? 0
                }
                try Self.set("denied", client)
                var read = 0
                while let reply = try streams[1].next() {
                    read += reply.parameters["sentences"]?.array?.count ?? 0
                    if let failure = reply.failure {
                        #expect(failure.name == "io.sextant.Receiver.PermissionDenied")
                        break
                    }
                }
                #expect(read > 0 && read < count, "\(read) of \(count); the socket holds less than all")
            }
        }

        @Test func `a program that provides sentences and closes at once loses none of them`() throws {
            try TestDaemon.runWithFix("[receivers]\ndiscover = false\n") { daemon, _, _ in
                let reader = try RawClient(daemon.socket)
                reader.send(
                    #"{"method":"io.sextant.Receiver.Sentences","parameters":{"types":["TXT"]},"more":true}"# + "\0")
                var provider: RawClient? = try RawClient(daemon.socket)
                provider?.send(
                    #"{"method":"io.sextant.Receiver.Feed","parameters":{"name":"x"},"upgrade":true}"# + "\0")
                #expect(try provider?.next()?.failure == nil)
                let count = 400
                for number in 0..<count { provider?.send(sentence("GPTXT,01,01,02,number \(number) of a long log")) }
                provider = nil
                var received = 0
                while received < count {
                    let reply = try #require(try reader.next(), "after \(received)")
                    received += reply.parameters["sentences"]?.array?.count ?? 0
                }
                #expect(received == count)
            }
        }
    }
}
